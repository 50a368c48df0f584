"""A tensor as the last line of a cell: its value, its gradient and how it was made, as a small table.

The text stays exactly what `repr` prints, for terminals, for diffs and for pages that show no HTML; beside it stands a
table, with a heat map where there are more numbers than can be read. Importing `minigrad.viz` in a notebook switches it
on, `viz.rich_display(False)` off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.tensor import Tensor
from minigrad.viz.graph.naming import whole_call
from minigrad.viz.graph.observer import source_text, span_of
from minigrad.viz.graph.one_line import on_one_line
from minigrad.viz.graph.values import LISTED, describe, number, shape_text
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.picture.markup import MONO, SANS, attribute, clean, markup, shorten
from minigrad.viz.picture.palette import light_dark

LOST = "Invalid"  # as `repr` calls the grad_fn
STYLE = (
    f".minigrad-tensor{{color-scheme:light dark;--mgt-ink:{light_dark('ink')};--mgt-quiet:{light_dark('quiet')};"
    f"--mgt-line:{light_dark('line')};--mgt-grad:{light_dark('hot')};--mgt-alarm:{light_dark('alarm')};"
    f"margin:4px 2px;font:13px/1.5 {SANS};color:var(--mgt-ink);max-width:100%;overflow-x:auto}}"
    '[data-jp-theme-light="true"] .minigrad-tensor{color-scheme:light}'
    '[data-jp-theme-light="false"] .minigrad-tensor{color-scheme:dark}'
    ".minigrad-tensor table{border:1px solid var(--mgt-line);border-radius:8px;border-collapse:separate;"
    f"border-spacing:0;margin:0;background:{light_dark('paper')};font-size:13px}}"
    ".minigrad-tensor caption{caption-side:top;text-align:left;padding:0 0 4px;color:var(--mgt-quiet)}"
    f".minigrad-tensor caption b{{color:var(--mgt-ink);font-family:{MONO}}}"
    ".minigrad-tensor tr,.minigrad-tensor tr:hover{background:none!important}"
    ".minigrad-tensor :is(th,td){border:0!important;padding:4px 12px!important;text-align:left!important;"
    "vertical-align:top!important}"
    ".minigrad-tensor tr+tr>*{border-top:1px solid var(--mgt-line)!important}"
    ".minigrad-tensor th{color:var(--mgt-quiet);font-weight:400!important}"
    f".minigrad-tensor td,.minigrad-tensor pre{{font:12px/1.6 {MONO};margin:0;padding:0;"
    "background:none!important;color:var(--mgt-ink)}"
    ".minigrad-tensor tr.mgt-grad td,.minigrad-tensor tr.mgt-grad pre{color:var(--mgt-grad);font-weight:700}"
    f".minigrad-tensor small{{font:12px/1.6 {SANS};color:var(--mgt-quiet);font-weight:400}}"
    ".minigrad-tensor img{display:block;image-rendering:pixelated;width:256px;height:auto;min-height:16px;"
    "max-height:96px;margin:3px 0;border:1px solid var(--mgt-line)}"
    f".minigrad-tensor .mgt-alarm{{font:700 12px/1.6 {SANS};color:var(--mgt-alarm)}}"
)


def tensor_html(tensor: Any) -> str:
    """A tensor as HTML: complete by itself, light or dark as the page is, every text escaped."""
    kind = "tensor" if type(tensor) is Tensor else type(tensor).__name__
    dtype = str(tensor.dtype).rpartition(".")[2]
    summary = f"<b>{markup(kind)}</b> of shape {shape_text(tuple(tensor.shape))}, {markup(dtype)}"
    rows = _row("value", _array(tensor.detach().numpy(), "the value"))
    rows += _row("grad", _gradient(tensor), ' class="mgt-grad"' if tensor._grad is not None else "")
    rows += _row("grad_fn", _maker(tensor))
    return (
        f'<div class="minigrad-tensor"><style>{STYLE}</style><table><caption>{summary}</caption>'
        f"<tbody>{rows}</tbody></table></div>"
    )


# ---------------------------------------------------------------- the parts


def _row(word: str, inside: str, marked: str = "") -> str:
    return f'<tr{marked}><th scope="row">{word}</th><td>{inside}</td></tr>'


def _array(array: Any, what: str) -> str:
    """Up to `LISTED` numbers in full, more as a heat map with minimum, mean and maximum."""
    value = describe(array)
    alarm = f'<div class="mgt-alarm">⚠ {markup(value.alarm)}</div>' if value.alarm else ""
    if array.size <= LISTED:
        return f"<pre>{markup(_numbers_text(array))}</pre>{alarm}"
    statistics = "" if value.statistics is None else "min {} · mean {} · max {}".format(*value.statistics)
    words = f"heat map of {what}{': ' if statistics else ''}{statistics}, blue below 0 and orange above"
    heat = f'<img alt={attribute(words)} title={attribute(words)} src="{value.heat}">' if value.heat else ""
    return f"{heat}<small>{markup(statistics)}</small>{alarm}"


def _numbers_text(array: Any) -> str:
    """The numbers in brackets as `repr` nests them, each with four significant digits, in columns."""
    texts = [number(item) for item in array.reshape(-1).tolist()]
    width = max(map(len, texts), default=0)
    padded = np.array([text.rjust(width) for text in texts], object).reshape(array.shape)
    return np.array2string(padded, separator=", ", formatter={"all": str}, max_line_width=LISTED * (width + 4))


def _gradient(tensor: Any) -> str:
    gradient = tensor._grad  # reading a result's `.grad` warns
    if gradient is not None:
        return _array(gradient.detach().numpy(), "the gradient")
    if not tensor.requires_grad:
        return "None <small>it needs no gradient</small>"
    is_result = _node_of(tensor) not in (None, LOST)
    return "None <small>a result keeps it only after retain_grad()</small>" if is_result else "None"


def _node_of(tensor: Any) -> Any:
    """The node that made a tensor, None for a leaf; `LOST` for a view made under no_grad whose memory was written to
    since: it has no true history.
    """
    try:
        return tensor.grad_fn
    except RuntimeError:
        return LOST


def _maker(tensor: Any) -> str:
    node = _node_of(tensor)
    if node is LOST:
        return LOST
    if node is None:
        return f"None <small>{'a leaf: requires_grad=True' if tensor.requires_grad else 'a leaf'}</small>"
    span = whole_call(span_of(MinigradSource(tensor).making(node)))
    code = on_one_line(source_text(span))[0] if span is not None else ""
    made = f" <small>made by</small> {markup(shorten(clean(code), 60))}" if code else ""
    return f"{markup(node.name())}{made}"
