// The details of one box, all that a frame tells of it: what made it, its value and gradient as far as they can be
// shown, what has changed since the frame before, what its rule saved, and every event so far, in order.

import { button, make, nameOf } from "./dom.mjs";
import { eventWord, signPicture } from "./marks.mjs";
import { valueShown } from "./values.mjs";

/** @import { About, Happened, State, Value } from "./model.d.ts" */
/** @import { Picture } from "./picture.mjs" */
/** @import { Player } from "./player.mjs" */
/** @import { Stepper } from "./stepper.mjs" */
/** @import { Readable } from "./values.mjs" */

// A name that Python knows as a variable's; those that begin with t or g and a number are ours.
const VARIABLE = /^(?![tg]\d+$)[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*|\[\d+\])*$/u;

const KINDS = {
  leaf: () => "leaf, ends in AccumulateGrad",
  constant: () => "constant, needs no gradient",
  result: (about) => `result of ${about.op}`,
};

/**
 * The learner's line that an event belongs to.
 * @param {Happened} event
 */
export function eventLine({ line }) {
  if (!line) return "";
  const [file, number, source] = line;
  return make(
    "div",
    { class: "mg-event-line" },
    make("span", { class: "mg-soft" }, `${file}, line ${number} `),
    make("code", { class: "mg-c" }, make("bdi", {}, source ?? "")),
  );
}

/**
 * One event: its sign, its words, what it changed, and the line of code that it belongs to.
 * @param {Happened} event
 * @param {{ at?: number | null }} options
 */
export function eventItem(event, { at = null } = {}) {
  const item = make("li", { class: `mg-event mg-event-${event.kind}` }, signPicture(event.kind));
  const body = make("div", { class: "mg-event-body" });
  const title = make("span", { class: "mg-event-title" }, make("b", {}, event.title || eventWord(event.kind)));
  if (at !== null) title.append(make("span", { class: "mg-soft" }, ` · step ${at}`));
  body.append(title);
  if (event.text) body.append(make("div", { class: "mg-event-text", dir: "auto" }, event.text));
  if (isTold(event.before) || isTold(event.after))
    body.append(make("div", { class: "mg-event-change" }, changeShown(event)));
  body.append(eventLine(event));
  item.append(body);
  return item;
}

const isTold = (value) => value !== null && value !== undefined;

/**
 * What an event changed: a text, or what frames say about an array.
 * @param {Happened} event
 */
function changeShown({ before, after, title }) {
  const [was, is] = [readable(before), readable(after)];
  return valueShown(is ?? was, {
    what: isTold(after) ? `what ${title} left` : `what ${title} got`,
    before: is ? was : null,
    arrow: true,
  });
}

/**
 * A value of an event, or one output of several, as the details show values.
 * @param {Value | string | null | undefined} value
 * @returns {Readable | null}
 */
function readable(value) {
  if (!isTold(value)) return null;
  if (typeof value !== "object") return { text: String(value) };
  const { full, text, statistics, difference_map: differenceMap, ...more } = value;
  return {
    ...more,
    text: full ?? text ?? JSON.stringify(value),
    statistics: statistics?.join(" · ") ?? "",
    differenceMap,
    none: text === "None",
  };
}

export class Inspector {
  /**
   * @param {Player} player
   * @param {Picture} picture
   * @param {Stepper} actions
   */
  constructor(player, picture, actions) {
    this.player = player;
    this.picture = picture;
    this.actions = actions;
    this.id = null;
    this.top = make("div", { class: "mg-inspector-part" });
    // Where a leaf's number is changed: it stays as it is while the rest is made anew.
    this.slot = make("div", { class: "mg-changing" });
    this.body = make("div", { class: "mg-inspector-part" });
    this.element = make(
      "div",
      { class: "mg-inspector", hidden: true, role: "region", "aria-label": "the box that was clicked", tabindex: "-1" },
      this.top,
      this.slot,
      this.body,
    );
  }

  /** @param {string | null} id */
  show(id) {
    const before = this.id;
    this.id = id === before ? null : id;
    this.picture.setInspected(this.id);
    this.paint();
    this.actions.changing.paintForm(this.id);
    if (this.id === null && this.element.contains(document.activeElement)) this.picture.element(before)?.focus();
  }

  paint() {
    const about = this.picture.about(this.id);
    this.element.hidden = !about;
    if (!about) return;
    const { player } = this;
    const box = player.state(player.index).boxes[this.id] ?? {};
    const before = player.index > 0 ? (player.state(player.index - 1).boxes[this.id] ?? {}) : {};
    const now = JSON.stringify(player.now[this.id] ?? "");
    const shown = [this.id, player.index, player.readings, now];
    const key = [...shown, player.breaksAt(this.id), this.actions.currentHighlight() ?? ""].join("|");
    if (key === this.key) return;
    this.key = key;
    const focused = this.element.contains(document.activeElement)
      ? document.activeElement.getAttribute("data-act")
      : null;
    const parts = [this.facts(about, box), this.cards(about, box, before)];
    const events = player.events(player.index, this.id);
    if (events.length) {
      const list = make("ol", { class: "mg-events" }, ...events.map((event) => eventItem(event, { at: event.at })));
      parts.push(make("div", { class: "mg-happened-here" }, make("div", { class: "mg-title" }, "Events so far"), list));
    }
    this.top.replaceChildren(this.head(about, box));
    this.body.replaceChildren(...parts);
    if (!focused) return;
    /** @type {HTMLElement | null} */
    const again = this.element.querySelector(`[data-act="${focused}"]`);
    again?.focus();
  }

