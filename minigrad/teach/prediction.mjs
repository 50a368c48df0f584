// A prediction in a notebook's output: the question with its options, of which one is chosen and then answered. The output holds all answers,
// so it needs no kernel; where one lives, its model, which is announced by its key, gets the choice for the learner's progress, and
// stores it in the output when the notebook is saved: what was answered stays answered. A model that comes later gets it as it comes.

((place) => {
  const { question, about, options } = JSON.parse(place.dataset.asked);
  const answered = JSON.parse(place.dataset.answered);
  const living = () => globalThis.minigradModels?.get(answered.key);
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const answer = make("div", { role: "status" });
  const name = `minigrad-${Math.random().toString(36).slice(2)}`; // the buttons of one question belong together, and no others
  const buttons = options.map(({ label }, number) => make("input", { type: "radio", name, value: String(number), id: `${name}-${number}` }));
  const choices = buttons.map((button, number) => make("div", {}, button, make("label", { htmlFor: button.id }, options[number].label)));
  const commit = make("button", { type: "button", disabled: true, className: "jupyter-widgets jupyter-button" }, "That is my answer");
  const asked = make("legend", {}, make("b", {}, "Predict. "), question);
  const form = make("fieldset", {}, asked, ...(about ? [make("pre", {}, about)] : []), ...choices, commit);
  form.style.cssText = asked.style.cssText = "border:none;margin:0;padding:0;line-height:1.5;max-width:60em";
  for (const choice of choices) choice.style.cssText = "display:flex;gap:6px;align-items:baseline";
  commit.style.cssText = "margin:6px 0;padding:4px 14px;font:inherit";
  for (const button of buttons) button.addEventListener("change", () => (commit.disabled = false));
  const show = (chosen) => {
    if (chosen === -1) return;
    buttons[chosen].checked = form.disabled = true;
    answer.innerHTML = options[chosen].verdict;
  };
  const chosenHere = () => buttons.findIndex((button) => button.checked);
  const meet = () => {
    const model = living();
    if (form.disabled && model?.get("chosen") === -1) {
      model.set("chosen", chosenHere());
      model.save_changes();
    }
    show(model?.get("chosen") ?? -1);
  };
  commit.addEventListener("click", () => {
    show(chosenHere());
    meet();
  });
  document.addEventListener("minigrad-model", meet); // as a page is loaded again
  place.replaceChildren(form, answer);
  show(answered.chosen);
  meet();
})(document.currentScript.parentElement);
