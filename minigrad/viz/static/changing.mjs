// Changing a number: what if a leaf held another one? It is typed or dragged in the details of the leaf, and the pass
// is computed once more, by the kernel, or on a page without one by the page itself where it can. As long as that is
// shown, a line above the picture says so and leads back to what ran. A nudge measures the slope: the result at a
// number, at one a little larger, and their quotient, beside `.grad`.

import { button, make, nameOf, textField } from "./dom.mjs";
import { numberFrom } from "./predict.mjs";
import { gradientOf, numberText, placeOf, resultOf, supposedBy } from "./whatif.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const HOW_TO_WRITE = "Write a number, as 0.5, -2e-3 or 2/3.";
const NEEDS_KERNEL =
  "To change a number needs the kernel here: run the cell again. " +
  "(A page computes small graphs of elementwise operations, products of matrices and sums itself.)";
const SAME_GRAPH = "The recorded graph, computed by this page in double precision.";
const UNTOUCHED = "Your .grad is left alone.";

/** The numbers of a value that Python wrote out, as in torch.tensor([0.1, float('nan')]). */
export function numbersOf(exact) {
  const words = exact.replace(/, dtype=.*$/, "").match(/float\('-?\w+'\)|-?\d[\d.]*(?:e[-+]?\d+)?/g) ?? [];
  const odd = { nan: NaN, inf: Infinity, "-inf": -Infinity };
  return words.map((word) => (word.startsWith("float") ? odd[word.slice(7, -2)] : Number(word)));
}