  /**
   * @param {About} about
   * @param {Partial<State>} box
   */
  head(about, box) {
    const { id, player, actions } = this;
    const act = (name, label, face, action, pressed = null) => {
      const element = button(name, label, { face });
      element.setAttribute("data-act", name);
      if (pressed !== null) element.setAttribute("aria-pressed", String(pressed));
      element.addEventListener("click", action);
      return element;
    };
    const tools = make("div", { class: "mg-tools" });
    if ((this.picture.data.runs ?? []).includes(id)) {
      tools.append(act("to", `Run to here, to ${about.name} (r)`, "Run to here", () => actions.runTo(id)));
      tools.append(
        act(
          "break",
          `Breakpoint at ${about.name} (b)`,
          "Breakpoint",
          () => actions.toggleBreak(id),
          player.breaksAt(id),
        ),
      );
    }
    tools.append(
      act(
        "up",
        `Comes from: highlight what leads to ${about.name} (u)`,
        "Comes from",
        () => actions.highlight(id, "up"),
        actions.currentHighlight() === `${id} up`,
      ),
    );
    tools.append(
      act(
        "down",
        `Leads to: highlight what comes from ${about.name} (d)`,
        "Leads to",
        () => actions.highlight(id, "down"),
        actions.currentHighlight() === `${id} down`,
      ),
    );
    const close = act("close", "close the details (Escape)", "", () => actions.inspect(null));
    close.classList.add("mg-close");
    const tags = [];
    if (about.needs_grad === false) tags.push("needs no grad");
    if (about.pruned || box.pruned) tags.push("pruned by inputs=");
    if (about.freed || box.freed) tags.push("saved tensors freed");
    if ((about.graph ?? 1) > 1) tags.push("graph of the gradient");
    const title = make(
      "div",
      { class: "mg-inspected-name" },
      nameOf(about.name),
      ...tags.map((tag) => make("span", { class: "mg-tag" }, tag)),
    );
    return make("div", { class: "mg-inspector-head" }, title, tools, close);
  }

  /**
   * @param {About} about
   * @param {Partial<State>} box
   */
  facts(about, box) {
    const rows = [];
    const add = (word, body, extra = "") => {
      if (body)
        rows.push(
          make("div", { class: `mg-fact ${extra}` }, make("dt", {}, word), make("dd", {}, make("bdi", {}, body))),
        );
    };
    add("what", KINDS[about.kind]?.(about) ?? about.kind);
    if (about.path) add("module", about.path);
    add("made by", about.kind === "result" ? about.expression : "");
    add("shape", about.shape && `${about.shape}, ${about.dtype}`);
    add("written to since", about.was);
    add("it ran with", about.ran);
    add(
      "saved",
      about.saved?.map(([parameter, name, text]) => `${parameter}${name ? ` = ${name}` : ""}: ${text}`).join("; "),
    );
    const version = box.version ?? about.version;
    const kept = box.saved_version ?? about.saved_version;
    if (version)
      add(
        "version",
        isTold(kept) ? `${version}, saved at ${kept}` : String(version),
        isTold(kept) && kept !== version ? "mg-warn" : "",
      );
    return make("dl", {}, ...rows);
  }

  /**
   * The value and the gradient, each on a card: its elements or its map, what changed, and a button that copies it.
   * @param {About} about
   * @param {Partial<State>} box
   * @param {Partial<State>} before
   */
  cards(about, box, before) {
    const card = (title, ...shown) =>
      make("div", { class: "mg-value-card" }, make("div", { class: "mg-title" }, title), ...shown);
    const { name, kind } = about;
    const cards = [];
    if (about.outputs?.length > 1) {
      cards.push(
        card(
          "Values",
          ...about.outputs.map((output, k) => valueShown(readable(output), { what: `output ${k} of ${name}` })),
        ),
      );
    } else if (about.value) {
      const value = {
        ...about,
        text: about.value,
        statistics: about.statistics?.join(" · "),
        heat: this.picture.heatOf(this.id),
      };
      cards.push(card("Value", valueShown(value, { what: name, variable: VARIABLE.test(name) ? name : "" })));
    }
    if (kind !== "constant" && box.full) {
      const { frame } = this.player;
      const gradient = (state) => ({
        ...state,
        text: state.full,
        dtype: about.dtype,
        shape: about.shape,
        alarm: state.alarm ? state.grad.replace("⚠ ", "") : "",
      });
      const now = {
        ...gradient(box),
        difference: frame.differences?.[this.id],
        differenceMap: frame.difference_maps?.[this.id],
      };
      const was = before.full !== undefined && !before.none && before !== box ? gradient(before) : null;
      const variable = kind === "leaf" && VARIABLE.test(name) ? `${name}.grad` : "";
      cards.push(card("Gradient now", valueShown(now, { what: `the gradient of ${name}`, before: was, variable })));
    }
    return make("div", { class: "mg-cards" }, ...cards);
  }
}
