// The details of one box. After this module a reader knows all that a frame tells of a box: what made it, its value and gradient as far as
// they can be shown, what has changed since the frame before, what its rule saved, and every event so far, in order.

import { button, make, nameOf } from "./dom.mjs";
import { eventWord, signPicture } from "./marks.mjs";
import { asPython, change, copier, grid, heat, rowsOf } from "./values.mjs";

const KINDS = {
  leaf: () => "leaf, ends in AccumulateGrad",
  constant: () => "constant, needs no gradient",
  result: (about) => `result of ${about.op}`,
};

/** One event: its sign, its words, what it changed, and the line of code that it belongs to. */
export function eventItem(event, { at = null } = {}) {
  const item = make("li", { class: `mg-event mg-event-${event.kind}` }, signPicture(event.kind));
  const body = make("div", { class: "mg-event-body" });
  const title = make("span", { class: "mg-event-title" }, make("b", {}, event.title || eventWord(event.kind)));
  if (at !== null) title.append(make("span", { class: "mg-soft" }, ` · step ${at}`));
  body.append(title);
  if (event.text) body.append(make("div", { class: "mg-event-text", dir: "auto" }, event.text));
  const told = (value) => value !== null && value !== undefined;
  if (told(event.before) || told(event.after)) body.append(make("div", { class: "mg-event-change" }, change(readable(event.before), readable(event.after))));
  if (event.line) {
    const [file, number, source] = event.line;
    body.append(make("div", { class: "mg-event-line" }, make("span", { class: "mg-soft" }, `${file}:${number} `), make("code", { class: "mg-c" }, make("bdi", {}, source ?? ""))));
  }
  item.append(body);
  return item;
}

/** A value of an event: a text, or what frames say about an array ({full, text, alarm}). */
function readable(value) {
  if (value === null || value === undefined || typeof value !== "object") return value;
  if (value.alarm && !value.full) return `${value.alarm} in ${value.text}`;
  return value.full ?? value.text ?? JSON.stringify(value);
}

export class Inspector {
  constructor(player, picture, actions) {
    this.player = player;
    this.picture = picture;
    this.actions = actions;
    this.id = null;
    this.element = make("div", { class: "mg-inspector", hidden: true, role: "region", "aria-label": "the box that was clicked", tabindex: "-1" });
  }

  show(id) {
    const before = this.id;
    this.id = id === before ? null : id;
    this.picture.setInspected(this.id);
    this.paint();
    if (this.id === null && this.element.contains(document.activeElement)) this.picture.element(before)?.focus();
  }

  paint() {
    const about = this.picture.about(this.id);
    this.element.hidden = !about;
    if (!about) return;
    const { player } = this;
    const box = player.state(player.index).boxes[this.id] ?? {};
    const before = player.index > 0 ? (player.state(player.index - 1).boxes[this.id] ?? {}) : {};
    const key = `${this.id}|${player.index}|${player.breaksAt(this.id)}|${this.actions.highlighted() ?? ""}`;
    if (key === this.key && this.element.firstChild) return;
    this.key = key;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.getAttribute("data-act") : null;
    const parts = [this.head(about, box), this.facts(about, box, before)];
    const events = player.events(player.index, this.id);
    if (events.length) {
      const list = make("ol", { class: "mg-events" }, ...events.map((event) => eventItem(event, { at: event.at })));
      parts.push(make("div", { class: "mg-happened-here" }, make("h4", { class: "mg-title" }, "Events so far"), list));
    }
    this.element.replaceChildren(...parts);
    if (focused) this.element.querySelector(`[data-act="${focused}"]`)?.focus();
  }

