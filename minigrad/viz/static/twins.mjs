// What is the same thing lights up together: a box, its name in the sentence, its token in the line of code, the
// numbers on its edges. Pointing at one of them does it, or the focus on a box. Only a class changes, so that nothing
// moves and nothing is said twice to those who hear the page.

import { make } from "./dom.mjs";

/** @import { About } from "./model.d.ts" */
/** @import { Picture } from "./picture.mjs" */
/** @import { Player } from "./player.mjs" */

const TWINS = "[data-box], [data-group], [data-chip], .mg-a-name, .mg-token";
// A variable, also a longer way such as net.head.weight or w[0].
const WORD = /[\p{L}_][\p{L}\p{N}_₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_]*|\[[^\][]*\])*/gu;
const ASSIGNED = /^\s*(?:[-+*/@%]|\*\*|\/\/)?=(?!=)/; // what follows the name that a line gives its result

/**
 * What a box is called: by its name, and where it has several results, by that of each.
 * @param {About | undefined} about
 */
function namesOf(about) {
  const name = about?.name ?? "";
  return about?.outputs?.length ? [name, ...name.split(", ")] : [name];
}

export class Twins {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} panels what is searched for words at each step, and not the drawing, which may be large
   * @param {Player} player
   * @param {Picture} picture
   */
  constructor(root, panels, player, picture) {
    this.panels = panels;
    this.player = player;
    this.picture = picture;
    this.pointed = []; // the boxes that the pointer is at, wherever on the page
    this.focused = []; // those that have the focus
    this.lit = [];
    const { boxes = {}, edges = [] } = picture.data;
    this.named = new Map(Object.entries(boxes).flatMap(([id, about]) => namesOf(about).map((name) => [name, id])));
    this.ends = new Map(edges.map(([edge, ...ends]) => [edge, ends]));
    this.sources = {}; // of each box
    this.targets = {};
    for (const [, source, target] of edges) {
      this.sources[target] ??= [];
      this.sources[target].push(source);
      this.targets[source] ??= [];
      this.targets[source].push(target);
    }
    root.addEventListener("pointerover", (event) => this.point("pointed", event.target));
    root.addEventListener("pointerleave", () => this.point("pointed", null));
    root.addEventListener("focusin", (event) => {
      const target = /** @type {Element} */ (event.target);
      this.point("focused", target.matches(":focus-visible") ? target : null);
    });
    root.addEventListener("focusout", () => this.point("focused", null));
  }

  point(how, target) {
    const twin = target?.closest?.(TWINS);
    const ids = twin ? this.boxesOf(twin) : [];
    if (ids.join() === this[how].join()) return;
    this[how] = ids;
    this.light();
  }

  /** The boxes that a part of the page stands for. */
  boxesOf(twin) {
    const [box, group, chip] = ["data-box", "data-group", "data-chip"].map((name) => twin.getAttribute(name));
    if (box) return [box];
    if (group) return this.picture.layout.open.has(group) ? [] : (this.picture.layout.inside.get(group) ?? []);
    if (chip) return [...new Set(chip.split(" ").flatMap((edge) => this.ends.get(edge) ?? []))];
    const text = twin.textContent;
    const id = twin.twin ?? this.named.get(text) ?? this.named.get(text.replace(/\.grad$/, ""));
    return id ? [id] : [];
  }

  light() {
    for (const element of this.lit) element.classList.remove("mg-twin");
    const ids = new Set(this.pointed.length ? this.pointed : this.focused);
    const texts = ids.size ? [...this.panels.querySelectorAll(".mg-a-name, .mg-token")] : [];
    const chips = [...(ids.size ? this.picture.wires.values() : [])].filter(({ members }) =>
      members.some((edge) => this.ends.get(edge)?.some((end) => ids.has(end))),
    );
    const elements = [...ids].map((id) => this.picture.element(id)).filter(Boolean);
    this.lit = [
      ...elements,
      ...texts.filter((text) => this.boxesOf(text).some((id) => ids.has(id))),
      ...chips.map(({ chip }) => chip.group),
    ];
    for (const element of this.lit) element.classList.add("mg-twin");
  }

  /** Another frame is told: find the boxes that its formulas and its line of code speak of. */
  paint(frame) {
    for (const element of this.panels.querySelectorAll(".mg-token")) {
      const around = element.parentNode;
      element.replaceWith(element.textContent);
      around.normalize();
    }
    for (const formula of this.panels.querySelectorAll(".mg-story .mg-c bdi"))
      this.mark(formula, (word) => this.named.get(word) ?? (word === this.player.gradient ? frame.box : null));
    for (const line of this.panels.querySelectorAll(".mg-lit .mg-text, .mg-lit .mg-mark"))
      this.mark(line, (word, rest) => this.inLine(word, frame.box, line.matches(".mg-mark"), ASSIGNED.test(rest)));
    this.light();
  }

  /**
   * The box of a variable in the line that made a box: `h` is one of h₁, h₂ ... there, that which went in, or left of
   * the sign, what comes out.
   */
  inLine(word, box, isInside, isAssigned) {
    const { boxes } = this.picture.data;
    const sources = this.sources[box] ?? [];
    // Of (x - m) / s only the sign is marked, and s stands beside it.
    const near = new Set(isInside ? sources : isAssigned ? [box] : [...sources, box]);
    for (const id of near) {
      if (namesOf(boxes[id]).some((name) => name === word || name.replace(/[₀-₉]+$/, "") === word)) return id;
      // The line's own result comes after what else is made in it.
      if (isAssigned) for (const target of this.targets[id] ?? []) near.add(target);
    }
    const any = this.named.get(word);
    return any && boxes[any].kind !== "result" ? any : null;
  }

  /** Set the words of a text apart that stand for a box. */
  mark(element, boxOf) {
    for (const node of [...element.childNodes].filter(({ nodeType }) => nodeType === 3)) {
      const parts = [];
      let end = 0;
      const text = node.textContent;
      for (const { 0: found, index } of text.matchAll(WORD)) {
        // X.sum, then x; xᵀ, then x.
        const words = found.split(/(?=[.[ᵀ])/).map((_, k, all) => all.slice(0, all.length - k).join(""));
        const rest = text.slice(index + found.length);
        const word = words.find((one) => boxOf(one, rest));
        if (!word) continue;
        const token = Object.assign(make("span", { class: "mg-token" }, word), { twin: boxOf(word, rest) });
        parts.push(text.slice(end, index), token);
        end = index + word.length;
      }
      if (parts.length) node.replaceWith(...parts, text.slice(end));
    }
  }
}
