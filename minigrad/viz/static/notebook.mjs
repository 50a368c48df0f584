// What JupyterLab loads for a BackwardStepper's model. The output that shows it (output.mjs) finds the model as it is
// announced. A stepper inside another widget, such as an HBox, has no such output and is rendered here, with the script
// and style that are kept packed in a model of their own, once for all steppers; `code` is its id.

import { announce } from "./announcing.mjs";
import { load } from "./pack.mjs";
import { storeWhenSaved } from "./storing.mjs";

/** The packed script and style: the model's `code` reads IPY_MODEL_ and the id of the model that holds them. */
async function codeOf(model) {
  const shared = await model.widget_manager.get_model(model.get("code").replace("IPY_MODEL_", ""));
  return shared.get("code");
}

export default {
  initialize({ model }) {
    // A model that the notebook has stored (JupyterLab's `saveState`) has no kernel, and knows nothing that its output
    // does not.
    if (model.get("layout")?.comm_live === false) return undefined;
    const ending = [announce(model), storeWhenSaved(model)];
    return () => {
      for (const end of ending) end();
    };
  },

  async render({ model, el }) {
    const { default: stepper, renderKept, style } = await load(await codeOf(model));
    const sheet = document.createElement("style");
    sheet.textContent = style;
    el.append(sheet);
    return renderKept(stepper.render, model, el, false);
  },
};
