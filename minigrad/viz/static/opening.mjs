// What stands in each output: it lets the stepper's script, which stands packed beside it, show what is stored. Where
// that cannot be, the still picture stays.

import { load } from "./pack.mjs";

((place) => {
  /** @type {HTMLElement} */
  const advice = place.querySelector(".minigrad-how");
  advice.hidden = true;
  const open = ({ show, style }) => show(place, style);
  const loaded = load(place.dataset.script);
  if (loaded.show) open(loaded);
  else loaded.then(open).catch((error) => console.warn("minigrad: this picture stays still.", error));
})(document.currentScript.parentElement);
