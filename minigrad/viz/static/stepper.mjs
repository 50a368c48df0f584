// The BackwardStepper's page side: everything put together. All that it shows, with a kernel or without one, comes from
// two things in the model: `picture` (the drawing and what does not change) and `recorded` (one frame per step, each
// written as the difference to the one before). The player (player.mjs) says which frame is shown; the drawing
// (picture.mjs), the words (panels.mjs), the details (inspector.mjs) and the bar (controls.mjs) paint it. The same text
// steps in JupyterLab, in a saved notebook and in an exported page, where `live` is false.

import { Camera, frameOf } from "./camera.mjs";
import { Changing } from "./changing.mjs";
import { Controls } from "./controls.mjs";
import { make } from "./dom.mjs";
import { Hint } from "./hint.mjs";
import { Inspector } from "./inspector.mjs";
import { actionFor, BY_ITSELF, KEYS } from "./keyboard.mjs";
import { Legend } from "./legend.mjs";
import { Menu } from "./menu.mjs";
import { Minimap } from "./minimap.mjs";
import { Overview } from "./overview.mjs";
import { Panels } from "./panels.mjs";
import { Paper } from "./paper.mjs";
import { Picture } from "./picture.mjs";
import { Player } from "./player.mjs";
import { Predict } from "./predict.mjs";
import { Tip } from "./tip.mjs";
import { Twins } from "./twins.mjs";
import { Whereabouts } from "./whereabouts.mjs";
import { Whole } from "./whole.mjs";

/** @import { Model } from "./model.d.ts" */

const TALLEST = 0.9; // of what the page shows at once: the widget's height, at most
const ASIDE = 330; // pixels of the explanation beside the drawing, in panels.css too
// Pixels of the explanation below it, in controls.css and motion.css too.
const UNDER = { words: 196, narrow: 240, cells: 300 };
const NARROW = 560; // pixels of a telephone held upright, at the most
const WIDE = 820; // pixels of the widget from which on the explanation may stand beside the drawing
const LOWEST = { beside: 400, below: 150, cells: 510 }; // pixels of a drawing's place
const MORE = 1.15; // times as much has to be seen with the explanation below: layers tell more than columns
const EDGE = 8; // pixels around a drawing
const TRAIL = 28; // pixels of the line above it that says where the step is, in picture.css too
const REST = 500; // milliseconds between two pictures of a run, at least, before it is seen to have ended
const TOOLS = 40; // below it, where the buttons for its size are, in controls.css too
// Pixels of a notebook's output and of its page, as long as nothing is known of them.
const USUAL = 960;
const USUAL_PAGE = 780;
// For those who hear the page.
const HOW_TO_STEP = "Arrow keys step, Home and End go to its ends, space plays, question mark explains the picture.";

export class Stepper {
  /**
   * @param {Player} player
   * @param {HTMLElement} host
   */
  constructor(player, host) {
    this.player = player;
    const data = player.picture;
    this.root = make("div", {
      class: `minigrad-stepper${data.compared ? " mg-compared" : ""}`,
      role: "group",
      tabindex: "0",
      "aria-label": `Backward pass of ${data.root ?? ""}. ${HOW_TO_STEP}`,
    });
    this.picture = new Picture(data);
    // A right click in the drawing opens our menu; without this, JupyterLab opens its own over it.
    this.view = make("div", { class: "mg-view", "data-jp-suppress-context-menu": "" });
    if (this.picture.drawing) this.view.append(this.picture.drawing);
    player.open = () => this.picture.layout.open;
    this.keys = this.keyList();
    this.controls = new Controls(this);
    this.camera = new Camera(this.view, this.picture, () => this.paintView());
    const overview = new Overview(data);
    this.minimap = new Minimap(this.camera, this.picture, overview, player);
    this.whole = new Whole(this, overview);
    this.whereabouts = new Whereabouts(this);
    this.camera.aside = () => this.minimap.element.offsetWidth || 0;
    this.camera.mapIn = (room) => (this.isNarrow ? 0 : this.minimap.widthIn(room));
    this.inspector = new Inspector(player, this.picture, this);
    this.panels = new Panels(player);
    this.predict = new Predict(this);
    this.panels.story.prepend(this.predict.element);
    this.changing = new Changing(this);
    this.menu = new Menu(this.root);
    this.note = this.notice(data.note);
    this.stage = make(
      "div",
      { class: "mg-stage" },
      this.whereabouts.trail,
      this.view,
      this.minimap.element,
      this.whole.element,
      this.whereabouts.ahead,
      ...(this.note ? [this.note] : []),
      this.controls.scale.element,
      this.controls.zoom,
    );
    this.tip = new Tip(player, this.picture, this.view, this.stage);
    this.paper = new Paper(this.stage, this.picture);
    this.legend = new Legend(this);
    this.hint = new Hint(this);
    this.side = make("div", { class: "mg-side" }, this.panels.element, this.inspector.element, this.legend.element);
    this.main = make("div", { class: "mg-main" }, this.stage, this.side);
    this.root.append(
      this.controls.element,
      this.controls.more.element,
      this.controls.list,
      this.changing.banner,
      this.main,
      this.menu.element,
      this.panels.live,
    );
    this.frame = make("div", { class: "minigrad-frame" }, this.root);
    host.append(this.frame);
    this.followed = true; // whether it was wished at the latest painting
    this.reached = 0; // the frame that was followed last, and until when no run is
    this.restsAt = 0;
    this.listen();
    this.twins = new Twins(this.root, this.panels.element, player, this.picture);
    this.place();
    this.repaint = () => this.paint();
    player.listeners.add(this.repaint);
    this.paint();
  }

