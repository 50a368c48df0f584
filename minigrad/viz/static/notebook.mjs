// What JupyterLab loads for a BackwardStepper. The widget's own script and style are many times as long, so they are kept packed in the
// model (`code`), and each notebook page loads them once, however many steppers it has.

const loaded = new Map();

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
    const { stepper, style } = await load(model.get("code"));
    const sheet = document.createElement("style");
    sheet.textContent = style;
    el.append(sheet);
    return renderKept(stepper.render, model, el, false);
  },
};
