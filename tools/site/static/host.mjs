// Shows the steppers of the site's pages, of all with one script: the stepper's own, behind which this text stands. Each
// <div class="minigrad-recorded"> holds what the widget's model held, as JSON, or names the file that holds it. A stepper
// is made when it comes near what is seen, where its still picture stands when no script runs: a page of a dozen opens at once.

import { renderKept } from "../../../minigrad/viz/static/kept.mjs";
import { unpack } from "../../../minigrad/viz/static/pack.mjs";
import { PlainModel } from "../../../minigrad/viz/static/plain.mjs";
import { numberFrom } from "../../../minigrad/viz/static/predict.mjs";
import { numberText, resultOf, supposedBy } from "../../../minigrad/viz/static/whatif.mjs";

{
  const NEAR = "600px"; // how far below what is seen a stepper is made
  const UNTIL_THEN = 3000; // milliseconds, in which what is near has been fetched and made
  const STEP = 0.1; // by which the keys ↑ and ↓ change a number
  const NOTE = "The recorded graph, computed by this page.";

  /** @param {HTMLElement} place */
  const valuesOf = async (place) => {
    if (place.dataset.pass) return JSON.parse(place.dataset.pass);
    const answer = await fetch(place.dataset.from);
    if (!answer.ok) throw new Error(`${place.dataset.from}: ${answer.status}`);
    return answer.json();
  };

  /** @param {HTMLElement} place */
  const show = async (place) => {
    const el = document.createElement("div");
    try {
      const model = new PlainModel(await valuesOf(place));
      place.append(el);
      await renderKept(globalThis.minigradStepper.render, model, el, true);
      place.dataset.shown = "";
      place.querySelector(".on-paper")?.remove();
      if (place.id) followAddress(el, model);
      await connectNumbers(place, model);
    } catch (error) {
      el.remove();
      const word = document.createElement("p");
      word.className = "minigrad-failed";
      word.setAttribute("role", "status");
      const { message } = /** @type {Error} */ (error);
      word.textContent = `The steps could not be shown (${message}). Load the page again to try once more.`;
      place.innerHTML = place.querySelector("noscript")?.textContent ?? ""; // the still picture
      place.prepend(word);
      place.dataset.shown = "";
    }
  };

  // A page with one large stepper can be linked at a step of it: #step=5.
  const followAddress = (el, model) => {
    const follow = () => {
      const step = /^#step=(\d+)$/.exec(location.hash)?.[1];
      if (step !== undefined) model.set("index", Number(step));
    };
    follow();
    addEventListener("hashchange", follow);
    const stepper = el.querySelector(".minigrad-stepper");
    const tell = () => history.replaceState(history.state, "", `#step=${stepper.getAttribute("data-step")}`);
    new MutationObserver(tell).observe(stepper, { attributeFilter: ["data-step"] });
  };

  // What is wrong with the text of a field, and what to do; "" if it is a number. It is read as the stepper reads its own.
  const wrongWith = (text) => {
    const value = numberFrom(text)?.value;
    if (Number.isFinite(value)) return "";
    if (!text.trim()) return "is empty: write a number.";
    if (Number.isFinite(numberFrom(text.replace(",", "."))?.value)) return "has a comma: write it with a point.";
    if (Math.abs(value) === Infinity) return "is larger than any number here: write a smaller one.";
    return "is not a number: write one, as 0.5, -2e-3 or 2/3.";
  };

  // Numbers of leaves beside a stepper: <input data-leaf="w">, and the result in <output data-result>, or in its place what
  // is wrong with one of them. As long as that is so the picture stays as it was.
  const connectNumbers = async (place, model) => {
    const form = place.closest("section")?.querySelector("[data-numbers]");
    if (!form) return;
    const { picture, frames } = await unpack(model.get("kept"));
    const recorded = frames.map((frame) => JSON.parse(frame));
    const boxOf = (name) => Object.keys(picture.boxes).find((id) => picture.boxes[id].name === name);
    /** @type {HTMLInputElement[]} */
    const fields = [...form.querySelectorAll("input[data-leaf]")];
    const first = fields.map(({ value }) => Number(value));
    const said = form.querySelector("[data-result]");
    let held = first;
    const suppose = () => {
      const wrongs = fields.map(({ value }) => wrongWith(value));
      for (const [k, field] of fields.entries()) field.setAttribute("aria-invalid", String(wrongs[k] !== ""));
      const wrong = wrongs.findIndex(Boolean);
      said.dataset.kind = wrong < 0 ? "result" : "wrong";
      if (wrong >= 0) {
        const name = fields[wrong].dataset.leaf;
        said.textContent = `${name} ${wrongs[wrong]} The picture still has ${name} = ${numberText(held[wrong])}.`;
        return;
      }
      held = fields.map(({ value }) => numberFrom(value).value);
      const changes = {};
      for (const [k, field] of fields.entries())
        if (held[k] !== first[k]) changes[boxOf(field.dataset.leaf)] = [held[k]];
      const isChanged = Object.keys(changes).length > 0;
      model.set("whatif", isChanged ? supposedBy(picture, recorded, changes, NOTE) : {});
      said.textContent = `${picture.root} = ${numberText(resultOf(picture.program, changes))}`;
    };
    for (const field of fields) {
      field.addEventListener("input", suppose);
      field.addEventListener("keydown", (event) => {
        const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
        if (by === undefined || wrongWith(field.value)) return;
        event.preventDefault();
        field.value = String(Number((numberFrom(field.value).value + by).toPrecision(12)));
        suppose();
      });
    }
    form.addEventListener("reset", () => setTimeout(suppose)); // when the fields have been put back
    form.removeAttribute("inert");
  };

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        show(/** @type {HTMLElement} */ (target));
      }
    },
    { rootMargin: NEAR },
  );
  for (const place of document.querySelectorAll(".minigrad-recorded")) near.observe(place);

  // A browser that prints does not wait for pictures. So those that are far away are fetched when all else is there; of a
  // stepper that is not made yet, the still picture, which is seen on paper only.
  const prepareForPaper = () => {
    /** @type {NodeListOf<HTMLImageElement>} */
    const images = document.querySelectorAll("img[loading=lazy]");
    for (const image of images) image.loading = "eager";
    for (const place of document.querySelectorAll(".minigrad-recorded:not([data-shown])")) {
      const still = document.createElement("div");
      still.className = "on-paper";
      still.innerHTML = place.querySelector("noscript")?.textContent.replace('loading="lazy"', "") ?? "";
      place.append(still);
    }
  };
  const savesData = /** @type {any} */ (navigator).connection?.saveData;
  if (!savesData) setTimeout(prepareForPaper, UNTIL_THEN);
}
