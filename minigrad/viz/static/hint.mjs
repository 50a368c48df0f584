// What is said to those who see a stepper for the first time: which button to press. It goes with the first click or step,
// and does not come back in this browser, where that may remember anything.

import { make } from "./dom.mjs";
import { recall, remember } from "./remembering.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const ROOM = 900; // pixels of a bar in which it has one line
const TEXT = "Press Next: it goes one node at a time.";

export class Hint {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.firstIndex = stepper.player.index;
    this.element = make("p", { class: "mg-hint", role: "note" }, TEXT);
    const wasSeen = recall("localStorage", "hint") !== null;
    this.element.hidden = wasSeen || stepper.player.atEnd || Boolean(stepper.player.picture.compared);
    stepper.root.addEventListener("click", () => this.end());
  }

  /** Beside the button where the bar has room, else below the drawing. */
  place() {
    const { stage, controls, root } = this.stepper;
    const width = root.clientWidth || ROOM;
    const around = width < ROOM ? stage : controls.element.querySelector(".mg-set-steps");
    if (this.element.parentNode !== around) around.append(this.element);
  }

  /** A step by a key is as good as a click. */
  paint() {
    if (this.stepper.player.index !== this.firstIndex) this.end();
  }

  /** No stepper of this page needs it any more. */
  end() {
    if (this.element.hidden) return;
    remember("localStorage", "hint", "seen");
    this.element.hidden = true;
    for (const other of document.querySelectorAll(".mg-hint")) other.setAttribute("hidden", "");
  }
}
