"""notebooks/errors.ipynb, held against the source: what it lists is said there, and what autograd says is listed."""

import ast
import functools
import html
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from course.said_texts import VARIES, Said, said_texts

import minigrad as mg
from minigrad import nn
from minigrad.viz.page.notebook import PageExporter

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SOURCE = Path(mg.__file__).parent
AUTOGRAD = [
    *(path for path in sorted((SOURCE / "autograd").rglob("*.py")) if "profiler" not in path.parts),
    *(
        SOURCE / name
        for name in ("tensor.py", "tensor_base.py", "op.py", "writing.py", "memory.py", "memory_layout.py")
    ),
    *(SOURCE / "nn" / "modules" / name for name in ("module_hooks.py", "backward_hooks.py")),
]
ALL = [path for path in sorted(SOURCE.rglob("*.py")) if not {"viz", "teach"} & set(path.parts)]
# What these files say beside autograd: of arguments, of dimensions, of Python's own protocols.
NOT_AUTOGRAD = (
    "iteration over a 0-d tensor",
    "len() of a 0-d tensor",
    "Tensor.__contains__ only supports",
    "Dimension out of range",
    "Dimension specified as",
    "size(): argument",
    "only integer tensors of a single element can be converted to an index",
    "…() takes 1 positional argument but",
    "…() received an invalid combination of arguments",
    "… is not an op that was declared with @op",
)
# Texts whose beginning is not to be read from the line that says them, and the row that they are found in.
BEGUN_ELSEWHERE = {
    (
        "tensor.py",
        "…, not …: convert it with",
    ): "only Tensors of floating point and complex dtype can require gradients",
    ("node.py", "… (It is the .grad that a gradient"): "operands could not be broadcast together",
    ("node.py", "…"): "A write to this tensor was stopped half way",
    ("gradcheck/__init__.py", "…"): "Jacobian mismatch for output … with respect to input",
    ("gradcheck/__init__.py", "…\n"): "Jacobian mismatch for output … with respect to input",
    ("engine.py", "…. It goes to a leaf"): "Function … returned an invalid gradient at index",
    ("run.py", "…\n… could not compute its gradient"): "The size of tensor a",
    ("functional.py", "…"): "The … of the user-provided function is independent of input",
    ("saved.py", "…"): "",  # says what disable_saved_tensors_hooks was given
    ("backward_hooks.py", "… returned an invalid number of"): "",  # nn.Module's, of its hooks' own values
    ("blame.py", "…"): "",  # says what others give it
    ("blame.py", "…, not …"): "set_grad_enabled(): argument 'enabled' (position 1) must be bool",
    ("function.py", "… …: give the tensors one by one"): "mark_dirty can only accept variables, but argument",
    ("views.py", "A view was created in … mode of a view which"): "",  # no view is both
    (
        "anomaly_mode.py",
        "\n\nPrevious calculation was induced by",
    ): "Error detected in …. Traceback of forward call that",
}


