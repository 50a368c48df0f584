// Predicting: who runs next, and the numbers of a step, before they are shown. While a number is asked for, the player
// gives out the frame without it (`hiddenAt`), so that no part of the page can tell. What was answered is compared with
// the recorded frame; where a wrong answer is what is left when a factor, a sign or a sum is forgotten, that is said.

import { button, make, nameOf, textField } from "./dom.mjs";
import { textOf } from "./panels.mjs";

/** @import { Frame, Question, State } from "./model.d.ts" */
/** @import { Stepper } from "./stepper.mjs" */

/** @typedef {{ value: number, decimals: number, digits: number }} Answer a number, and how exactly it was written */
/** @typedef {{ edge: string | null, value: number, came: number | null, held: number | null }} Asked */

const UNSEEN = "?";
const NEAR = 0.002; // of the number: an answer so near is right, however it was written
const NOT_THAT = "Not that. What arrived at the node, g, stands in its box; its rule makes of that what goes on.";
const HOW_TO_ANSWER = "Write a number, as 0.5, -2e-3 or 2/3.";

const ODD_NUMBERS = {
  nan: NaN,
  inf: Infinity,
  "+inf": Infinity,
  infinity: Infinity,
  "-inf": -Infinity,
  "-infinity": -Infinity,
};
const ARITHMETIC = /\*\*|[-+*/()]|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|\S/g;

/**
 * The value of what is computed with + - * / ** and brackets; NaN where that is not what the tokens are.
 * @param {string[]} tokens
 * @returns {number}
 */
function calculate(tokens) {
  let at = 0;
  const take = (...words) => (words.includes(tokens[at]) ? tokens[at++] : null);
  const atom = () => {
    if (take("(")) {
      const inside = sum();
      return take(")") ? inside : NaN;
    }
    return /^[\d.]/.test(tokens[at] ?? "") ? Number(tokens[at++]) : NaN;
  };
  const power = () => {
    const base = atom();
    return take("**") ? base ** sign() : base;
  };
  const sign = () => (take("-") ? -sign() : take("+") ? sign() : power());
  const product = () => {
    let value = sign();
    for (let word = take("*", "/"); word; word = take("*", "/")) value = word === "*" ? value * sign() : value / sign();
    return value;
  };
  const sum = () => {
    let value = product();
    for (let word = take("+", "-"); word; word = take("+", "-"))
      value = word === "+" ? value + product() : value - product();
    return value;
  };
  const value = sum();
  return at < tokens.length ? NaN : value;
}

/**
 * What a learner writes for a number: 0.667, 2/3, 2*(-3), nan. Returns {value, decimals, digits}, or null.
 * @param {string} text
 * @returns {Answer | null}
 */
export function numberFrom(text) {
  const lower = text.trim().toLowerCase();
  const plain = lower.replaceAll("−", "-").replaceAll("×", "*").replaceAll("·", "*").replaceAll("^", "**");
  if (Object.hasOwn(ODD_NUMBERS, plain)) return { value: ODD_NUMBERS[plain], decimals: Infinity, digits: Infinity };
  const value = calculate(plain.match(ARITHMETIC) ?? []);
  if (Number.isNaN(value)) return null;
  const simple = /^[-+]?(\d*)\.?(\d*)$/.exec(plain);
  if (!simple) return { value, decimals: Infinity, digits: Infinity };
  return { value, decimals: simple[2].length, digits: `${simple[1]}${simple[2]}`.replace(/^0+/, "").length };
}

/**
 * Whether an answer is a number, as nearly as it was written: 0.67 is 2/3, and 1 is not.
 * @param {Answer} answer
 * @param {number} value
 */
export function isRight(answer, value) {
  if (Number.isNaN(value)) return Number.isNaN(answer.value);
  if (answer.value === value) return true;
  if (!Number.isFinite(value) || !Number.isFinite(answer.value)) return false;
  const away = Math.abs(answer.value - value);
  if (away <= NEAR * Math.abs(value)) return true;
  return answer.digits >= 2 && away <= 0.5 * 10 ** -answer.decimals * (1 + 1e-9);
}

/**
 * What is wrong with a wrong answer, where that can be told: [kind, sentence]; null where it cannot.
 * @param {Answer} answer
 * @param {Asked} question
 * @param {string} gradient what sentences call the one that came
 */
