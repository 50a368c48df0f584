// What steps the pass: the bar above the drawing has what is used at every step, and "⋯" a menu with all the rest, by name
// and with its key. Each has a name for those who hear the page and a key for those who do not use a pointer.

import { EXAMPLE, parseCondition } from "./conditions.mjs";
import { button, icon, make, onLeaving, textField } from "./dom.mjs";
import { More } from "./menu.mjs";
import { SizeScale, spanOf } from "./sizes.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const SPEEDS = Object.entries({ slow: 2400, normal: 1300, fast: 600 }); // milliseconds between steps
const AT_ONCE = 800; // boxes and groups that are drawn within a second
const TOO_MANY = 2000; // 5,000 take half a minute, and show nothing

// What the longer ones of the buttons do.
const OVER = "step over: to the end of the module or call that comes next (o)";
const LEAVE = "step out: to the end of the module or call around this step (e)";
const PREDICT = "predict: type the numbers before you see them (p)";
const RUN = "run to breakpoint: on to the next breakpoint, or to the end (Enter)";
const SIZES = "‖g‖ in colours: edges and boxes by the size of their gradients (g)";
const FOLLOWS = "open what runs: the part that runs opens by itself, and closes when the step has left it";
const LEGEND = "legend: what the parts of this picture mean (?)";

const HOW_TO_WRITE_CONDITIONS = `Write g.norm(), g.max(), g.min() or g.mean(), a comparison and a number, as in ${EXAMPLE}; or nan, or inf.`;