# What differs from case to case in the texts of the page, where each stands with one common value: people paste theirs.
TEMPLATES = (
    "element … of tensors does not require grad and does not have a grad_fn",
    "Mismatch in shape: grad_output[…] has a shape of",
    "got … tensors and … gradients",
    "The differentiated Tensor at index … appears to not have been used in the graph",
    "`inputs` argument to `…` cannot be empty",
    "`inputs` argument to `…` must be Tensors",
    "`inputs` argument to `…` must be a dict",
    "Output … of … is a view and is being modified inplace",
    "A view was created in … mode and is being modified inplace",
    "Output … of … is a view and its base or another view of its base has been modified inplace",
    "A view was created in … mode and its base or another view of its base has been modified inplace",
    "Output … of … is a view of a view which was created in … mode",
    "output with shape … doesn't match the broadcast shape",
    "result type … can't be cast to the desired output type",
    "hook '…' has changed the size of value",
    "hook '…' has changed the type of value",
    "hook '…' has returned an incorrect number of values",
    "backward hook … on tensor will not be serialized",
    "a Tensor with … elements cannot be converted to Scalar",
    "…Backward came back to itself",
    "function … returned an incorrect number of gradients",
    "function … returned a gradient different than None at position",
    "Function … returned an invalid gradient at index",
    "… should not be instantiated. Methods on autograd functions are all static",
    "'…' object is not callable: let backward() run it",
    "expected … arguments, got … instead",
    "argument … is not a Variable",
    "Jacobian mismatch for output … with respect to input",
    "Input #… requires gradient and is not a double precision floating point or complex",
    "The …th input has a dimension with stride 0",
    "For output … and input …",
    "The function given to … should return a single Tensor",
    "The Tensor returned by the function given to … should contain a single element",
    "The … given to … must be either a Tensor or a tuple of Tensors",
    "Entry … in v has invalid size",
    "Output … of the user-provided function does not require gradients",
    "The … of the user-provided function is independent of input",
    "The gradient with respect to input … is independent of the inputs",
    "Function '…' returned nan values in its …th output",
    "Error detected in …. Traceback of forward call that",
    "Error detected in …. No forward pass information available",
    "…utils.checkpoint: A different number of tensors was saved during the original forward and recomputation",
    "…utils.checkpoint: Recomputed values for the following tensors have different metadata",
    "mat1 and mat2 shapes cannot be multiplied (…)",
    "mat1 and mat2 must have the same dtype, but got … and …",
    "expected scalar type … but found …",
    "size mismatch, got input (…), mat (…), vec (…)",
    "Found dtype … but expected …",
    "Dimension out of range (expected to be in range of …, but got …)",
    "too many indices for tensor of dimension …",
    "The expanded size of the tensor (…) must match the existing size (…)",
    "Input type (…) and bias type (…) should be the same",
    "Expected 3D (unbatched) or 4D (batched) input to …",
    "Given groups=…, weight of size",
    "shape '…' is invalid for input of size …",
    "Sizes of tensors must match except in dimension …",
    "Expected input batch_size (…) to match target batch_size (…)",
    "Target … is out of bounds",
    "Target size (…) must be the same as input size",
    "index … is out of bounds for dimension … with size …",
    "Error(s) in loading state_dict for …",
    "'NoneType' object has no attribute '…'",
)


class Row(NamedTuple):
    shown: str  # as it stands on the page
    text: str  # its template, with … for what varies
    words: str
    links: list[tuple[str, str]]  # to cells that show it: the notebook, and the cell in it
    explained: list[tuple[str, str]]  # to paragraphs about it

    def begins(self, said: str) -> bool:
        """Whether something that was said begins as this row does."""
        return re.match(pattern_of(self.text), said, re.DOTALL) is not None


def template_of(shown: str) -> str:
    return next((one for one in TEMPLATES if re.fullmatch(pattern_of(one), shown)), shown)


@functools.cache
def pattern_of(text: str) -> str:
    return ".*?".join(re.sub(r"(?:\\ )+", r"\\s+", re.escape(part)) for part in text.split(VARIES))


@functools.cache
def cells_of(name: str) -> dict[str, Any]:
    return {cell.id: cell for cell in nbformat.read(NOTEBOOKS / name, as_version=4).cells}


def lines_about_errors() -> list[str]:
    cells = cells_of("errors.ipynb")
    return [line for id, cell in cells.items() if id != "text-questions" for line in cell.source.splitlines()]


def rows() -> list[Row]:
    found = []
    for line in lines_about_errors():
        if line.startswith("| `"):
            code, words, links = (part.strip() for part in line[1:-1].split(" | "))
            text = re.fullmatch(r"(`+) ?(.+?) ?\1", code)[2]  # type: ignore[index]
            targets = re.findall(r"(about it: )?\[\d\d\]\((\w+\.ipynb)#cell-id=([\w-]+)\)", links)
            shown, explained = (
                [link for about, *link in targets if bool(about) == is_about] for is_about in (False, True)
            )
            found.append(Row(text, template_of(text), words, shown, explained))
    return found


ROWS = rows()
BY_TEXT = {row.text: row for row in ROWS}
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[:50])


def questions() -> list[tuple[str, str, str]]:
    """Each question of the page with a notebook and the cell in it, one for each link."""
    rows = re.findall(r"^\| (.+\?) \| (\[.+) \|$", cells_of("errors.ipynb")["text-questions"].source, re.MULTILINE)
    return [(words, *link) for words, links in rows for link in re.findall(r"\]\(([\w.]+)#cell-id=([\w-]+)\)", links)]