  head(about, box) {
    const { id, player, actions } = this;
    const act = (name, label, face, action, pressed = null) => {
      const element = button(name, label, { face, picture: name === "close" ? "close" : null });
      element.setAttribute("data-act", name);
      if (pressed !== null) element.setAttribute("aria-pressed", String(pressed));
      element.addEventListener("click", action);
      return element;
    };
    const tools = make("div", { class: "mg-tools" });
    if ((this.picture.data.runs ?? []).includes(id)) {
      tools.append(act("to", `Run to here, to ${about.name} (r)`, "Run to here", () => actions.runTo(id)));
      tools.append(act("break", `Breakpoint at ${about.name} (b)`, "Breakpoint", () => actions.toggleBreak(id), player.breaksAt(id)));
    }
    tools.append(act("up", `Comes from: highlight what leads to ${about.name} (u)`, "Comes from", () => actions.highlight(id, "up"), actions.highlighted() === `${id} up`));
    tools.append(act("down", `Leads to: highlight what comes from ${about.name} (d)`, "Leads to", () => actions.highlight(id, "down"), actions.highlighted() === `${id} down`));
    const close = act("close", "close the details (Escape)", "", () => actions.inspect(null));
    close.classList.add("mg-close");
    const tags = [];
    if (about.needs_grad === false) tags.push("needs no grad");
    if (about.pruned || box.pruned) tags.push("pruned by inputs=");
    if (about.freed || box.freed) tags.push("saved tensors freed");
    if ((about.graph ?? 1) > 1) tags.push("graph of the gradient");
    const title = make("div", { class: "mg-inspected-name" }, nameOf(about.name), ...tags.map((tag) => make("span", { class: "mg-tag" }, tag)));
    return make("div", { class: "mg-inspector-head" }, title, tools, close);
  }

  facts(about, box, before) {
    const rows = [];
    const add = (word, body, extra = "") => {
      if (!body) return;
      const told = typeof body === "string" ? make("bdi", {}, body) : body;
      rows.push(make("div", { class: `mg-fact ${extra}` }, make("dt", {}, word), make("dd", {}, told)));
    };
    add("what", KINDS[about.kind]?.(about) ?? about.kind);
    if (about.path) add("module", about.path);
    add("made by", about.kind === "result" ? about.expression : "");
    add("shape", about.shape && `${about.shape}, ${about.dtype}`);
    this.value(add, "value", { ...about, text: about.value, statistics: about.statistics?.join(" · "), heat: this.picture.heatOf(this.id) }, null, about.name, about.kind === "leaf" ? about.name : null);
    if (about.kind !== "constant") {
      const text = { ...box, text: box.full, dtype: about.dtype, shape: about.shape };
      this.value(add, "grad now", text, before, `the gradient of ${about.name}`, about.kind === "leaf" ? `${about.name}.grad` : null);
      if (box.statistics) add("changed by", this.player.frame.differences?.[this.id] ?? "");
    }
    add("saved", about.saved?.map(([parameter, name, text]) => `${parameter}${name ? ` = ${name}` : ""}: ${text}`).join("; "));
    const version = box.version ?? about.version;
    const kept = box.saved_version ?? about.saved_version;
    if (version) add("version", kept !== undefined && kept !== null ? `${version}, saved at ${kept}` : String(version), kept !== undefined && kept !== null && kept !== version ? "mg-warn" : "");
    return make("dl", {}, ...rows);
  }

  /** A value or a gradient: its elements or its heat map, what changed, and a button that copies it. */
  value(add, word, now, before, what, variable) {
    const text = now.text ?? "";
    if (!text) return;
    const rows = rowsOf(text);
    const listed = rows !== null && !(now.shape && text === now.shape); // a large one says no more than its shape
    const old = before && before.full !== undefined && before.full !== now.full && !before.none ? before.full : null;
    const body = make("div", { class: "mg-value-shown" });
    if (now.alarm) body.append(make("strong", { class: "mg-warn" }, `⚠ ${typeof now.alarm === "string" ? now.alarm : now.grad?.replace("⚠ ", "")} in `));
    body.append(grid(text, old));
    if (now.where) body.append(make("span", { class: "mg-warn" }, now.where));
    const python = now.none ? "" : listed ? now.exact || asPython(text, now.dtype) : variable;
    if (python) body.append(copier(python, what));
    add(word, body, now.alarm ? "mg-warn" : "");
    if (now.heat) add(`${word === "value" ? "value" : "grad"} as a map`, heat(now.heat, `heat map of ${what}: min, mean and max ${now.statistics}`));
    if (now.statistics) {
      const earlier = before?.statistics && before.statistics !== now.statistics ? before.statistics : null;
      add("min · mean · max", earlier ? make("span", {}, make("s", { class: "mg-was" }, earlier), " → ", make("span", { class: "mg-changed" }, now.statistics)) : now.statistics);
    }
  }
}