export function mistakeIn(answer, { edge, value, came, held }, gradient = "g") {
  const is = (number) => Number.isFinite(number) && number !== value && isRight({ ...answer, digits: 0 }, number);
  const g = came === null ? null : Number(Number(came).toPrecision(4));
  const before = held === null ? null : Number(Number(held).toPrecision(4));
  if (value !== 0 && is(-value)) return ["sign", "The size is right, the sign is not."];
  if (edge === null) {
    if (held !== null && is(value - held))
      return ["sum", `That is what arrived. There was ${before} before, and backward() adds.`];
    if (held !== null && is(held)) return ["sum", "That is what was there before: what arrived is still to be added."];
  } else {
    if (held !== null && is(value + held))
      return ["sum", `That is the sum with the ${before} that was there. Asked is what flows along this edge alone.`];
    if (came !== null && is(came))
      return [
        "factor",
        `That is ${gradient}, as it arrived (${g}): a factor is missing, how this input changes the result.`,
      ];
    if (came && is(value / came))
      return [
        "factor",
        `That is how this input changes the result: it is still to be multiplied by ${gradient} = ${g}.`,
      ];
  }
  if (value !== 0 && (is(value / 2) || is(value * 2)))
    return ["factor", `A factor of 2 is ${Math.abs(answer.value) < Math.abs(value) ? "missing" : "too many"}.`];
  return null;
}