def test_each_question_is_answered_by_cells_that_run() -> None:
    asked = {words for words, *_ in questions()}
    assert len(asked) == cells_of("errors.ipynb")["text-questions"].source.count("\n| ") - 1 > 40
    for words, notebook, id in questions():
        cell = cells_of(notebook)[id]
        assert cell.cell_type == "code", (words, id)
        shown = [text_of(output) or output["data"]["text/plain"] for output in cell.outputs]
        assert "".join(shown).strip(), (words, id)
        assert "not attempted" not in "".join(shown), (words, id)


def test_each_row_has_its_three_parts() -> None:
    lines = lines_about_errors()
    assert len(ROWS) == len([line for line in lines if line.startswith("| ") and not line.startswith("| it begins")])
    assert len(BY_TEXT) == len(ROWS) > 100
    assert all(row.words.endswith((".", ".)")) for row in ROWS)


def test_the_page_is_found_and_its_parts_are() -> None:
    for page in ("notebooks/00_start_here.ipynb", "notebooks/glossary.ipynb", "README.md"):
        assert "errors.ipynb)" in (NOTEBOOKS.parent / page).read_text(encoding="utf-8"), page
    assert '"errors.ipynb"' in (NOTEBOOKS.parent / "tools" / "student.py").read_text(encoding="utf-8")
    text = "\n".join(cell.source for cell in cells_of("errors.ipynb").values())
    headings = [heading.replace(" ", "-") for heading in re.findall(r"^## (.*)$", text, re.MULTILINE)]
    assert re.findall(r"\]\(#(.*?)\)(?: |$)", text, re.MULTILINE) == headings != []


def test_each_error_of_autograd_is_on_the_page() -> None:
    missing = []
    for said in said_texts(AUTOGRAD, ALL):
        known = [*NOT_AUTOGRAD, *(row.text for row in ROWS)]
        named = [row for (file, text), row in BEGUN_ELSEWHERE.items() if _is_from(said, file, text)]
        if not said.text.startswith(tuple(known)) and not named:
            missing.append(said)
    assert not missing


def _is_from(said: Said, file: str, text: str) -> bool:
    begins = said.text == text if text == VARIES else said.text.startswith(text)
    return begins and said.place.rpartition(":")[0].endswith(f"/{file}")


def test_what_begins_elsewhere_is_on_the_page() -> None:
    assert {row for row in BEGUN_ELSEWHERE.values() if row} <= BY_TEXT.keys()


