"""Arguments of PyTorch's that minigrad leaves out: their defaults are accepted, in PyTorch's places too, and any other
value is told as a name that is left out is.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad
import minigrad.autograd.functional
import minigrad.autograd.profiler
import minigrad.utils.checkpoint
import minigrad.utils.data
from minigrad.absent import ADVICE, LEFT_OUT

behaviours = Behaviours()

# -- what PyTorch has

# Their values are names that are left out: `memory_format=torch.channels_last` is told at `torch.channels_last`.
UNWRITABLE = ("layout", "memory_format")
# Of ops, which are called as they are, so that nobody looks for more arguments than they have.
OF_OPS = ("out", "out_dtype")
# What PyTorch's documentation calls parameters that have other names, or none, in a call.
DOCUMENTED_OTHERWISE = {
    "broadcast_to": ("shape",), "det": ("input",), "swapaxes": ("axis0", "axis1"), "bmm": ("batch2",),
    "dot": ("other",), "narrow": ("dimension",), "matmul": ("tensor2",), "view": ("shape",), "where": ("y",),
    "remainder": ("divisor",), "load": ("pickle_load_args",),
    **dict.fromkeys(("max", "min", "median", "topk"), ("values", "indices")),
    "index_copy": ("tensor2",), "type_as": ("tensor",), "new_tensor": ("pin_memory",),
    "mul": ("value",), "div": ("value",), "floor_divide": ("value",),
}  # fmt: skip
# What PyTorch does not say the parameters of, options that are handed on, and what only the libraries make.
ANY_ARGUMENTS = (
    "Identity",
    "RNN",
    "LSTM",
    "GRU",
    "gradgradcheck",
    "no_grad",
    "enable_grad",
    "inference_mode",
    "FunctionEvent",
    "RemovableHandle",
)


def parameters_of_torch(function: Any) -> list[str]:
    """Their names, from the signature or else from the first lines of the documentation."""
    try:
        own = list(inspect.signature(function).parameters)
        if not set(own) <= {"args", "kwargs"}:
            return own
    except (ValueError, TypeError):
        pass
    called = rf"^\s*(?:\.\. function:: )?(?:\w+\.)*{re.escape(function.__name__)}\((.*?)\)\s*(?:->|$)"
    names = []
    for found in re.finditer(called, inspect.getdoc(function) or "", re.MULTILINE):
        parts = re.split(r",\s*(?![^(\[]*[)\]])", found[1])
        names += [part.strip().partition("=")[0].lstrip("*") for part in parts]
    return [name for name in names if name.isidentifier()]


def callables(torch: types.ModuleType) -> Iterator[tuple[str, Any, Any]]:
    """Public functions, methods and classes of minigrad, each beside that of PyTorch."""
    for path in ("", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "linalg",
                 "autograd", "autograd.graph", "autograd.functional", "autograd.profiler", "utils.data",
                 "utils.checkpoint"):  # fmt: skip
        ours: Any = minigrad
        theirs: Any = torch
        for part in filter(None, path.split(".")):
            ours, theirs = getattr(ours, part), getattr(theirs, part)
        for name in dir(ours):
            value = getattr(ours, name, None)
            is_own = (getattr(value, "__module__", "") or "").startswith("minigrad") or isinstance(
                value, types.FunctionType
            )
            is_error = isinstance(value, type) and issubclass(value, BaseException)
            if not name.startswith("_") and callable(value) and is_own and not is_error and hasattr(theirs, name):
                yield name, value, getattr(theirs, name)


def takes(function: Any) -> set[str]:
    """The parameters that one of ours has, and those that it leaves out."""
    text = inspect.unwrap(function)
    declared = inspect.signature(text if isinstance(text, types.FunctionType) else function).parameters
    name = function.__name__ if function.__name__ in LEFT_OUT else getattr(text, "__name__", "")
    return {*declared, *inspect.signature(function).parameters, *LEFT_OUT.get(name, ())}


def is_called_as_it_is(function: Any) -> bool:
    try:
        minigrad.public.source(function)
    except ValueError:
        return True
    return False


def test_every_parameter_of_torch_is_here_or_told(torch: types.ModuleType) -> None:
    missing, count = {}, 0
    for name, ours, theirs in callables(torch):
        if name in ANY_ARGUMENTS or (name.endswith("_") and is_called_as_it_is(ours)):  # in-place forms take what the
            continue  # function of the name takes
        known = {*takes(ours), "self", "args", "kwargs", *UNWRITABLE, *DOCUMENTED_OTHERWISE.get(name, ())}
        if is_called_as_it_is(ours) and not isinstance(ours, type):
            known.update(OF_OPS)
        absent = [parameter for parameter in parameters_of_torch(theirs) if parameter not in known]
        count += 1
        if absent:
            missing[name] = absent
    assert count > 250
    assert missing == {}, "what is left out on purpose stands in minigrad/data/left_out_arguments.txt, with its default"


# -- what is called
CALLS = {
    "BCELoss": "nn.BCELoss(@)(x, y)",
    "binary_cross_entropy": "f.binary_cross_entropy(x, y@)",
    "BCEWithLogitsLoss": "nn.BCEWithLogitsLoss(@)(x, y)",
    "binary_cross_entropy_with_logits": "f.binary_cross_entropy_with_logits(x, y@)",
    "CrossEntropyLoss": "nn.CrossEntropyLoss(@)(rows, classes)",
    "cross_entropy": "f.cross_entropy(rows, classes@)",
    "NLLLoss": "nn.NLLLoss(@)(rows, classes)",
    "nll_loss": "f.nll_loss(rows, classes@)",
    "L1Loss": "nn.L1Loss(@)(x, y)",
    "MSELoss": "nn.MSELoss(@)(x, y)",
    "SmoothL1Loss": "nn.SmoothL1Loss(@)(x, y)",
    "smooth_l1_loss": "f.smooth_l1_loss(x, y@)",
    "l1_loss": "f.l1_loss(x, y@)",
    "mse_loss": "f.mse_loss(x, y@)",
    "huber_loss": "f.huber_loss(x, y@)",
    "ELU": "nn.ELU(@)(x)",
    "elu": "f.elu(x@)",
    "SiLU": "nn.SiLU(@)(x)",
    "silu": "f.silu(x@)",
    "AvgPool2d": "nn.AvgPool2d(2@)(image)",
    "avg_pool2d": "f.avg_pool2d(image, 2@)",
    "Embedding": "nn.Embedding(3, 2@)(classes).shape",
    "embedding": "f.embedding(classes, rows@)",
    "Upsample": "nn.Upsample(scale_factor=2@)(image)",
    "interpolate": "f.interpolate(image, scale_factor=2@)",
    "MultiheadAttention": "nn.MultiheadAttention(4, 2@)(image[0, 0], image[0, 0], image[0, 0])[0].shape",
    "TransformerEncoder": "len(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 1, None, False@).layers)",
    "scaled_dot_product_attention": "f.scaled_dot_product_attention(image, image, image@)",
    "LSTM": "nn.LSTM(4, 2@)(image[0, 0])[0].shape",
    "load_state_dict": "str(nn.Linear(2, 1).load_state_dict({}, strict=False@).unexpected_keys)",
    "clip_grad_norm_": "nn.utils.clip_grad_norm_(leaf, 1.0@)",
    "clip_grad_value_": "nn.utils.clip_grad_value_(leaf, 1.0@)",
    "SGD": "len(F.optim.SGD([leaf], 0.1@).param_groups)",
    "Adam": "len(F.optim.Adam([leaf], 0.1@).param_groups)",
    "AdamW": "len(F.optim.AdamW([leaf], 0.1@).param_groups)",
    "Adagrad": "len(F.optim.Adagrad([leaf], 0.1@).param_groups)",
    "Adadelta": "len(F.optim.Adadelta([leaf], 0.1@).param_groups)",
    "RMSprop": "len(F.optim.RMSprop([leaf], 0.1@).param_groups)",
    "DataLoader": "list(F.utils.data.DataLoader([1, 2, 3], 2@))",
    "checkpoint": "F.utils.checkpoint.checkpoint(lambda x: x * 2, leaf, use_reentrant=False@)",
    "jacobian": "F.autograd.functional.jacobian(lambda x: x * x, x@)",
    "hessian": "F.autograd.functional.hessian(lambda x: (x * x).sum(), x@)",
    "gradcheck": "F.autograd.gradcheck(lambda x: x * x, leaf.detach().double().requires_grad_()@)",
    "gradgradcheck": "F.autograd.gradgradcheck(lambda x: x * x, leaf.detach().double().requires_grad_()@)",
    "profile": "F.autograd.profiler.profile(False@) is None",
    "save": "F.save(x, io.BytesIO()@)",
    "load": "F.load(saved()@)",
    "norm": "F.norm(x@)",
    "normalize": "f.normalize(rows@)",
    "linalg_norm": "F.linalg.norm(x@)",
    "cumsum": "F.cumsum(x, 0@)",
    "dot": "F.dot(x, y@)",
    "logsumexp": "F.logsumexp(x, 0@)",
    "diag": "F.diag(x@)",
    "div": "F.div(x, y + 1@)",
    "multinomial": "F.multinomial(x, 2@).shape",
    "normal": "F.normal(0.0, 1.0, (2,)@).shape",
    "outer": "F.outer(x, y@)",
    "topk": "tuple(F.topk(x, 1@))",
    "sort": "tuple(F.sort(x@))",
    "tril": "F.tril(rows@)",
    "triu": "F.triu(rows@)",
    "full": "F.full((2,), 3.0@)",
    "eye": "F.eye(2@)",
    "arange": "F.arange(3@)",
    "linspace": "F.linspace(0, 1, 3@)",
    "randint": "F.randint(3, (2,)@).shape",
    "randperm": "F.randperm(3@).shape",
    "tensor": "F.tensor([1.0]@)",
    "new_full": "x.new_full((2,), 3.0@)",
    **{name: f"x.{name}(2@).shape" for name in ("new_empty", "new_ones", "new_zeros")},
    "cumprod": "F.cumprod(x, 0@)",
    "index_select": "F.index_select(x, 0, classes@)",
    "mv": "F.mv(rows.T, x@)",
    "vdot": "F.vdot(x, y@)",
    "repeat_interleave": "F.repeat_interleave(x, 2@)",
    **{name: f"F.{name}(x, 0@)" for name in ("sum", "mean", "all", "any", "amax", "amin", "argmax", "argmin", "prod",
                                             "std", "var")},
    **{name: f"F.{name}(x@)" for name in ("max", "min", "median", "nonzero", "round")},
    **{name: f"F.{name}(x, y + 1@)" for name in ("add", "mul", "sub", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
                                                "logical_or", "maximum", "minimum", "remainder", "floor_divide")},
    **{name: f"F.{name}([x, y]@)" for name in ("cat", "concat", "stack")},
    **{name: f"F.{name}(x, 0.3@)" for name in ("clamp", "clip")},
    "gather": "F.gather(x, 0, classes@)",
    "logical_not": "F.logical_not(x@)",
    "matmul": "F.matmul(rows, rows.T@)",
    "mm": "F.mm(rows, rows.T@)",
    "bmm": "F.bmm(image[0], image[0]@)",
    "where": "F.where(x > 0.3, x, y@)",
    "type": "x.type(F.float64@)",
    **{name: f"F.{name}(x@)[0]" for name in ("var_mean", "std_mean")},
    **{name: f"F.{name}(2@).shape" for name in ("zeros", "ones", "empty", "rand", "randn")},
}  # fmt: skip
# Not written in a call of PyTorch's: their defaults are objects, or they belong to a form that has two results.
ONLY_HERE = {("checkpoint", "context_fn"), ("save", "pickle_module"), ("norm", "out"), ("std_mean", "out"),
             ("var_mean", "out"), ("nonzero", "out"), ("max", "out"), ("min", "out"), ("median", "out"),
             ("Upsample", "antialias"), ("mm", "out_dtype"), ("bmm", "out_dtype")}  # fmt: skip


def evaluate(F: Any, text: str) -> Any:
    import io

    def saved() -> Any:
        file = io.BytesIO()
        F.save(F.ones(2), file)
        file.seek(0)
        return file

    F.manual_seed(0)
    leaf = F.tensor([1.0, 2.0], requires_grad=True)
    leaf.grad = F.tensor([3.0, 4.0])
    names = {
        "F": F, "nn": F.nn, "f": F.nn.functional, "io": io, "saved": saved, "leaf": leaf,
        "x": F.tensor([0.5, 0.25]), "y": F.tensor([1.0, 0.0]), "rows": F.tensor([[0.5, 1.0, 2.0], [0.0, 3.0, 1.0]]),
        "classes": F.tensor([0, 1]), "image": F.arange(16.0).reshape(1, 1, 4, 4) / 16,
    }  # fmt: skip
    value = eval(text, names)
    return list(value) if isinstance(value, tuple) else value


def call(name: str, argument: str) -> str:
    """The call of a function with one argument more."""
    text = CALLS[name]
    alone = text[text.index("@") - 1] == "("
    return text.replace("@", argument if alone else f", {argument}" if argument else "")


for _name, _parameters in LEFT_OUT.items():
    for _parameter, _accepted in _parameters.items():
        for _default in _accepted or ():
            if (_name, _parameter) not in ONLY_HERE:
                _text = call(_name, f"{_parameter}={_default!r}")
                behaviours(f"a default: {_text}")(lambda F, text=_text: evaluate(F, text))


def test_every_function_is_called_above() -> None:
    assert CALLS.keys() == LEFT_OUT.keys()


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_value_that_is_no_default_is_told(name: str) -> None:
    for parameter, accepted in LEFT_OUT[name].items():
        if accepted is None:
            continue
        evaluate(minigrad, call(name, f"{parameter}={accepted[0]!r}"))
        with pytest.raises(TypeError) as caught:
            evaluate(minigrad, call(name, f"{parameter}=leaf"))
        begins = f"{name}() got an unexpected keyword argument {parameter!r} (other than {parameter}={accepted[0]!r}): "
        assert str(caught.value) == begins + ADVICE


IN_PLACE = [
    "nn.BCELoss(None, None, None, 'sum')(x, y)",
    "nn.BCEWithLogitsLoss(None, None, None, 'sum', y)(x, y)",
    "nn.MSELoss(None, None, 'sum')(x, y)",
    "nn.CrossEntropyLoss(None, None, 1, None, 'sum', 0.1)(rows, classes)",
    "f.mse_loss(x, y, None, None, 'sum')",
    "f.nll_loss(rows, classes, None, None, 1, None, 'sum')",
    "f.cross_entropy(rows, classes, None, None, 1, None, 'sum', 0.1)",
    "f.binary_cross_entropy_with_logits(x, y, None, None, None, 'sum', y)",
    "f.embedding(classes, rows, None, None, 2.0, False, False)",
    "f.interpolate(image, None, 2.0, 'nearest', None, None, False)",
    "f.elu(x, 0.5, False)",
    "nn.SiLU(False)(x)",
    "F.optim.Adagrad([leaf], 0.1, 0, 0, 0, 1e-10, None, maximize=True).param_groups[0]['maximize']",
    "F.optim.RMSprop([leaf], 0.1, 0.9, 1e-8, 0, 0.5, True, False, None, True, False).param_groups[0]['maximize']",
    "nn.utils.clip_grad_norm_(leaf, 1.0, 2.0, False, None)",
    "nn.LSTM(4, 2, 1, True, True, 0.0, False, 0)(image[0])[0].shape",
    "nn.MultiheadAttention(4, 2, 0.0, True, False, False, None, None, True).batch_first",
    "list(F.utils.data.DataLoader([1, 2, 3], 2, False, None, None, 0, None, False, True))",
    "F.autograd.functional.jacobian(lambda x: x * x, x, False, False, False, 'reverse-mode')",
    "F.norm(x, 2, 0, False, None, None)",
    "str(nn.Linear(2, 1).load_state_dict({}, False, False).unexpected_keys)",
]
for _text in IN_PLACE:
    behaviours(f"by place: {_text}")(lambda F, text=_text: evaluate(F, text))
test_as_in_torch = behaviours.test()


@pytest.mark.parametrize(
    "text",
    [
        "nn.MSELoss(None, None, 'sum', reduction='mean')",
        "nn.MSELoss(None, None, 'sum', 3)",
        "f.mse_loss(x, y, None, None, 'sum', reduction='mean')",
        "F.optim.SGD([leaf], no_such=1)",
        "F.optim.RMSprop([leaf], 0.1, 0.9, 1e-8, 0, 0.5, True, False, None, True, False, 7)",
    ],
)
def test_what_python_refuses_is_refused_as_in_torch(text: str, torch: types.ModuleType) -> None:
    for library in (torch, minigrad):
        with pytest.raises(TypeError) as caught:
            evaluate(library, text)
        assert ADVICE not in str(caught.value)
        assert "<locals>" not in str(caught.value)
