// What JupyterLab loads for a BackwardStepper. The widget's own script and style are many times as long, so they are kept packed, once for all
// steppers of a notebook, in a model of their own; `code` is its id. Each notebook page loads them once.

const loaded = new Map();

/** The packed script and style: the model's `code` reads IPY_MODEL_ and the id of the model that holds them. */
async function codeOf(model) {
  const shared = await model.widget_manager.get_model(model.get("code").replace("IPY_MODEL_", ""));
  return shared.get("code");
}

async function load(code) {
  if (!loaded.has(code)) {
    const { script, style } = await unpack(code);
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const stepper = (await import(address)).default;
    URL.revokeObjectURL(address);
    loaded.set(code, { stepper, style });
  }
  return loaded.get(code);
}

export default {
  async render({ model, el }) {
    const { stepper, style } = await load(await codeOf(model));
    const sheet = document.createElement("style");
    sheet.textContent = style;
    el.append(sheet);
    return renderKept(stepper.render, model, el, false);
  },
};