def in_source() -> list[str]:
    """Every string in the source, and the texts that are put together."""
    strings = [said.text for said in said_texts(ALL, ALL)]
    for path in ALL:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        strings += [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return strings


def test_each_text_of_the_page_is_said_by_the_source() -> None:
    strings = in_source()
    unknown = [row.text for row in ROWS if not any(string.startswith(row.text) for string in strings)]
    of_pytorch = {row.text for row in ROWS if "(PyTorch's alone: minigrad has one device.)" in row.words}
    assert of_pytorch == {"Expected all tensors to be on the same device", "CUDA out of memory"}
    assert set(unknown) - of_pytorch <= RAISED.keys()


@each_row
def test_it_is_shown_where_the_page_says_and_explained_where_it_says_that(row: Row) -> None:
    for notebook, id in row.links:
        shown = "\n".join(map(text_of, cells_of(notebook)[id].get("outputs", [])))
        assert re.search(pattern_of(row.text), shown, re.DOTALL), (notebook, id)
    in_code = re.findall("`(.+?)`", row.words) + re.findall(r"`(.+?)`|'(.+?)'|(\w+_\w+|grad\w*check|hooks?)", row.text)
    names = set(re.findall(r"\w{4,}", str(in_code))) - {"Tensor", "tensor", "self"}
    for notebook, id in row.explained:
        cell = cells_of(notebook)[id]
        assert cell.cell_type == "markdown", (notebook, id)
        code = " ".join(re.findall(r"`[^`]*`|```.*?```", cell.source, re.DOTALL))
        assert any(re.search(rf"\b{name}\b", code) for name in names), (notebook, id)


def test_a_row_is_found_by_the_words_that_people_paste() -> None:
    assert not [row.shown for row in ROWS if VARIES in row.shown]
    assert {row.text for row in ROWS} >= set(TEMPLATES)


def text_of(output: Any) -> str:
    """What an output says, printed or as a table of the page."""
    return output.get("text", "") + html.unescape(re.sub("<[^>]*>", "", output.get("data", {}).get("text/html", "")))


def test_on_pages_the_links_lead_to_pages() -> None:
    page, _ = PageExporter().from_filename(str(NOTEBOOKS / "errors.ipynb"))
    chapter, _ = PageExporter().from_filename(str(NOTEBOOKS / "05_in_place_data_detach.ipynb"))
    assert not re.findall(r'href="[^"]*\.ipynb', page)
    assert 'href="glossary.html"' in page
    linked = re.findall(r'href="05_in_place_data_detach\.html#([^"]*)"', page)
    assert "cell-id=code-24" in linked
    assert set(linked) <= set(re.findall(r'id="([^"]*)"', chapter))


# ---------------------------------------------------------------- errors that are raised here


def leaf(*numbers: float) -> Any:
    return mg.tensor(list(numbers or (1.0, 2.0)), requires_grad=True)


def function_with(**methods: Any) -> Any:
    class Given(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return methods.get("forward", lambda ctx, x: x * 2)(ctx, x)

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            return methods["backward"](ctx, grad_output)

    return Given


def walk(result: Any) -> None:
    result.sum().backward()


def two_walks() -> None:
    loss = (leaf() ** 2).sum()
    loss.backward()
    loss.backward()


def after_a_write() -> None:
    x = leaf()
    y = x.exp()
    y += 1
    walk(y)


def written_view_of_no_grad() -> None:
    h = leaf() * 2
    with mg.no_grad():
        view = h[1:]
    view.mul_(2)


def with_hook(hook: Callable[[Any], Any]) -> None:
    h = leaf() * 2
    h.register_hook(hook)
    walk(h)


def with_node_hook(hook: Callable[..., Any]) -> None:
    h = leaf() * 2
    h.grad_fn.register_hook(hook)
    walk(h)


def grad_of_another_shape() -> None:
    w = leaf()
    walk(w * 2)
    w.data = mg.ones(3)
    walk(w * 2)


def detached_in_place() -> None:
    h = leaf() * 2
    y = h.sin()
    h.detach_()
    walk(y)


def checkpointed(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> None:
    runs = iter((first, second))
    walk(CHECKPOINT(lambda x: next(runs)(x), leaf(), use_reentrant=False))


def inference_tensor() -> Any:
    with mg.inference_mode():
        return mg.ones(2)


def nan_in_the_walk() -> None:
    with mg.autograd.detect_anomaly():
        walk(leaf(0.0).sqrt() * 0)


def without_a_noted_forward() -> None:
    y = leaf(0.0).sqrt() * 0
    with mg.autograd.detect_anomaly():
        walk(y)


def twice_once_differentiable() -> None:
    function = function_with(backward=mg.autograd.function.once_differentiable(lambda ctx, g: g * 2))
    x = leaf()
    (first,) = mg.autograd.grad((function.apply(x) * x).sum(), x, create_graph=True)
    walk(first)


def came_back() -> None:
    kept: list[Any] = []
    peaks = function_with(backward=lambda ctx, g: kept[0].backward(g))
    kept.append(peaks.apply(leaf()))
    walk(kept[0])


def full_hook_on_plain_input() -> None:
    layer = nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda *arguments: None)
    walk(layer(mg.ones(1, 2)))


def w_minus_rate_times_grad() -> None:
    w = leaf()
    for _ in range(2):
        walk(w * 2)
        w = w - 0.1 * w.grad


G = mg.autograd.grad
CHECK = mg.autograd.gradcheck
DOUBLE = mg.tensor([0.5, 2.0], dtype=mg.float64, requires_grad=True)
FUNCTIONAL = mg.autograd.functional
CHECKPOINT = mg.utils.checkpoint.checkpoint
RAISED: dict[str, Callable[[], Any]] = {
    "element … of tensors does not require grad and does not have a grad_fn": lambda: walk(leaf().detach()),
    "grad can be implicitly created only for scalar outputs": lambda: (leaf() * 2).backward(),
    "Trying to backward through the graph a second time": two_walks,
    "Mismatch in shape: grad_output[…] has a shape of": lambda: (leaf() * 2).backward(mg.ones(3)),
    "got … tensors and … gradients": lambda: G([leaf() * 2], [leaf()], [mg.ones(2), mg.ones(2)]),
    "If `is_grads_batched=True`, we interpret the first dimension": lambda: G(
        leaf() * 2, leaf(), mg.ones(2), is_grads_batched=True
    ),
    "One of the differentiated Tensors does not require grad": lambda: G(leaf().sum(), mg.ones(2)),
    "The differentiated Tensor at index … appears to not have been used in the graph": lambda: G(leaf().sum(), leaf()),
    "Expected allow_unused to be True or not passed when materialize_grads=True": lambda: G(
        leaf().sum(), leaf(), allow_unused=False, materialize_grads=True
    ),
    "`inputs` argument to `…` cannot be empty": lambda: leaf().sum().backward(inputs=[]),
    "`inputs` argument to `…` must be Tensors": lambda: leaf().sum().backward(inputs=3),
    "all inputs have to be Tensors or GradientEdges": lambda: leaf().sum().backward(inputs=["w"]),
    "backward starts from a Tensor or several": lambda: mg.autograd.backward(leaf().sum().item()),
    "gradients can be either Tensors or None": lambda: leaf().sum().backward(1.0),
    "Using backward() with create_graph=True will create a reference cycle": lambda: (
        (leaf() ** 2).sum().backward(create_graph=True)
    ),
    "one of the variables needed for gradient computation has been modified by an inplace operation": after_a_write,
    "a leaf Variable that requires grad is being used in an in-place operation": lambda: leaf().add_(1),
    "a view of a leaf Variable that requires grad is being used in an in-place operation": lambda: leaf()[0].add_(1),
    "a leaf Variable that requires grad has been used in an in-place operation": lambda: function_with(
        forward=lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2))[1]
    ).apply(leaf()),
    "Output … of … is a view and is being modified inplace": lambda: (leaf() * 2).unbind()[0].mul_(2),
    "A view was created in … mode and is being modified inplace": written_view_of_no_grad,
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location": lambda: mg.zeros(1).expand(3).add_(1),
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location": lambda: (lambda x: x[1:].add_(x[:-1]))(mg.zeros(3)),
    "output with shape … doesn't match the broadcast shape": lambda: mg.zeros(1).add_(mg.zeros(3)),
    "result type … can't be cast to the desired output type": lambda: mg.tensor([1]).mul_(0.5),
    "Trying to use a saved tensor that has been detached in-place": detached_in_place,
    "Can't detach views in-place": lambda: (leaf() * 2)[0].detach_(),
    "you can only change requires_grad flags of leaf variables": lambda: (leaf() * 2).requires_grad_(False),
    "Only Tensors of floating point and complex dtype can require gradients": lambda: mg.tensor(1, requires_grad=True),
    "only Tensors of floating point and complex dtype can require gradients": lambda: setattr(
        mg.tensor(1), "requires_grad", True
    ),
    "only Tensors of floating point dtype can require gradients": lambda: mg.tensor(1).requires_grad_(),
    "requires_grad must be a bool": lambda: setattr(leaf(), "requires_grad", 1),
    "can't optimize a non-leaf Tensor": lambda: mg.optim.SGD([leaf() * 2], lr=0.1),
    "optimizer got an empty parameter list": lambda: mg.optim.SGD(nn.Module().parameters(), lr=0.1),
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed": lambda: (leaf() * 2).grad,
    "unsupported operand type(s) for *: 'float' and 'NoneType'": w_minus_rate_times_grad,
    "can't retain_grad on Tensor that has requires_grad=False": lambda: mg.ones(2).retain_grad(),
    "attempting to assign a gradient of size": lambda: setattr(leaf(), "grad", mg.ones(3)),
    "attempting to assign a gradient with dtype": lambda: setattr(leaf(), "grad", mg.ones(2, dtype=mg.float64)),
    "assigned grad expected to be a Tensor or None": lambda: setattr(leaf(), "grad", 0),
    "operands could not be broadcast together": grad_of_another_shape,
    "cannot register a hook on a tensor that doesn't require gradient": lambda: mg.ones(2).register_hook(print),
    "hook '…' has changed the size of value": lambda: with_hook(lambda g: g.norm()),
    "hook '…' has changed the type of value": lambda: with_hook(lambda g: g.double()),
    "expected Variable, but hook returned": lambda: with_hook(lambda g: 1.0),
    "expected tuple, but hook returned": lambda: with_node_hook(lambda inputs, outputs: inputs[0]),
    "hook '…' has returned an incorrect number of values": lambda: with_node_hook(lambda inputs, outputs: ()),
    "Full backward hook is firing when gradients are computed with respect to module outputs": full_hook_on_plain_input,
    "Can't call numpy() on Tensor that requires grad": lambda: leaf().numpy(),
    "Converting a tensor with requires_grad=True to a scalar": lambda: float(leaf(1.0)),
    "a Tensor with … elements cannot be converted to Scalar": lambda: leaf().item(),
    "expected target dtype to be Long or Byte, but got": lambda: nn.functional.cross_entropy(
        mg.ones(2, 3), mg.tensor([1.0, 2.0])
    ),
    "Boolean value of Tensor with": lambda: bool(leaf() > 0),
    "…Backward came back to itself": came_back,
    "function … returned an incorrect number of gradients": lambda: walk(
        function_with(backward=lambda ctx, g: (g, g)).apply(leaf())
    ),
    "Function … returned an invalid gradient at index": lambda: walk(
        function_with(backward=lambda ctx, g: g[:1]).apply(leaf(1.0, 2.0, 3.0))
    ),
    "expected Variable or None (got": lambda: walk(function_with(backward=lambda ctx, g: 1.0).apply(leaf())),
    "trying to differentiate twice a function that was marked with @once_differentiable": twice_once_differentiable,
    "Jacobian mismatch for output … with respect to input": lambda: CHECK(
        function_with(backward=lambda ctx, g: g).apply, DOUBLE
    ),
    "Numerical gradient for function expected to be zero": lambda: CHECK(lambda x: x.detach() * 2, DOUBLE),
    "gradcheck expects at least one input tensor to require gradient": lambda: CHECK(mg.sin, mg.ones(2)),
    "Input #… requires gradient and is not a double precision floating point or complex": lambda: CHECK(
        mg.sin, leaf(), raise_exception=False
    ),
    "The function given to … should return a single Tensor": lambda: FUNCTIONAL.hessian(lambda x: (x, x), leaf()),
    "The Tensor returned by the function given to … should contain a single element": lambda: FUNCTIONAL.hessian(
        lambda x: x * 2, leaf()
    ),
    "Output … of the user-provided function does not require gradients": lambda: FUNCTIONAL.jacobian(
        lambda x: x.detach(), leaf(), strict=True
    ),
    "The … of the user-provided function is independent of input": lambda: FUNCTIONAL.vjp(
        lambda x, y: x, (leaf(), leaf()), mg.ones(2), strict=True
    ),
    "The gradient with respect to input … is independent of the inputs": lambda: FUNCTIONAL.jvp(
        function_with(backward=lambda ctx, g: g.detach()).apply, leaf(), mg.ones(2), strict=True
    ),
    "While computing the hessian, found that the jacobian of the user-provided function": lambda: FUNCTIONAL.hessian(
        lambda x: x.sum(), leaf(), strict=True
    ),
    "'float' object has no attribute 'backward'": lambda: leaf(1.0).item().backward(),
    "'NoneType' object has no attribute '…'": lambda: leaf().grad.zero_(),
    "To copy construct from a tensor": lambda: mg.tensor(leaf()),
    "…utils.checkpoint: A different number of tensors was saved during the original forward and recomputation": (
        lambda: checkpointed(lambda x: x.sin().exp(), lambda x: x.sin())
    ),
    "…utils.checkpoint: Recomputed values for the following tensors have different metadata": (
        lambda: checkpointed(lambda x: x.sin(), lambda x: x[:1].sin())
    ),
    "mat1 and mat2 shapes cannot be multiplied (…)": lambda: mg.ones(2, 3) @ mg.ones(4, 5),
    "mat1 and mat2 must have the same dtype, but got … and …": lambda: nn.Linear(2, 2)(mg.ones(1, 2).double()),
    "expected m1 and m2 to have the same dtype": lambda: mg.ones(2, 2) @ mg.ones(2, 2).double(),
    "addmv input tensors must have the same dtype": lambda: mg.ones(2, 2) @ mg.ones(2).double(),
    "expected scalar type … but found …": lambda: mg.ones(1, 2, 2) @ mg.ones(1, 2, 2).double(),
    "size mismatch, got input (…), mat (…), vec (…)": lambda: mg.ones(2, 3) @ mg.ones(4),
    "Found dtype … but expected …": lambda: nn.functional.binary_cross_entropy(mg.ones(2), mg.tensor([0, 1])),
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int": (
        lambda: nn.Embedding(3, 2)(mg.ones(2))
    ),
    "tensors used as indices must be long, int, byte or bool tensors": lambda: mg.ones(2)[mg.ones(2)],
    "where expected condition to be a boolean tensor": lambda: mg.where(mg.tensor([0, 1]), mg.ones(2), mg.zeros(2)),
    "masked_fill_ only supports boolean masks": lambda: mg.ones(2).masked_fill(mg.tensor([0, 1]), 0),
    "Dimension out of range (expected to be in range of …, but got …)": lambda: mg.ones(2, 3).sum(2),
    "too many indices for tensor of dimension …": lambda: mg.ones(2, 3)[:, :, 0],
    "input.size(-1) must be equal to input_size": lambda: nn.LSTM(3, 4)(mg.ones(5, 2, 2)),
    "The expanded size of the tensor (…) must match the existing size (…)": lambda: mg.ones(2).expand(3),
    "Input type (…) and bias type (…) should be the same": lambda: nn.Conv2d(1, 1, 3)(mg.ones(1, 1, 4, 4).double()),
    "Expected 3D (unbatched) or 4D (batched) input to …": lambda: nn.Conv2d(1, 1, 3)(mg.ones(4, 4)),
    "shape '…' is invalid for input of size …": lambda: mg.ones(6).view(2, 5),
    "view size is not compatible with input tensor's size and stride": lambda: mg.ones(2, 3).t().view(6),
    "Sizes of tensors must match except in dimension …": lambda: mg.cat([mg.ones(2, 3), mg.ones(3, 2)]),
    "Tensors must have same number of dimensions": lambda: mg.cat([mg.ones(2, 3), mg.ones(3)]),
    "stack expects each tensor to be equal size": lambda: mg.stack([mg.ones(2), mg.ones(3)]),
    "Expected input batch_size (…) to match target batch_size (…)": lambda: nn.functional.cross_entropy(
        mg.ones(4, 3), mg.ones(3).long()
    ),
    "Target … is out of bounds": lambda: nn.functional.cross_entropy(mg.ones(1, 3), mg.tensor([5])),
    "Target size (…) must be the same as input size": lambda: nn.functional.binary_cross_entropy_with_logits(
        mg.ones(3), mg.ones(3, 1)
    ),
    "Expected more than 1 value per channel when training": lambda: nn.BatchNorm1d(2)(mg.ones(1, 2)),
    "index … is out of bounds for dimension … with size …": lambda: mg.ones(3)[5],
    "Given groups=…, weight of size": lambda: nn.Conv2d(1, 4, 3)(mg.ones(2, 3, 8, 8)),
    "Error(s) in loading state_dict for …": lambda: nn.Linear(2, 2).load_state_dict({}),
    "Using a target size": lambda: nn.functional.mse_loss(mg.ones(3, 1), mg.ones(3)),
    "Inference tensors cannot be saved for backward": lambda: leaf() * inference_tensor(),
    "Inplace update to inference tensor outside InferenceMode is not allowed": lambda: inference_tensor().add_(1),
    "Anomaly Detection has been enabled": lambda: mg.autograd.detect_anomaly(),
    "Function '…' returned nan values in its …th output": nan_in_the_walk,
    "Error detected in …. Traceback of forward call that": nan_in_the_walk,
    "Error detected in …. No forward pass information available": without_a_noted_forward,
}


