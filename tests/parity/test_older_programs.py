"""What programs of other years, or for other machines, ask for: classes by dtype, old names, switches of processors.

After this file a reader knows that such a program runs, or is told by name what is missing and what to write instead.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

KINDS = ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")

# ---------------------------------------------------------------- a class for each dtype


@behaviours("numbers in the dtype of a class, lists and arrays")
def _(F: Any) -> Any:
    made = [getattr(F, f"{kind}Tensor") for kind in KINDS]
    return [(kind([1, 0]), kind(np.array([1.0, 0.0])), kind(2, 3).shape, repr(kind)) for kind in made]


@behaviours("a class tells tensors apart, and converts them")
def _(F: Any) -> Any:
    x = F.tensor([1.5, -2.5])
    converted = [x.type(F.LongTensor), x.type("torch.DoubleTensor"), x.long().type(F.FloatTensor)]
    return [isinstance(each, F.LongTensor) for each in (x, *converted)], converted, x.type()


@behaviours("a tensor of the same dtype is shared")
def _(F: Any) -> Any:
    x = F.ones(2)
    F.FloatTensor(x)[0] = 5
    return x


@behaviours("a tensor of another dtype is refused", error=TypeError, says="expected ")
def _(F: Any) -> Any:
    F.FloatTensor(F.ones(2).long())


@behaviours("a number that is no size is refused", error=TypeError, says="new(): data must be a sequence (got float)")
def _(F: Any) -> Any:
    F.LongTensor(2.5)


@behaviours("a class that does not exist is refused", error=ValueError, says="invalid type: ")
def _(F: Any) -> Any:
    F.ones(1).type("torch.LittleTensor")


@behaviours("new() makes tensors of the same dtype")
def _(F: Any) -> Any:
    return F.ones(2).new(3).shape, F.ones(2).long().new([3.7]), F.ones(1, dtype=F.float64).new([1, 2])


@behaviours(
    "set_default_tensor_type",
    warns=("UserWarning: torch.set_default_tensor_type() is deprecated",) * 2,
)
def _(F: Any) -> Any:
    try:
        F.set_default_tensor_type("torch.DoubleTensor")
        return F.ones(1).dtype
    finally:
        F.set_default_tensor_type(F.FloatTensor)


# ---------------------------------------------------------------- names


@behaviours("constants")
def _(F: Any) -> Any:
    return F.pi, F.e, F.inf, F.nan, F.ones(2)[:, F.newaxis].shape


@behaviours("what a tensor says of itself")
def _(F: Any) -> Any:
    x = F.ones(2)
    flags = [x.is_sparse, x.is_quantized, x.is_meta, x.is_mps, x.is_xpu, x.is_cuda]
    return x.get_device(), flags, str(x.layout), x.half().dtype, x.short().dtype, x.char().dtype, x.byte().dtype


@behaviours("fill_diagonal_ of a vector is refused", error=RuntimeError, says="dimensions must larger than 1")
def _(F: Any) -> Any:
    F.ones(2).fill_diagonal_(1)


@behaviours("fill_diagonal_ of unequal sizes is refused", error=RuntimeError, says="all dimensions of input must be of")
def _(F: Any) -> Any:
    F.ones(2, 2, 3).fill_diagonal_(1)


@behaviours("fill_diagonal_ stops the gradient there")
def _(F: Any) -> Any:
    x = F.ones(3, 3, requires_grad=True)
    (x * 2).fill_diagonal_(0).sum().backward()
    return x.grad


# ---------------------------------------------------------------- other processors, fewer bits


@behaviours("there is no other processor")
def _(F: Any) -> Any:
    for name in ("backends", "backends.cudnn", "cuda.amp", "amp"):
        importlib.import_module(f"{F.__name__}.{name}")
    F.cuda.empty_cache()
    cudnn = F.backends.cudnn
    return [
        (cudnn.is_available(), cudnn.version(), cudnn.enabled, cudnn.benchmark, cudnn.deterministic),
        (F.backends.mps.is_available(), F.backends.mps.is_built(), F.backends.cuda.matmul.allow_tf32),
        F.backends.cuda.is_built(),
        (F.accelerator.is_available(), F.accelerator.current_accelerator(), F.accelerator.device_count()),
        (F.cuda.is_available(), F.cuda.memory_allocated(), F.cuda.max_memory_allocated()),
    ]


@behaviours("what is asked of speed and exactness is remembered")
def _(F: Any) -> Any:
    told = []
    try:
        F.use_deterministic_algorithms(True, warn_only=True)
        F.set_float32_matmul_precision("high")
        told += [F.are_deterministic_algorithms_enabled(), F.is_deterministic_algorithms_warn_only_enabled()]
        told += [F.get_float32_matmul_precision()]
    finally:
        F.use_deterministic_algorithms(False)
        F.set_float32_matmul_precision("highest")
    return [*told, F.are_deterministic_algorithms_enabled(), F.get_float32_matmul_precision()]


@behaviours("deterministic or not is a bool", error=TypeError, says="_set_deterministic_algorithms(): argument 'mode'")
def _(F: Any) -> Any:
    F.use_deterministic_algorithms(1)


def scaled_step(F: Any, scaler: Any, context: Any) -> Any:
    p = F.ones(2, requires_grad=True)
    optimizer = F.optim.SGD([p], lr=0.1)
    with context:
        loss = (p * p).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    scaler.load_state_dict(scaler.state_dict())
    return p, scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()


@behaviours("mixed precision switched off")
def _(F: Any) -> Any:
    return scaled_step(F, F.amp.GradScaler(enabled=False), F.autocast("cpu", enabled=False))


@behaviours(
    "mixed precision without the processor for it switches itself off",
    warns=(
        "UserWarning: torch.cuda.amp.GradScaler is enabled, but",
        "UserWarning: CUDA is not available",
    ),
)
def _(F: Any) -> Any:
    return scaled_step(F, F.amp.GradScaler("cuda"), F.autocast("cuda", dtype=F.float16))


@behaviours(
    "mixed precision under its older names",
    warns=("FutureWarning: `torch.cuda.amp.GradScaler(args...)", "FutureWarning: `torch.cuda.amp.autocast(args...)"),
)
def _(F: Any) -> Any:
    importlib.import_module(f"{F.__name__}.cuda.amp")
    return scaled_step(F, F.cuda.amp.GradScaler(enabled=False), F.cuda.amp.autocast(enabled=False))


test_as_in_torch = behaviours.test()


def test_mixed_precision_on_the_cpu_is_refused() -> None:
    with pytest.raises(RuntimeError, match="bfloat16, which numpy does not have"):
        minigrad.autocast("cpu")
    with pytest.raises(RuntimeError, match="enabled=False"):
        minigrad.amp.GradScaler("cpu")


# ---------------------------------------------------------------- what is not there

LEFT_OUT = {
    "bfloat16": "Use float32",
    "complex64": "numbers are real here",
    "sparse_coo_tensor": "tensors are dense here",
    "quantize_per_tensor": "no quantized tensors",
    "compile": "Leave the call out",
    "vmap": "autograd.functional",
    "distributed": "one process",
    "uint16": "the dtypes of integers",
    "set_num_threads": "OMP_NUM_THREADS",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_name_that_is_left_out_says_what_to_do(name: str, torch: Any) -> None:
    assert hasattr(torch, name)
    with pytest.raises(AttributeError, match=f"^module 'minigrad' has no attribute '{name}': .*{LEFT_OUT[name]}"):
        getattr(minigrad, name)


METHODS_LEFT_OUT = {
    "bfloat16": "float32",
    "to_sparse": "dense",
    "imag": "real",
    "apply_": "whole tensors",
    "qr": "linalg",
}


@pytest.mark.parametrize("name", METHODS_LEFT_OUT)
def test_a_method_that_is_left_out_says_what_to_do(name: str, torch: Any) -> None:
    assert hasattr(torch.Tensor, name)
    with pytest.raises(AttributeError, match=f"^'Tensor' object has no attribute '{name}': .*{METHODS_LEFT_OUT[name]}"):
        getattr(minigrad.ones(1), name)


def test_layers_and_optimizers_that_are_left_out_say_what_to_do() -> None:
    with pytest.raises(AttributeError, match="'DataParallel': minigrad computes in one process"):
        minigrad.nn.DataParallel  # noqa: B018
    with pytest.raises(AttributeError, match="'SparseAdam': the optimizers here are SGD"):
        minigrad.optim.SparseAdam  # noqa: B018


def test_names_that_do_not_exist_are_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match=r"^module 'minigrad' has no attribute 'tensr'$") as caught:
        minigrad.tensr  # noqa: B018
    assert caught.value.name == "tensr"
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'summ'$") as caught:
        minigrad.ones(1).summ  # noqa: B018
    assert caught.value.name == "summ"


def test_what_is_left_out_is_not_there(torch: Any) -> None:
    """No name is both explained as absent and present, and each is one of PyTorch's."""
    from minigrad import absent

    places = {
        "minigrad": (minigrad, torch),
        "Tensor": (minigrad.Tensor, torch.Tensor),
        "minigrad.nn": (minigrad.nn, torch.nn),
        "minigrad.optim": (minigrad.optim, torch.optim),
    }
    for owner, reasons in absent._LEFT_OUT.items():
        ours, theirs = places[owner]
        for name in " ".join(reasons.values()).split():
            assert not hasattr(ours, name), name
            assert hasattr(theirs, name) or (owner == "minigrad" and importlib.util.find_spec(f"torch.{name}")), name
