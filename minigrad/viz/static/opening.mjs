// What stands in each output: it lets the stepper's script, which stands packed beside it, show what is stored. Where that cannot be, the still
// picture stays.

(async (place) => {
  const { show, style } = await load(place.dataset.script);
  show(place, style);
})(document.currentScript.parentElement).catch((error) => console.warn("minigrad: this picture stays still.", error));