  listen() {
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.view.addEventListener("click", (event) => this.click(event));
    this.view.addEventListener("contextmenu", (event) => this.rightClick(event));
    this.view.addEventListener("focusin", (event) => this.focusIn(event));
    this.panels.cells.element.addEventListener("toggle", () => {
      this.place(); // cells need more room than words
      this.paint();
    });
    this.observer = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.settle()) : null;
    this.observer?.observe(this.root);
  }

  // ---------------------------------------------------------------- parts

  /** That a large graph is shown with some of its groups closed. */
  notice(text) {
    return text ? make("div", { class: "mg-notice", role: "note", title: text }, text) : null;
  }

  keyList() {
    const rows = KEYS.map(([keys, what]) =>
      make("div", {}, make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, what)),
    );
    return make("details", { class: "mg-keys" }, make("summary", {}, "Keys"), make("dl", {}, ...rows));
  }

  // ---------------------------------------------------------------- where the parts stand

  get isNarrow() {
    return (this.root.clientWidth || USUAL) <= NARROW;
  }

  /** The height of what the page shows at once: of a frame, which grows with what is in it, nothing is known. */
  get visible() {
    const notebook = this.root.closest(".jp-WindowedPanel-outer, .jp-NotebookPanel-notebook");
    return notebook?.clientHeight || (window === window.parent && window.innerHeight) || USUAL_PAGE;
  }

  /** The rooms in which the drawing could stand: with the explanation beside it, or below it. */
  rooms() {
    const width = this.root.clientWidth || USUAL;
    const head = (this.main.offsetTop || 50) - this.aboveAlso(); // which the picture makes room for
    const under = UNDER[this.panels.cells.isShown ? "cells" : this.isNarrow ? "narrow" : "words"];
    const borders = this.root.offsetHeight - this.root.clientHeight || 0;
    const height = TALLEST * this.visible - borders - head - 2 * EDGE - TOOLS - this.trailHeight;
    const below = { name: "below", width: width - 2 * EDGE, height: height - under };
    const beside = { name: "beside", width: width - ASIDE - 2 * EDGE, height };
    return width >= WIDE ? [beside, below] : [below];
  }

  /** How high the line is that says where the step is. */
  get trailHeight() {
    return this.picture.layout.any ? TRAIL : 0;
  }

  /** How high the line about other numbers is, which comes and goes. */
  aboveAlso() {
    return this.changing.banner.offsetHeight || 0;
  }

  /** Lay out what is open, with the explanation beside the drawing, or below it where much more of that is seen then. */
  place() {
    const rooms = this.rooms();
    const above = this.aboveAlso(); // asked before anything is drawn: an answer later has the page lay out all of it
    const { picture } = this;
    if (!picture.drawing) return;
    picture.arrange();
    const areaSeenIn = (room) => {
      const scale = this.camera.usualIn(room);
      const [wide, high] = [picture.width * scale, picture.height * scale];
      const map = room.height < high || room.width < wide ? this.camera.mapIn(room) : 0;
      return (Math.min(room.width - map, wide) * Math.min(room.height, high)) / scale ** 2;
    };
    const room = rooms.reduce((tall, other) => (areaSeenIn(other) > MORE * areaSeenIn(tall) ? other : tall));
    const scale = this.camera.zoomed ?? this.camera.usualIn(room);
    const lowest = LOWEST[room.name === "beside" && this.panels.cells.isShown ? "cells" : room.name];
    const tall =
      Math.max(lowest, Math.min(room.height, Math.ceil(picture.height * scale))) + 2 * EDGE + TOOLS + this.trailHeight;
    this.root.classList.toggle("mg-beside", room.name === "beside");
    this.root.classList.toggle("mg-with-cells", this.panels.cells.isShown);
    this.stage.style?.setProperty("height", `${tall - above}px`);
    this.placedFor = this.root.clientWidth;
    this.hint.place();
    this.camera.resize();
  }

  /** Another part of the drawing is seen, or another size of it. */
  paintView() {
    this.controls.paintZoom();
    this.minimap.paint();
    this.whereabouts?.paintAhead();
    this.legend?.paint();
    this.paintNote();
  }

  /** That a click opens a closed part is said as long as one is seen. */
  paintNote() {
    const { note, whole, picture, camera } = this;
    if (!note) return;
    const inView = () => [...picture.closed.values()].some((group) => camera.holds(frameOf(group)));
    note.hidden = !(whole?.isShown ? whole.hasClosed : camera.showsAll ? picture.closed.size > 0 : inView());
  }

  // ---------------------------------------------------------------- the part that runs

  /**
   * Open the part that runs, and close it when the step has left it, if that is wished; only that changes what is open
   * here. Where it is wished anew, it holds for the parts, too, that the reader has closed.
   */
  followStep() {
    const { picture, player } = this;
    const { frame, follows } = player;
    // Of a run, which shows many frames a second, only where it rests: laying out is what takes the time.
    const isRun = player.live && frame.index > this.reached + 1 && performance.now() < this.restsAt;
    clearTimeout(this.resting);
    if (isRun) this.resting = setTimeout(this.repaint, REST);
    if (isRun || player.wanted !== null) return;
    Object.assign(this, { reached: frame.index, restsAt: performance.now() + REST });
    if (follows && !this.followed) picture.layout.byHand.clear();
    this.followed = follows;
    if (!picture.layout.any || !picture.layout.follow(follows ? (frame.box ?? frame.next) : null)) return;
    this.place();
    picture.setFound(this.controls.found);
  }

  // ---------------------------------------------------------------- what the reader does

  /** @param {KeyboardEvent} event */
  key(event) {
    const action = actionFor(event, this);
    if (!action) return;
    event.stopPropagation(); // JupyterLab, which listens further out, has other uses for many of these keys
    if (action === BY_ITSELF) return;
    event.preventDefault();
    action();
  }

  click(event) {
    const box = event.target.closest?.("[data-box]");
    if (box) {
      this.inspect(box.getAttribute("data-box"));
      return;
    }
    const group = event.target.closest?.("[data-group]");
    if (group && (!group.classList.contains("mg-open") || event.target.closest(".mg-fold, .mg-fold-box, .mg-name")))
      this.toggleGroup(group.getAttribute("data-group"));
  }

  rightClick(event) {
    const element = event.target.closest?.("[data-box], [data-group]");
    if (!element) return;
    event.preventDefault();
    this.openMenu(element.getAttribute("data-box") ?? element.getAttribute("data-group"), {
      x: event.clientX,
      y: event.clientY,
    });
  }

  /** The box with the focus is the one to which the tab key comes back. */
  focusIn(event) {
    const element = event.target.closest?.("[data-box], [data-group]");
    if (!element) return;
    this.whole.leave(); // what has the focus is seen
    for (const other of this.view.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
  }

  /**
   * @param {string} id
   * @param {{ x: number, y: number } | null} point
   */
  openMenu(id, point = null) {
    const { layout } = this.picture;
    const group = layout.byId.get(id);
    const element = (this.picture.boxes.get(id) ?? this.picture.groups.get(id))?.group;
    if (!element) return;
    const entries = [];
    if (group) {
      entries.push([
        `${layout.open.has(id) ? "Close" : "Open"} ${group.is_module ? "module" : group.name}`,
        "Enter",
        () => this.toggleGroup(id),
      ]);
    } else {
      entries.push(["Details", "Enter", () => this.inspect(id)]);
      if ((this.picture.data.runs ?? []).includes(id)) {
        entries.push(["Run to here", "r", () => this.runTo(id)]);
        entries.push([
          this.player.breaksAt(id) ? "Remove breakpoint" : "Set breakpoint",
          "b",
          () => this.toggleBreak(id),
        ]);
      }
      entries.push(["Show where it comes from", "u", () => this.highlight(id, "up")]);
      entries.push(["Show what it leads to", "d", () => this.highlight(id, "down")]);
      const home = layout.parent(id);
      if (home) {
        const { is_module, name } = layout.byId.get(home);
        entries.push([`Close ${is_module ? "module " : ""}${name}`, "", () => this.toggleGroup(home)]);
      }
    }
    if (this.way) entries.push(["End the highlight", "Escape", () => this.endHighlight()]);
    this.menu.open(entries, element, point);
  }

  /**
   * The details of a box; where it is asked who runs next, that is an answer.
   * @param {string | null} id
   */
  inspect(id) {
    if (id !== null && this.predict.asksWho) this.predict.choose(id);
    else this.inspector.show(id);
  }

  run() {
    this.controls.stop();
    this.player.run();
  }

  runTo(id) {
    this.controls.stop();
    this.player.runToBox(id);
  }

  toggleBreak(id) {
    if (!(this.picture.data.runs ?? []).includes(id)) return;
    this.player.toggleBreak(id);
    this.panels.say(
      `Breakpoint ${this.player.breaksAt(id) ? "set at" : "removed from"} ${this.picture.about(id)?.name}.`,
    );
  }

  /** Which highlight is on: "n3 up", or null. */
  currentHighlight() {
    return this.way ?? null;
  }

  /**
   * @param {string} id
   * @param {"up" | "down"} direction
   */
  highlight(id, direction) {
    if (this.way === `${id} ${direction}`) {
      this.endHighlight();
      return;
    }
    this.whole.leave();
    this.way = `${id} ${direction}`;
    const way = this.picture.way(id, direction);
    this.picture.setHighlight(way);
    const name = this.picture.about(id)?.name;
    this.panels.say(
      direction === "up" ? `${name} comes from ${way.size - 1} nodes.` : `${name} leads to ${way.size - 1} nodes.`,
    );
    this.inspector.paint();
  }

  endHighlight() {
    this.way = null;
    this.picture.setHighlight(null);
    this.inspector.paint();
  }

  openSearch() {
    this.controls.searching.hidden = false;
    this.controls.search.focus();
  }

  /**
   * Close what is open, the innermost first; where nothing is, the focus goes to the cell around, and with it the keys.
   */
  escape() {
    this.tip.hide();
    if (this.menu.close(true) || this.legend.close()) return;
    if (this.inspector.id !== null) this.inspect(null);
    else if (this.way) this.endHighlight();
    else if (!this.controls.list.hidden) this.controls.toggleBreaks();
    else if (this.controls.more.close(true)) this.keys.open = false;
    else if (document.activeElement.matches("input, select")) this.root.focus();
    else this.cellAround().focus({ preventScroll: true });
  }

  /** @returns {HTMLElement} */
  cellAround() {
    return this.root.parentElement.closest("[tabindex]") ?? this.root;
  }

  /** @param {string} id */
  toggleGroup(id) {
    this.regroup(() => this.picture.layout.toggle(id));
    const element = this.picture.groups.get(id)?.group;
    element?.focus?.({ preventScroll: true });
    if (this.picture.layout.open.has(id)) this.camera.show(element);
    else this.camera.reveal(element);
    const { is_module, path, name } = this.picture.layout.byId.get(id);
    this.panels.say(`${is_module ? path : name} is ${this.picture.layout.open.has(id) ? "open" : "closed"}.`);
  }

  /**
   * To a part: open it, or bring it into view.
   * @param {string} id
   */
  showPart(id) {
    if (!this.picture.layout.open.has(id)) this.toggleGroup(id);
    else {
      this.whole.leave();
      this.camera.show(this.picture.groups.get(id)?.group);
    }
  }

  /**
   * From the picture of the whole to a box, or to a part.
   * @param {string} id
   */
  go(id) {
    if (this.picture.layout.byId.has(id)) this.showPart(id);
    else this.reach(id);
  }

  /** @param {() => void} change */
  regroup(change) {
    this.whole.leave();
    change();
    this.place();
    this.picture.setFound(this.controls.found);
    this.paint();
  }

  /**
   * Bring a box into view and give it the focus, opening the modules around it.
   * @param {string} id
   */
  reach(id) {
    this.whole.leave();
    if (this.picture.layout.any && this.picture.layout.uncover(id)) this.regroup(() => {});
    const element = this.picture.element(id);
    this.camera.reveal(element);
    element?.classList.add("mg-reached");
    setTimeout(() => element?.classList.remove("mg-reached"), 1200);
    this.panels.say(`${this.picture.about(id)?.name}: ${this.picture.about(id)?.op || this.picture.about(id)?.kind}.`);
  }

  /** From the box with the focus to the nearest one in a direction. */
  move(way) {
    /** @type {NodeListOf<SVGGElement>} */
    const drawn = this.view.querySelectorAll("[data-box], [data-group]");
    const all = [...drawn].filter((element) => element.getAttribute("display") !== "none");
    const place = (element) => {
      const [x, y] = (element.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);
      return { x, y };
    };
    /** @type {SVGGElement} */
    const here =
      document.activeElement?.closest?.("[data-box], [data-group]") ??
      this.picture.element(this.player.frame?.next ?? this.player.frame?.box) ??
      all[0];
    if (!here) return;
    if (!here.contains(document.activeElement)) {
      here.focus();
      return;
    }
    const from = place(here);
    const [dx, dy] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[way];
    const ahead = all
      .map((element) => {
        const at = place(element);
        const along = (at.x - from.x) * dx + (at.y - from.y) * dy;
        const aside = Math.abs((at.x - from.x) * dy) + Math.abs((at.y - from.y) * dx);
        return { element, along, cost: along + 3 * aside };
      })
      .filter(({ along }) => along > 1);
    ahead.sort((one, other) => one.cost - other.cost);
    ahead[0]?.element.focus();
    this.camera.reveal(ahead[0]?.element);
  }

  // ---------------------------------------------------------------- painting

  paint() {
    const { player } = this;
    const { frame } = player;
    if (!frame) return;
    this.followStep();
    this.picture.paintNow(player.now);
    this.controls.paintScale();
    if (this.changing.paint()) this.place(); // what stands above the picture takes its room
    this.picture.paint(frame, player.state(player.index), player.breaks, player.unmade);
    this.picture.paintFailure(player.failedHere ? player.problem.box : null);
    this.panels.paint(frame);
    this.predict.paint();
    this.twins.paint(frame);
    this.inspector.paint();
    this.controls.paint();
    this.root.classList.toggle("mg-busy", player.wanted !== null);
    this.root.classList.toggle("mg-going-forward", player.index < 0);
    this.root.setAttribute("data-step", String(player.index));
    this.whole.paint();
    this.minimap.paint();
    this.whereabouts.paint();
    this.controls.paintZoom();
    this.hint.paint();
    // What asks for places comes last: each question after a change would have the page laid out once more.
    this.panels.reveal();
    this.legend.paint();
    if (this.shown !== frame) {
      this.shown = frame;
      this.revealStep();
    }
    this.paintNote();
  }

  /** Bring what runs, or will run next, into view, with its neighbours. */
  revealStep() {
    const { frame } = this.player;
    const id = frame?.box ?? frame?.next;
    if (!id) return;
    const { camera, picture } = this;
    const home = picture.layout.parent(picture.layout.shownFor(id));
    camera.reveal(picture.element(id), picture.neighbours(id), picture.drawnBoxes(), picture.groups.get(home)?.group);
  }

  /** The view has got its size: JupyterLab renders first and puts the element into its page afterwards. */
  settle() {
    const { clientWidth } = this.root; // none in a cell that is scrolled away: it stays as it was
    if (clientWidth && Math.abs(clientWidth - this.placedFor) > 8) {
      this.place();
      this.paint();
    }
    if (!this.camera.revealed) this.revealStep();
  }

  destroy() {
    clearInterval(this.controls.playing);
    clearTimeout(this.resting);
    this.tip.destroy();
    this.camera.destroy();
    this.paper.destroy();
    this.observer?.disconnect();
    this.player.listeners.delete(this.repaint);
    this.frame.remove();
  }
}

/**
 * anywidget's entry: show the model in `el`; returns what takes it away again.
 * @param {{ model: Model, el: HTMLElement }} what
 */
export function render({ model, el }) {
  const player = new Player(model);
  const stepper = new Stepper(player, el);
  return () => {
    stepper.destroy();
    player.destroy();
  };
}

export default { render };
