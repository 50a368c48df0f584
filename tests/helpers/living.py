"""JavaScript by which tests know that what a notebook's outputs show has found its model, whose kernel lives.

An output that has not found it within half a second shows what is stored. What is clicked there is lost when the model
comes, which on a busy machine may be later.
"""

# The keys of what the first so many cells show, or with null all cells, and the numbers of these cells.
KEYS_SHOWN = """(count) => [...window.jupyterapp.shell.currentWidget.content.model.cells].slice(0, count ?? undefined)
    .flatMap((cell, place) => (cell.outputs?.toJSON() ?? []).flatMap(({ data }) => {
        const html = [data?.['text/html'] ?? ''].flat().join('');
        const all = [...html.matchAll(/data-(?:pass|answered)='([^']*)'/g)];
        return all.map(([, text]) => [place, text.replaceAll('&quot;', '"').match(/"key": ?"(\\w+)"/)[1]]);
    }))"""

# Whether all of these are announced to the page (static/announcing.mjs), and what is near the view of them is drawn.
ARE_LIVING = """(keys) => keys.every(([place, key]) => {
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[place];
    const isAway = !cell.node.isConnected || cell.isPlaceholder();
    const isDrawn = (output) => output.closest('.minigrad-stored')
        ? output.closest('.minigrad-stored[hidden]') // the widget around it that lives stands in its place
        : output.querySelector('.minigrad-stepper');
    const isThere = cell.node.querySelector('.minigrad-stepper, .minigrad-prediction') &&
        [...cell.node.querySelectorAll('.minigrad-recorded')].every(isDrawn);
    return globalThis.minigradModels?.has(key) && (isAway || isThere);
})"""