def said_by(act: Callable[[], Any]) -> list[str]:
    """The text of the error that it raises, and of its warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            act()
            said = []
        except Exception as error:
            said = [str(error)]
    return said + [str(warning.message) for warning in warned]


each_text = pytest.mark.parametrize("text", RAISED, ids=lambda text: text[:50])


@each_text
def test_it_is_said_in_these_words(text: str) -> None:
    said = said_by(RAISED[text])
    assert any(BY_TEXT[text].begins(line) for line in said), said


@pytest.mark.usefixtures("every_warning")
@pytest.mark.parametrize("text", [text for text in RAISED if text != "…Backward came back to itself"])  # it hangs
def test_pytorch_says_it_too_or_the_page_says_that_it_does_not(
    text: str, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, its_own in {
        "mg": torch,
        "nn": torch.nn,
        "G": torch.autograd.grad,
        "CHECK": torch.autograd.gradcheck,
        "DOUBLE": torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True),
        "FUNCTIONAL": torch.autograd.functional,
        "CHECKPOINT": torch.utils.checkpoint.checkpoint,
    }.items():
        monkeypatch.setitem(globals(), name, its_own)
    row = BY_TEXT[text]
    assert any(map(row.begins, said_by(RAISED[text]))) != ("minigrad's own words" in row.words)