export class Controls {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.player = stepper.player;
    this.playing = null;
    this.build();
  }

  press(name, label, options, action) {
    const element = button(name, label, options);
    element.addEventListener("click", () => {
      if (element.getAttribute("aria-disabled") !== "true") action();
    });
    return element;
  }

  build() {
    const { player } = this;
    this.buttons = { ...this.stepButtons(), ...this.menuButtons(), ...this.zoomButtons() };
    this.buttons.breaks.setAttribute("aria-expanded", "false");
    this.buttons.fit.setAttribute("aria-pressed", "false");
    this.buttons.sizes.setAttribute("aria-pressed", "false");
    this.buttons.predict.setAttribute("aria-pressed", String(player.picture.predict === true));
    this.count = make("span", { class: "mg-count", hidden: true });
    this.buttons.breaks.querySelector(".mg-face").after(this.count);
    this.slider = this.stepSlider();
    this.counter = make("span", { class: "mg-counter" });
    this.speed = this.speedChoice();
    const { back, next, last, over, leave, out, size, fit } = this.buttons;
    for (const part of [over, leave]) part.hidden = !player.levels.groups.length;
    this.marks = make("div", { class: "mg-strips", "aria-hidden": "true" });
    const group = (name, label, ...parts) =>
      make("div", { class: `mg-set mg-set-${name}`, role: "group", "aria-label": label }, ...parts);
    this.more = new More(this.menuGroups());
    this.found = [];
    this.searching = group("search", "search", this.searchBox());
    this.searching.hidden = true;
    this.going = make("span", { class: "mg-going" }); // the pause button, as long as something goes by itself
    this.element = make(
      "div",
      { class: "mg-bar" },
      group("steps", "steps", back, next),
      group("where", "where", make("div", { class: "mg-way" }, this.slider, this.marks), this.counter),
      group("end", "to the end, and more", this.going, last, this.more.button),
      this.searching,
    );
    this.scale = new SizeScale();
    this.zoom = group("zoom", "the drawing", out, size, this.buttons.in, fit);
    this.list = this.breakList();
  }

  /** What the menu has, under plain words. */
  menuGroups() {
    const { first, over, leave, play, run, breaks, find, sizes, predict, legend } = this.buttons;
    const folds = this.stepper.picture.layout.any ? [this.buttons.follows, ...this.foldButtons()] : [];
    this.ways = make("div", { class: "mg-more-row" }, play, this.speed);
    return {
      Go: [first, over, leave],
      "By itself": [this.ways, run, breaks],
      Look: [find, sizes, ...folds],
      Learn: [legend, predict, this.stepper.keys],
    };
  }

  stepButtons() {
    const { player } = this;
    const stepping = (name, label, options, action) =>
      this.press(name, label, options, () => {
        this.stop();
        action();
      });
    return {
      back: stepping("back", "back one step (arrow left)", { face: "Back" }, () => player.back()),
      next: stepping("next", "next: run one node (arrow right)", { face: "Next" }, () => this.forward()),
      last: stepping("last", "last: run to the end (End)", { face: "Last" }, () => player.last()),
    };
  }

  /** Those of the menu are called by what is seen of each: its word, and at the end of the row its key. */
  menuButtons() {
    const { player, stepper } = this;
    const entry = (name, label, key, face, action) => {
      const element = this.press(name, label, { face }, action);
      if (key) element.append(" ", make("kbd", {}, key));
      element.setAttribute("aria-label", element.textContent.trim());
      return element;
    };
    const step = (action) => () => {
      this.stop();
      action();
    };
    return {
      first: entry(
        "first",
        "first: before anything ran (Home)",
        "Home",
        "First",
        step(() => player.first()),
      ),
      over: entry(
        "over",
        OVER,
        "o",
        "Step over",
        step(() => player.over()),
      ),
      leave: entry(
        "leave",
        LEAVE,
        "e",
        "Step out",
        step(() => player.out()),
      ),
      play: entry("play", "play (space)", "space", "Play", () => {
        this.toggle();
        if (this.isBusy) this.buttons.play.focus(); // it is in the bar now
      }),
      run: entry(
        "run",
        RUN,
        "Enter",
        "Run to breakpoint",
        step(() => player.run()),
      ),
      breaks: entry("breaks", "breakpoints", "", "Breakpoints", () => this.toggleBreaks()),
      find: entry("find", "find a node (/)", "/", "Find a node", () => stepper.openSearch()),
      sizes: entry("sizes", SIZES, "g", "‖g‖ in colours", () => this.toggleSizes()),
      follows: entry("follows", FOLLOWS, "", "Open what runs", () => {
        player.follows = !player.follows;
      }),
      predict: entry("predict", PREDICT, "p", "Predict", () => this.togglePredict()),
      legend: entry("legend", LEGEND, "?", "Legend", () => stepper.legend.toggle()),
    };
  }

  zoomButtons() {
    return {
      out: this.press("out", "smaller (−)", {}, () => this.resize((camera) => camera.zoomOut())),
      size: this.press("size", "natural size (0)", { face: "100 %" }, () => this.resize((camera) => camera.zoom(1))),
      in: this.press("in", "larger (+)", {}, () => this.resize((camera) => camera.zoomIn())),
      fit: this.press("fit", "show the whole graph (f)", {}, () => this.fit()),
    };
  }

  /** What opens and closes all modules. */
  foldButtons() {
    const { stepper } = this;
    const closeAll = () => stepper.regroup(() => stepper.picture.layout.closeAll());
    return [
      this.press("open-all", "open all modules", { face: "Open all", picture: "in" }, () => this.openAll()),
      this.press("close-all", "close all modules", { face: "Close all", picture: "out" }, closeAll),
    ];
  }

  stepSlider() {
    const { player } = this;
    const [min, max] = [player.start, player.total];
    const attributes = { type: "range", class: "mg-slider", min, max, step: 1, value: min, "aria-label": "step" };
    const slider = make("input", attributes);
    slider.addEventListener("input", () => {
      const step = Number(slider.value); // before stop() paints the controls
      this.stop();
      player.go(step);
    });
    return slider;
  }

  /** How fast playing is. */
  speedChoice() {
    const choice = make("select", { class: "mg-speed", "aria-label": "speed of playing", title: "speed of playing" });
    for (const [name, pause] of SPEEDS)
      choice.append(make("option", { value: pause, selected: name === "normal" }, name));
    choice.addEventListener("change", () => {
      if (this.playing === null) return;
      this.stop();
      this.toggle();
    });
    return choice;
  }

  /**
   * Open all groups, if that many can be seen. What takes seconds is said first, and done when that has been painted.
   */
  openAll() {
    const { player, stepper } = this;
    const { layout } = stepper.picture;
    const open = () => stepper.regroup(() => layout.openAll());
    const count = layout.order.size;
    if (count <= AT_ONCE) {
      open();
      return;
    }
    const said =
      count > TOO_MANY
        ? `${count} boxes and groups are too many for one picture: open those that you want by a click, or search.`
        : `Drawing ${count} boxes and groups: this takes some seconds.`;
    player.note = said;
    player.tell();
    if (count > TOO_MANY) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (player.note === said) player.note = "";
        if (!player.gone) open();
      }),
    );
  }

  // ---------------------------------------------------------------- steps

  forward() {
    const { player } = this;
    if (this.stepper.predict.on && this.playing === null) this.stepper.predict.forward();
    else player.next();
  }

  togglePredict() {
    const { predict } = this.stepper;
    if (this.player.picture.compared) return; // the numbers of two passes are there to be looked at
    this.stop();
    predict.toggle();
    this.buttons.predict.setAttribute("aria-pressed", String(predict.on));
  }

  toggle() {
    const { player } = this;
    if (this.isBusy) {
      player.interrupt();
      this.stop();
      return;
    }
    player.note = ""; // why the run before ended is no reason to end this one
    if (player.atEnd) player.first();
    else this.forward();
    this.playing = setInterval(() => this.playOn(), Number(this.speed.value));
    this.paint();
  }

  /** The next step of playing, which ends at the end, at a failure, and where the page has something to say. */
  playOn() {
    const { player } = this;
    if (player.atEnd || player.note || player.problem.text) this.stop();
    else if (player.wanted === null) this.forward();
  }

  /** Whether there is something to be ended: playing, or a run in the kernel. */
  get isBusy() {
    return this.playing !== null || this.player.isRunning;
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.player.pause();
    this.paint();
  }

  /** Another size of the drawing, which then is what is seen. */
  resize(change) {
    this.stepper.whole.leave();
    change(this.stepper.camera);
  }

  /** The whole graph: as a picture of its own where its cards could not be read, and back; else all cards. */
  fit() {
    const { whole } = this.stepper;
    if (!whole.isShown) this.showWhole();
    else {
      whole.leave();
      this.stepper.paintView();
    }
  }

  showWhole() {
    const { whole, camera } = this.stepper;
    if (!whole.show()) camera.fit();
    this.stepper.paintView();
  }

  toggleSizes() {
    const { picture } = this.stepper;
    picture.showSizes(!picture.sizes);
    this.scale.element.hidden = !picture.sizes;
    this.stepper.camera.resize(); // on a narrow page the legend takes room
    this.buttons.sizes.setAttribute("aria-pressed", String(picture.sizes));
  }

  // ---------------------------------------------------------------- breakpoints

  breakList() {
    const field = textField(`condition, such as ${EXAMPLE} or nan`, { class: "mg-condition", placeholder: EXAMPLE });
    const complaint = make("span", { class: "mg-complaint", role: "status" });
    const form = make(
      "form",
      { class: "mg-new-break" },
      make("span", { class: "mg-soft" }, "stop when"),
      field,
      make("button", { type: "submit", class: "mg-button", "aria-label": "add the condition" }, "Add"),
      complaint,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!parseCondition(text)) {
        complaint.textContent = HOW_TO_WRITE_CONDITIONS;
        field.setAttribute("aria-invalid", "true");
        return;
      }
      complaint.textContent = "";
      field.removeAttribute("aria-invalid");
      field.value = "";
      this.player.breakWhen(text);
      this.stepper.panels.say(`A run stops when ${text}.`);
    });
    const nan = make(
      "button",
      { type: "button", class: "mg-button", "aria-label": "stop at the first NaN" },
      "first NaN",
    );
    nan.addEventListener("click", () => this.player.breakWhen("nan"));
    form.append(nan);
    this.breakItems = make("ul", { class: "mg-break-items" });
    return make(
      "div",
      { class: "mg-breaks", hidden: true, role: "region", "aria-label": "breakpoints" },
      this.breakItems,
      form,
    );
  }

  toggleBreaks() {
    const { hidden } = this.list;
    // What is hidden has no focus.
    if (!hidden && this.list.contains(document.activeElement)) this.more.button.focus();
    this.list.hidden = !hidden;
    this.buttons.breaks.setAttribute("aria-expanded", String(hidden));
    if (hidden) this.list.querySelector("input")?.focus();
  }

  paintBreaks() {
    const { breaks, picture } = this.player;
    if (this.paintedBreaks === breaks) return;
    this.paintedBreaks = breaks;
    this.count.hidden = breaks.length === 0;
    this.count.textContent = String(breaks.length);
    this.buttons.breaks.setAttribute("aria-label", `Breakpoints${breaks.length ? ` ${breaks.length}` : ""}`);
    const items = breaks.map((item, k) => {
      const what = item.box ? (picture.boxes?.[item.box]?.name ?? item.box) : (item.when ?? item.code);
      const remove = button("remove", `remove the breakpoint at ${what}`, { picture: "close" });
      remove.addEventListener("click", () => this.player.removeBreak(k));
      return make(
        "li",
        {},
        make("span", { class: "mg-stop-word", "aria-hidden": "true" }, "⬣"),
        make("bdi", {}, item.box ? `at ${what}` : what),
        item.code ? "" : remove,
      );
    });
    this.breakItems.replaceChildren(
      ...(items.length
        ? items
        : [make("li", { class: "mg-soft" }, "No breakpoints. Press b on a box, or add a condition.")]),
    );
  }

  // ---------------------------------------------------------------- search

  searchBox() {
    const looks = { type: "search", class: "mg-search", placeholder: "find a node" };
    this.search = textField("find a node by name, operation or module (/)", looks);
    this.hits = make("span", { class: "mg-hits", role: "status" });
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !(event.ctrlKey || event.altKey || event.metaKey)) {
        event.preventDefault();
        event.stopPropagation(); // with Shift it would run the cell
        this.nextHit(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape" && this.search.value) {
        this.search.value = "";
        this.find("");
        event.stopPropagation();
      }
    });
    onLeaving(this.search, () => {
      this.searching.hidden = !this.search.value; // it stays with what was found
    });
    return make("label", { class: "mg-search-box" }, icon("find"), this.search, this.hits);
  }

  find(text) {
    const words = text.trim().toLowerCase();
    const about = this.player.picture.boxes ?? {};
    const says = ({ name, op, expression, path }) =>
      [name, op, expression, path].some((part) => (part ?? "").toLowerCase().includes(words));
    this.found = words ? Object.keys(about).filter((id) => says(about[id])) : [];
    this.hit = -1;
    this.stepper.picture.setFound(this.found);
    this.hits.textContent = words ? (this.found.length ? String(this.found.length) : "none") : "";
  }

  nextHit(way) {
    if (!this.found.length) return;
    this.hit = (this.hit + way + this.found.length) % this.found.length;
    this.hits.textContent = `${this.hit + 1} of ${this.found.length}`;
    this.stepper.reach(this.found[this.hit]);
  }

  // ---------------------------------------------------------------- painting

  paint() {
    const { player } = this;
    const set = (element, off) => element.setAttribute("aria-disabled", off ? "true" : "false");
    set(this.buttons.first, player.index === player.start && player.wanted === null);
    set(this.buttons.back, player.index === player.start);
    const stuck = Boolean(player.problem.text) && player.index >= player.frames.length - 1;
    for (const name of ["next", "last", "run"]) set(this.buttons[name], player.atEnd || stuck);
    set(this.buttons.play, stuck && !this.isBusy);
    for (const name of ["over", "leave"]) set(this.buttons[name], player.atEnd || stuck);
    this.paintPlaying();
    this.slider.value = String(player.index);
    const place =
      player.index < 0
        ? `forward ${player.index - player.start + 1} of ${-player.start}`
        : `step ${player.index} of ${player.total}`;
    this.slider.setAttribute("aria-valuetext", place);
    this.slider.style?.setProperty("--mg-part", `${this.along(player.index)}%`);
    const runsToEnd = player.wanted === player.total && player.total - player.index > 1;
    const running = runsToEnd ? "running…" : `running step ${player.wanted}…`;
    this.counter.textContent = player.wanted === null ? place : running;
    this.buttons.follows.setAttribute("aria-pressed", String(player.follows));
    this.paintBreaks();
    this.paintStrips();
  }

  /** What ends a run stands in the bar as long as there is one. */
  paintPlaying() {
    const playing = this.isBusy;
    const { play, next } = this.buttons;
    if (this.paintedPlaying === playing) return;
    this.paintedPlaying = playing;
    play.querySelector(".mg-icon").replaceWith(icon(playing ? "pause" : "play"));
    play.querySelector(".mg-face").textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-label", playing ? "Pause" : "Play space");
    play.setAttribute("title", playing ? "pause (space)" : "play (space)");
    const hadFocus = play.contains(document.activeElement);
    if (playing) this.going.append(play);
    else this.ways.prepend(play);
    if (hadFocus) (playing ? play : next).focus({ preventScroll: true });
  }

  /** The scale of sizes, which grows with what has run. */
  paintScale() {
    const { player } = this;
    const { frames } = player;
    if (this.scaled === player.read) return;
    this.scaled = player.read;
    const span = spanOf(frames.flatMap(({ norms }) => Object.values(norms ?? {})));
    this.stepper.picture.setSpan(span);
    this.scale.paint(span);
  }

  /** How far along the slider a step is, in percent. */
  along(step) {
    const { start, total } = this.player;
    return (100 * (step - start)) / Math.max(total - start, 1);
  }

  /** The slider is marked by the outermost groups: where each begins, its name on a strip that leads there. */
  paintStrips() {
    const { player } = this;
    const known = player.frames.length;
    if (this.painted === known || !(player.levels.groups.length || player.start)) return;
    this.painted = known;
    const strips = player.groupsAmongSteps().map(([group, first, last]) => {
      const strip = make("span", {
        class: "mg-strip",
        title: `${group.path || group.name}: steps ${first} to ${last}`,
      });
      strip.style.left = `${this.along(first - 1)}%`;
      strip.style.width = `${this.along(last) - this.along(first - 1)}%`;
      strip.addEventListener("click", () => {
        this.stop();
        player.go(first - 1);
      });
      return strip;
    });
    if (player.start) {
      const turn = make("span", { class: "mg-turning", title: "from here on it goes backward" });
      turn.style.left = `${this.along(0)}%`;
      strips.push(turn);
    }
    this.marks.replaceChildren(...strips);
  }

  paintZoom() {
    const { camera, whole } = this.stepper;
    const size = whole?.isShown ? "whole" : `${Math.round(100 * camera.scale)} %`;
    this.buttons.size.querySelector(".mg-face").textContent = size;
    this.buttons.size.setAttribute("aria-label", `${size}, press for the natural size (0)`);
    this.buttons.fit.setAttribute("aria-pressed", String(camera.showsAll || whole?.isShown === true));
  }
}
