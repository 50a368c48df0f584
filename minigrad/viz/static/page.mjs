// The kernel's part on a page that has no kernel: a model for each recorded pass, with what anywidget's models can do.
// Each <div class="minigrad-recorded"> holds what the widget's model held, as JSON. The stepper (`minigradStepper`,
// which stands before this text in the same script, as do pack.mjs, kept.mjs and plain.mjs) is shown in its place.

import { renderKept } from "./kept.mjs";
import { unpack } from "./pack.mjs";
import { PlainModel } from "./plain.mjs";

{
  let passes = []; // all that are shown: of each its model, its frames and the element that says which step it is at

  /** @type {NodeListOf<HTMLElement>} */
  const recorded = document.querySelectorAll(".minigrad-recorded");
  const shown = [...recorded].map(async (place) => {
    const model = new PlainModel(JSON.parse(place.dataset.pass));
    const el = document.createElement("div");
    place.append(el);
    try {
      const kept = await unpack(model.get("kept")); // first: a stepper that is seen can be clicked
      await renderKept(globalThis.minigradStepper.render, model, el, true);
      place.querySelector(".minigrad-still")?.remove();
      return { model, kept, element: el.querySelector(".minigrad-stepper"), first: model.get("index") };
    } catch (/** @type {any} */ error) {
      el.replaceChildren(`This browser cannot show the steps: ${error.message}`);
    }
  });

  // The address says where each pass stands: #step=5, or #step=,5 for the second of the page. #D is where the box D
  // runs.
  const follow = () => {
    let text = "";
    try {
      text = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // no text
    }
    const steps = /^step=([-\d,]+)$/.exec(text)?.[1].split(",");
    for (const [k, { model, kept, element }] of passes.entries()) {
      const id = document.getElementById(text)
        ? null
        : Object.keys(kept.picture.boxes ?? {}).find((box) => kept.picture.boxes[box].name === text);
      const runs = kept.frames.findIndex((frame) => id && JSON.parse(frame).box === id);
      const step = steps ? Number(steps[k] || NaN) : runs > 0 ? runs : NaN;
      if (!(step < kept.frames.length && step >= 0 - (kept.picture.forward ?? []).length)) continue;
      model.set("index", step);
      if (steps) continue;
      element.scrollIntoView({ block: "nearest" });
      return;
    }
  };
  const tell = (isFirst = false) => {
    const steps = passes.map(({ element, first }) => [Number(element.getAttribute("data-step")), first]);
    const last = steps.findLastIndex(([step, first]) => step !== first);
    if (isFirst && last < 0) return follow();
    const text = steps
      .slice(0, Math.max(last, 0) + 1)
      .map(([step, first], k) => (step === first && k < last ? "" : step));
    try {
      history.replaceState(history.state, "", `#step=${text.join(",")}`);
    } catch {
      // a page inside another one has no address of its own
    }
  };
  Promise.all(shown).then((all) => {
    passes = all.filter(Boolean);
    tell(true); // who was quick has stepped one before the last was there: that counts more than the address
    addEventListener("hashchange", follow);
    const hasStepped = ({ target, oldValue }) => target.getAttribute("data-step") !== oldValue;
    const observer = new MutationObserver((changes) => {
      if (changes.some(hasStepped)) tell();
    });
    for (const { element } of passes)
      observer.observe(element, { attributeFilter: ["data-step"], attributeOldValue: true });
  });

  // The steps in words are folded away where the stepper works, and unfolded on paper.
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const inWords = document.querySelectorAll("details.minigrad-words");
  for (const words of inWords) {
    words.open = false;
    let folded = false;
    addEventListener("beforeprint", () => {
      folded = !words.open;
      words.open = true;
    });
    addEventListener("afterprint", () => {
      if (folded) words.open = false;
    });
  }
}