export class Predict {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.player = stepper.player;
    this.index = null; // the step whose numbers are asked for
    this.tally = { nodes: [0, 0], numbers: [0, 0], missed: {} };
    this.said = make("p", { class: "mg-predict-word", role: "status" });
    this.element = make("div", { class: "mg-predict", hidden: true, role: "group", "aria-label": "predict" });
    this.player.hide = (frame) => this.hiddenAt(frame);
    this.on = this.player.picture.predict === true;
    this.end();
  }

  toggle() {
    this.on = !this.on;
    this.end();
  }

  /** Nothing is hidden any more; who runs next is asked. */
  end() {
    this.index = null;
    this.answered = new Set();
    this.tried = 0;
    this.word = "";
    this.player.reveal();
  }

  // ---------------------------------------------------------------- what is hidden

  /** @param {Frame} frame */
  questions(frame) {
    return this.on && frame && frame.index === this.index ? (frame.questions ?? []) : [];
  }

  /** @param {Frame} frame */
  open(frame) {
    return this.questions(frame).filter((_, k) => !this.answered.has(k));
  }

  /**
   * What a frame may not show yet: the edges and boxes of some numbers, and who runs next. Null where it may show all.
   * @param {Frame} frame
   */
  hiddenAt(frame) {
    const open = this.open(frame);
    if (!this.on || !(frame?.index >= 0) || !(open.length || frame.next)) return null;
    return {
      edges: new Set(open.map(({ edge, box }) => edge ?? box)),
      boxes: new Set(open.map(({ box }) => box)),
      text: UNSEEN,
    };
  }

  // ---------------------------------------------------------------- who is next

  /** The frame with all that it tells. */
  get present() {
    return this.player.at(this.player.index);
  }

  /** Whether a click on a box is an answer. */
  get asksWho() {
    const { player } = this;
    return (
      this.on &&
      !this.open(this.present).length &&
      player.index >= 0 &&
      Boolean(this.present?.next) &&
      player.wanted === null
    );
  }

  /** @param {string} box */
  choose(box) {
    const { player } = this;
    const { ready, next } = this.present;
    const name = (id) => player.picture.boxes?.[id]?.name ?? id;
    if (box === next) {
      this.count("nodes", this.tried === 0);
      this.step();
      this.note(`${name(box)} it is.`);
      return;
    }
    this.tried += 1;
    this.note(`${name(box)} ${ready.includes(box) ? this.whyAfter(next) : this.whyNotReady(box)}.`);
  }

  /**
   * Why a box that is ready as well comes after the next one.
   * @param {string} next
   */
  whyAfter(next) {
    const { boxes, own } = this.player.picture;
    const isReady = "is ready as well, but";
    if (boxes?.[next]?.kind === "leaf") return `${isReady} a leaf takes its gradient first`;
    if (own) return `${isReady} the engine's own order says otherwise`;
    return `${isReady} of those that are ready the engine takes the one that was made last`;
  }

  /**
   * Why a box that is not ready cannot be next.
   * @param {string} box
   */
  whyNotReady(box) {
    const { player } = this;
    /** @type {Partial<State>} */
    const { state, arrived, needed } = player.state(player.index).boxes[box] ?? {};
    if (state === "done" || state === "ran") return "has run already";
    if (state === "off" || state === undefined) return "does not run: no gradient goes there";
    return `still waits: ${arrived} of ${needed} gradients have arrived`;
  }

  /** On to the next step, whose numbers are asked for. */
  step() {
    const { player } = this;
    const from = player.wanted ?? player.index;
    this.end();
    if (from >= 0) this.index = from + 1;
    player.go(from + 1);
  }

  /** What Next does: show what is asked for, else go on. */
  forward() {
    const open = this.open(this.present);
    if (!open.length) {
      if (this.asksWho) this.count("nodes", false);
      this.step();
      return;
    }
    for (const _ of open) this.count("numbers", false);
    this.end();
  }

  // ---------------------------------------------------------------- a number

  /** @param {string} text */
  answer(text) {
    const frame = this.present;
    const k = this.questions(frame).findIndex((_, place) => !this.answered.has(place));
    const question = questionInNumbers(this.questions(frame)[k]);
    const given = numberFrom(text);
    if (!given) {
      this.note(HOW_TO_ANSWER);
      return;
    }
    if (!isRight(given, question.value)) {
      const why = mistakeIn(given, question, this.player.gradient);
      if (this.tried === 0 && why) this.tally.missed[why[0]] = (this.tally.missed[why[0]] ?? 0) + 1;
      this.tried += 1;
      const rules = frame.story.filter((line) => line.why && line.kind === "code").map(textOf);
      this.note(why ? why[1] : [NOT_THAT, ...rules].join("\n"));
      return;
    }
    this.count("numbers", this.tried === 0);
    this.answered.add(k);
    this.tried = 0;
    if (this.answered.size === this.questions(frame).length) this.end();
    this.note("Right.");
  }

  count(what, right) {
    this.tally[what][0] += Number(right);
    this.tally[what][1] += 1;
  }

  /** How it went, once all has run. */
  get result() {
    const said = Object.entries({ nodes: "nodes", numbers: "numbers" }).flatMap(([name, word]) => {
      const [right, all] = this.tally[name];
      return all ? [`${right} of ${all} ${word}`] : [];
    });
    const kinds = Object.entries(this.tally.missed).map(
      ([kind, times]) => `a ${kind} ${times === 1 ? "once" : `${times} times`}`,
    );
    return said.length
      ? `Right at the first try: ${said.join(", ")}.${kinds.length ? ` Missed: ${kinds.join(", ")}.` : ""}`
      : "";
  }

  // ---------------------------------------------------------------- painting

  note(text) {
    this.word = text;
    this.player.reveal();
    this.stepper.panels.say(text);
  }

  paint() {
    const frame = this.present;
    const [question] = this.open(frame);
    this.element.hidden = !this.on || frame.index < 0;
    if (this.element.hidden) return;
    const asked = question ? JSON.stringify([frame.index, question]) : `${this.asksWho} ${Boolean(frame.next)}`;
    if (asked !== this.shown) {
      this.shown = asked;
      this.element.replaceChildren(...this.parts(question, frame.next), this.said);
      if (question && this.stepper.root.contains(document.activeElement)) this.field.focus({ preventScroll: true });
    }
    this.said.textContent = this.word;
  }

  /**
   * What is asked: a number, or who runs next; at the end, how it went.
   * @param {Question | undefined} question
   * @param {string | null} next
   */
  parts(question, next) {
    if (question) return [this.form(question)];
    if (this.asksWho)
      return [make("p", {}, make("b", {}, "Which node runs next?"), " Click it, or press Enter on it.")];
    return next ? [] : [make("p", {}, this.result)];
  }

  /** @param {Question} question */
  form({ edge, box, cell }) {
    const name = nameOf(this.player.picture.boxes?.[box]?.name ?? box);
    const words =
      edge === null
        ? ["What is ", name, `.grad${cell} now?`]
        : ["What goes to ", name, cell ? `, cell ${cell}` : "", "?"];
    this.field = textField("your number", { class: "mg-condition mg-answer" });
    const show = button("reveal", "show the numbers of this step", { face: "Show" });
    show.addEventListener("click", () => this.forward());
    const form = make(
      "form",
      { class: "mg-asked" },
      make("label", {}, make("b", {}, ...words)),
      this.field,
      make("button", { type: "submit", class: "mg-button" }, "Check"),
      show,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.answer(this.field.value);
      this.field.select();
    });
    return form;
  }
}

/**
 * A question with its numbers as numbers: NaN and infinity come as texts.
 * @param {Question} question
 * @returns {Asked}
 */
function questionInNumbers(question) {
  const number = (value) => (typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value);
  return { ...question, value: number(question.value), came: number(question.came), held: number(question.held) };
}
