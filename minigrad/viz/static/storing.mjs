// What has run since an output was shown is in the notebook when it is saved. The page sees to that itself: the kernel
// knows of no save, and an output of before the page was loaded has no display id any more by which the kernel could
// write to it.

/** Of each output of a notebook that shows a model where it stands, and its JSON with what the model holds now. */
function* outputsOf(notebook, model) {
  for (const { outputs } of notebook.cells) {
    for (let place = 0; place < (outputs?.length ?? 0); place += 1) {
      const output = outputs.get(place).toJSON();
      const html = [output.data?.["text/html"] ?? ""].flat().join("");
      if (html.includes(model.get("key"))) yield { outputs, place, html, now: renew(html, model), output };
    }
  }
}

/** An output's HTML with what a model holds now. */
function renew(html, model) {
  const area = document.createElement("textarea"); // it reads what is written as in an attribute
  return html.replace(/(data-pass|data-answered)='([^']*)'/g, (before, attribute, text) => {
    area.innerHTML = text;
    const stored = JSON.parse(area.value);
    if (stored.key !== model.get("key")) return before;
    for (const name of Object.keys(stored)) if (name !== "live") stored[name] = model.get(name);
    const escaped = JSON.stringify(stored).replaceAll("&", "&amp;").replaceAll("'", "&#39;").replaceAll("<", "&lt;");
    return `${attribute}='${escaped}'`;
  });
}

/** Write what a model holds into the outputs that show it whenever the notebook is saved; returns what ends that. */
export function storeWhenSaved(model) {
  const context = model.widget_manager?.context; // of a notebook in JupyterLab
  if (!context?.saveState) return () => {};
  const outdatedOutputs = () => [...outputsOf(context.model, model)].filter(({ html, now }) => now !== html);
  const onChange = () => {
    if (!context.model.dirty && outdatedOutputs().length) context.model.dirty = true;
  };
  const onSave = (_, state) => {
    if (state !== "started") return onChange(); // it counts as saved, also what came meanwhile
    for (const { outputs, place, now, output } of outdatedOutputs())
      outputs.set(place, { ...output, data: { ...output.data, "text/html": now } });
  };
  context.saveState.connect(onSave);
  model.on("change", onChange);
  onChange();
  return () => {
    context.saveState.disconnect(onSave);
    model.off("change", onChange);
  };
}
