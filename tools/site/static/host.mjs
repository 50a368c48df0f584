// Shows the steppers of the site's pages, of all with one script: the stepper's own, behind which this text stands. Each
// <div class="minigrad-recorded"> holds what the widget's model held, as JSON, or names the file that holds it. A stepper
// is made when it comes near what is seen, where its still picture stands when no script runs: a page of a dozen opens at once.

import { renderKept } from "../../../minigrad/viz/static/kept.mjs";
import { unpack } from "../../../minigrad/viz/static/pack.mjs";
import { PlainModel } from "../../../minigrad/viz/static/plain.mjs";
import { resultOf, supposedBy } from "../../../minigrad/viz/static/whatif.mjs";

{
  const NEAR = "600px"; // how far below what is seen a stepper is made
  const UNTIL_THEN = 3000; // milliseconds, in which what is near has been fetched and made
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

  // Numbers of leaves beside a stepper: <input type="number" data-leaf="w">, and the result in <output data-result>.
  const connectNumbers = async (place, model) => {
    const form = place.closest("section")?.querySelector("[data-numbers]");
    if (!form) return;
    const { picture, frames } = await unpack(model.get("kept"));
    const recorded = frames.map((frame) => JSON.parse(frame));
    const boxOf = (name) => Object.keys(picture.boxes).find((id) => picture.boxes[id].name === name);
    /** @type {HTMLInputElement[]} */
    const fields = [...form.querySelectorAll("input[data-leaf]")];
    const first = fields.map(({ value }) => value);
    const suppose = () => {
      const changes = {};
      for (const [k, field] of fields.entries()) {
        const isNumber = field.value.trim() !== "" && Number.isFinite(field.valueAsNumber);
        field.setAttribute("aria-invalid", String(!isNumber));
        if (isNumber && field.valueAsNumber !== Number(first[k]))
          changes[boxOf(field.dataset.leaf)] = [field.valueAsNumber];
      }
      const isChanged = Object.keys(changes).length > 0;
      model.set("whatif", isChanged ? supposedBy(picture, recorded, changes, NOTE) : {});
      const result = Number(resultOf(picture.program, changes).toPrecision(6));
      form.querySelector("[data-result]").textContent = `${picture.root} = ${result}`;
    };
    for (const field of fields) field.addEventListener("input", suppose);
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