export class Changing {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.player = stepper.player;
    this.says = make("span", {});
    const back = button("ran", "back to what ran", { face: "Back to what ran" });
    back.addEventListener("click", () => {
      this.next = null;
      this.send({});
      this.stepper.root.focus({ preventScroll: true });
    });
    this.banner = make("div", { class: "mg-whatif", role: "status", hidden: true }, this.says, back);
    this.id = null;
    this.cell = 0;
    this.next = null; // what is to be asked as soon as the kernel has answered
  }

  /** What a leaf can be changed by: its numbers now and as it ran, and its shape; null where it cannot here. */
  leaf(id) {
    const { data } = this.stepper.picture;
    const ran = data.boxes?.[id];
    if (ran?.kind !== "leaf" || !ran.exact || !ran.dtype.startsWith("float")) return null;
    const numbers = numbersOf(this.stepper.picture.about(id).exact);
    return numbers.length
      ? { numbers, ran: numbersOf(ran.exact), shape: JSON.parse(ran.shape || "[]"), name: ran.name }
      : null;
  }

  /** The leaves that hold other numbers, with these. */
  changes() {
    return Object.fromEntries(
      (this.player.supposed?.changed ?? []).map((id) => [id, this.leaf(id)?.numbers]).filter(([, numbers]) => numbers),
    );
  }

  /** Ask for the pass with one number more changed, and where it is to be nudged. */
  change(value, nudge = null) {
    const { numbers, ran, shape } = this.leaf(this.id);
    const changes = this.changes();
    const changed = numbers.map((number, k) => (k === this.cell ? value : number));
    if (changed.every((number, k) => Object.is(number, ran[k]))) delete changes[this.id];
    else changes[this.id] = changed;
    this.send(changes, nudge && { box: this.id, cell: shape.length ? placeOf(shape, this.cell) : [], by: nudge });
  }

  send(changes, nudge = null) {
    const { player } = this;
    if (!player.hasKernel) {
      this.compute(changes, nudge);
    } else if (player.isAsking) {
      this.next = [changes, nudge];
    } else {
      player.ask(nudge ? { what_if: changes, nudge } : { what_if: changes });
    }
  }

  /** Without a kernel this page computes small graphs itself. */
  compute(changes, nudge) {
    const { player } = this;
    const { picture } = player;
    if (!Object.keys(changes).length && !nudge) {
      player.suppose({});
    } else if (!picture.program) {
      this.tell(NEEDS_KERNEL);
    } else {
      const recorded = (player.model.get("recorded") ?? []).map((text) => JSON.parse(text));
      const supposed = supposedBy(picture, recorded, changes, SAME_GRAPH);
      player.suppose(Object.keys(changes).length ? supposed : {});
      if (nudge) this.tell(this.nudgeInWords(changes, nudge));
    }
  }

  /** What a small step of one number does to the result, in words. */
  nudgeInWords(changes, { box, cell, by }) {
    const { picture } = this.player;
    const { numbers, shape, name } = this.leaf(box);
    const held = changes[box] ?? numbers;
    const k = cell.reduce((place, at, axis) => place * shape[axis] + at, 0);
    const moved = held.map((number, place) => (place === k ? number + by : number));
    const was = resultOf(picture.program, { ...changes, [box]: held });
    const now = resultOf(picture.program, { ...changes, [box]: moved });
    const [before, after] = [was, now].map((number) => String(Number(number.toPrecision(9))));
    const place = cell.length ? `[${cell.join(", ")}]` : "";
    const quotient = `(${after} − ${before}) / ${by} = ${numberText((now - was) / by)}`;
    const gradient = numberText(gradientOf(picture.program, changes, box)[k]);
    return (
      `${picture.root} is ${before}, and ${after} with ${name}${place} + ${by}: ${quotient}. ` +
      `${name}.grad${place} is ${gradient}.`
    );
  }

  /** Say what came of it, to those who hear the page as well. */
  tell(text) {
    this.word = text;
    this.said.textContent = text;
    if (text) this.stepper.panels.say(text);
  }

  // ---------------------------------------------------------------- painting

  /** Paint both parts. Returns whether what stands above the picture has come or gone. */
  paint() {
    const { player, stepper } = this;
    if (this.next && !player.isAsking) {
      const [changes, nudge] = this.next;
      this.next = null;
      this.send(changes, nudge);
    }
    const { supposed } = player;
    const was = this.banner.hidden;
    this.banner.hidden = !supposed;
    if (supposed && this.shown !== supposed) {
      const said = supposed.changes.map(([name, now, ran], k) => [
        k ? ", " : "",
        nameOf(name),
        ` = ${now}`,
        make("span", { class: "mg-soft" }, ` (it ran with ${ran})`),
      ]);
      this.says.replaceChildren(
        make("b", {}, "What if "),
        ...said.flat(),
        "? ",
        make("span", { class: "mg-soft" }, `${supposed.note} ${player.hasKernel ? UNTOUCHED : ""}`),
      );
      this.banner.setAttribute("title", supposed.note);
    }
    this.shown = supposed;
    this.paintForm(stepper.inspector.id);
    return was !== this.banner.hidden;
  }

  paintForm(id) {
    const { slot } = this.stepper.inspector;
    const leaf = this.leaf(id);
    slot.hidden = !leaf;
    if (!leaf) {
      this.id = null;
      return;
    }
    if (id !== this.id) {
      this.id = id;
      this.cell = 0;
      this.heard = this.player.other.word; // what was said of another leaf
      slot.replaceChildren(this.form(leaf));
      this.take(leaf);
    }
    const { word } = this.player.other;
    if (word !== this.heard) {
      this.heard = word;
      this.tell(word ?? "");
    }
    if (this.taken !== leaf.numbers[this.cell]) this.take(leaf);
  }

  /** Show the number that there is in the field and on the slider, unless it is being written. */
  take(leaf) {
    const value = leaf.numbers[this.cell];
    this.taken = value;
    const around = /** @type {Document | ShadowRoot} */ (this.stepper.root.getRootNode());
    const active = around.activeElement;
    if (active !== this.slider || !this.dragging) this.slider.value = String(value);
    if (active !== this.field || numberFrom(this.field.value)?.value !== value) this.field.value = String(value);
  }

  form(leaf) {
    const { ran, shape, name } = leaf;
    const looks = { class: "mg-condition mg-answer" };
    this.field = textField(`another number for ${name}`, looks);
    this.slider = make("input", { type: "range", class: "mg-slider", "aria-label": `drag the number of ${name}` });
    this.step = textField("by how much", { ...looks, value: "0.001" });
    this.said = make("p", { class: "mg-predict-word", role: "status" });
    const cells = make("select", { class: "mg-speed", "aria-label": "which number", hidden: ran.length === 1 });
    for (const k of ran.keys()) cells.append(make("option", { value: k }, `[${placeOf(shape, k).join(", ")}]`));
    this.scaleSlider(ran);
    cells.addEventListener("change", () => {
      this.cell = Number(cells.value);
      this.scaleSlider(ran);
      this.take(this.leaf(this.id));
    });
    this.slider.addEventListener("input", () => {
      this.dragging = true;
      this.field.value = String(Number(Number(this.slider.value).toPrecision(6)));
      this.change(Number(this.field.value));
    });
    this.slider.addEventListener("change", () => {
      this.dragging = false;
    });
    const compute = make("button", { type: "submit", class: "mg-button" }, "Compute");
    const question = make("label", {}, make("b", {}, "What if ", nameOf(name)));
    const first = make("form", { class: "mg-asked" }, question, cells, " = ", this.field, this.slider, compute);
    first.addEventListener("submit", (event) => {
      event.preventDefault();
      this.changeAsWritten();
    });
    const nudge = button("nudge", `nudge: what a small step of ${name} does to the result`, { face: "Nudge" });
    const second = make("form", { class: "mg-asked" }, nudge, " by ", this.step);
    second.addEventListener("submit", (event) => {
      event.preventDefault();
      this.nudgeAsWritten();
    });
    nudge.addEventListener("click", () => this.nudgeAsWritten());
    const label = `change ${name}`;
    return make("div", { class: "mg-predict", role: "group", "aria-label": label }, first, second, this.said);
  }

  /** The slider's middle is the number that ran; to both sides it reaches twice that number's size, or 1. */
  scaleSlider(ran) {
    const middle = Number.isFinite(ran[this.cell]) ? ran[this.cell] : 0;
    const span = Math.max(1, Math.abs(2 * middle));
    const range = { min: middle - span, max: middle + span, step: span / 100 };
    for (const [attribute, value] of Object.entries(range))
      this.slider.setAttribute(attribute, String(Number(value.toPrecision(6))));
  }

  /**
   * The number in a field; null where there is none that can be used, which is said.
   * @param {HTMLInputElement} field
   */
  writtenNumber(field, isStep = false) {
    const given = numberFrom(field.value)?.value;
    const isUsable = Number.isFinite(given) && !(isStep && given === 0);
    field.setAttribute("aria-invalid", String(!isUsable));
    if (isUsable) return given;
    if (given === undefined || Number.isNaN(given)) this.tell(HOW_TO_WRITE);
    else if (given === 0) this.tell("A step of 0 changes nothing.");
    else this.tell("That is larger than any number here: write a finite one.");
    return null;
  }

  changeAsWritten() {
    const value = this.writtenNumber(this.field);
    if (value === null) return;
    this.tell("");
    this.change(value);
  }

  nudgeAsWritten() {
    const value = this.writtenNumber(this.field);
    const step = this.writtenNumber(this.step, true);
    if (value === null || step === null) return;
    this.heard = "";
    this.change(value, step);
  }
}
