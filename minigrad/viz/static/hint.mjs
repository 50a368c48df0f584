// What is said to who sees this for the first time: which button to press. It goes with the first press, and does not
// come back in this browser.

import { make } from "./dom.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const SEEN = "minigrad-hint";
const ROOM = 900; // pixels of a bar in which it has one line
const TEXT = "Press Next: backward runs one node at a time.";

/** Whether the hint has been here before; a page that may store nothing shows it each time. */
function wasSeen() {
  try {
    return window.localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function setSeen() {
  try {
    window.localStorage.setItem(SEEN, "seen");
  } catch {
    // as in a page that was opened from a file, or where the reader allows no storage
  }
}

export class Hint {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.began = stepper.player.index;
    this.element = make("p", { class: "mg-hint", role: "note" }, TEXT);
    this.element.hidden = wasSeen() || stepper.player.atEnd || Boolean(stepper.player.picture.compared);
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
    if (this.stepper.player.index !== this.began) this.end();
  }

  /** No stepper of this page needs it any more. */
  end() {
    if (this.element.hidden) return;
    setSeen();
    this.element.hidden = true;
    for (const other of document.querySelectorAll(".mg-hint")) other.setAttribute("hidden", "");
  }
}
