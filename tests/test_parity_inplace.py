"""Writing into tensors that a graph knows: in-place functions, `out=`, setitem, views and versions, as in PyTorch.

After this file a reader knows what `y += 1`, `y[0] = z` or `y.t().exp_()` do to a graph: which node y has afterwards,
where its gradient now goes, what happens to the views of y and to the tensor that y is a view of, how each write is
counted, and which writes are refused. Most tensors here are a 2x3 leaf `x` and a result `y = x * 1`, since a leaf
itself may not be written to. Gradients are taken with weights 1, 2, 3 ..., so that no two elements can be mistaken.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from side_by_side import Behaviours, ours

behaviours = Behaviours()

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERWRITTEN = "one of the variables needed for gradient computation has been modified by an inplace operation: "
MADE_IN_NO_GRAD = "A view was created in no_grad mode and is being modified inplace with grad mode enabled."
OF_ONE_MADE_IN_NO_GRAD = (
    "Output 0 of {} is a view of a view which was created in no_grad mode and is being modified inplace with grad mode "
    "enabled."
)
BASE_OF_ONE_MADE_IN_NO_GRAD = (
    "A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad "
    "mode enabled."
)
SEVERAL_VIEWS = "This view is the output of a function that returns multiple views."
NO_ROOM = "unsupported operation: more than one element of the written-to tensor refers to a single memory location."
RESIZED = "UserWarning: An output with one or more elements was resized since it had shape "


# ---------------------------------------------------------------- what is looked at


def grid(F: Any) -> Any:
    """The leaf x: 1 to 6, in two rows."""
    return F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


def number(F: Any, value: float = 2.0) -> Any:
    """A leaf without dimensions."""
    return F.tensor(value, requires_grad=True)


def name(node: Any) -> str | None:
    """A node's name; without the namespace that PyTorch puts before two of them."""
    return None if node is None else node.name().removeprefix("torch::autograd::")


def state(*tensors: Any) -> list[Any]:
    """All that a write can change about tensors, as it is now."""
    return [
        [t.tolist(), t.dtype, t.requires_grad, t.is_leaf, t._version, name(t.grad_fn), t._is_view()] for t in tensors
    ]


def graph(tensor: Any) -> list[Any]:
    """The nodes behind a tensor, nearest first, each with the names and input numbers that its edges lead to."""
    nodes, lines = [tensor.grad_fn] if tensor.grad_fn is not None else [], []
    for node in nodes:
        lines.append([name(node), [[name(behind), input_nr] for behind, input_nr in node.next_functions]])
        for behind, _ in node.next_functions:
            if behind is not None and all(behind is not known for known in nodes):
                nodes.append(behind)
    return lines


def weights(F: Any, tensor: Any) -> Any:
    """1, 2, 3 ... in the shape of a tensor."""
    return F.arange(1.0, tensor.numel() + 1.0).reshape(tensor.shape).to(tensor.dtype)


def gradients(F: Any, output: Any, *inputs: Any, create_graph: bool = False) -> list[Any]:
    """The gradients of a weighted sum; None for an input that the output does not depend on."""
    return list(
        F.autograd.grad(
            output, inputs, weights(F, output), retain_graph=True, create_graph=create_graph, allow_unused=True
        )
    )


def second(F: Any, output: Any, *inputs: Any) -> list[Any]:
    """The gradients of the gradients' sum of squares."""
    first = gradients(F, output, *inputs, create_graph=True)
    total = sum((g * g).sum() for g in first if g is not None)
    if not total.requires_grad:
        return [total]
    return [g if g is None else g + 0 for g in F.autograd.grad(total, inputs, allow_unused=True)]


def tried(action: Callable[[], Any], *beginnings: str) -> Any:
    """What an action gives; or its error, by type and by how it begins, in full if none of these is how."""
    try:
        return action()
    except Exception as error:
        return [type(error).__name__, next((b for b in beginnings if ours(str(error)).startswith(ours(b))), str(error))]


def mixed(F: Any, kind: str) -> Any:
    """A small plain tensor of a dtype."""
    return F.tensor([1, 0, 1], dtype=getattr(F, kind))


LOWER = {"Float": ("Int", "Long", "Bool"), "Int": ("Bool",), "Long": ("Bool",)}
ALL_CASTS = [
    f"result type {kind} can't be cast to the desired output type {target}" for kind in LOWER for target in LOWER[kind]
]


# ---------------------------------------------------------------- functions of one tensor

MIXED_SIGNS = [[-1.5, 0.5, 2.0], [1.0, -0.25, 3.0]]
POSITIVE = [[1.5, 0.5, 2.0], [1.0, 0.25, 3.0]]
UNARY: dict[str, list[list[float]]] = {
    **dict.fromkeys(("neg", "reciprocal", "exp", "abs", "sign", "sin", "cos", "tanh"), MIXED_SIGNS),
    **dict.fromkeys(("sigmoid", "relu", "square"), MIXED_SIGNS),
    **dict.fromkeys(("log", "sqrt"), POSITIVE),
}


def function_in_place(function: str, values: list[list[float]]) -> None:
    def changed(F: Any) -> tuple[Any, Any]:
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        getattr(y, f"{function}_")()
        return x, y

    @behaviours(f"D05: {function}_ makes a result the result of {function}")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        returned = getattr(y, f"{function}_")()
        return returned is y, state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D05: {function}_ can be differentiated twice")
    def _(F):
        x, y = changed(F)
        return second(F, y, x)

    @behaviours(f"D05: {function}_ through a view changes a part of the base")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        y = x * 1
        part = y[:, 1]
        getattr(part, f"{function}_")()
        return state(y, part), graph(y), graph(part), gradients(F, y, x), gradients(F, part, x), second(F, y, x)

    @behaviours(f"D01: {function}_ on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        getattr(F.tensor(values, requires_grad=True), f"{function}_")()

    @behaviours(f"D01: {function}_ on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        getattr(F.tensor(values, requires_grad=True)[0], f"{function}_")()

    @behaviours(f"D01: {function}_ writes into a leaf under no_grad, and it stays a leaf")
    def _(F):
        x = F.tensor(values, requires_grad=True)
        with F.no_grad():
            returned = getattr(x, f"{function}_")()
        return returned is x, state(x)

    @behaviours(f"D04: {function}_ on a tensor that needs no grad only writes and counts")
    def _(F):
        x = F.tensor(values)
        return getattr(x, f"{function}_")() is x, state(x)

    @behaviours(f"I04: {function}_ keeps the dtype or refuses")
    def _(F):
        return [
            tried(lambda kind=kind: state(getattr(mixed(F, kind), f"{function}_")()), *ALL_CASTS, *NOT_FOR_BOOLS)
            for kind in ("bool", "int32", "int64", "float32", "float64")
        ]

    @behaviours(f"D05: there is a function F.{function}_ where PyTorch has one")
    def _(F):
        if not hasattr(F, f"{function}_"):
            return "there is none"
        y = F.tensor(values, requires_grad=True) * 1
        return getattr(F, f"{function}_")(y) is y, state(y)


NOT_FOR_BOOLS = (
    "Negation, the `-` operator, on a bool tensor is not supported.",
    "\"abs_cpu\" not implemented for 'Bool'",
    "Boolean inputs not supported for relu",
)

for function, values in UNARY.items():
    function_in_place(function, values)


@behaviours("D05: which functions in place can be called by name, and which only as methods")
def _(F):
    others = (
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "fill",
        "zero",
        "copy",
        "detach",
        "t",
        "eq",
        "logical_not",
        "index_put",
    )
    return {f"{name}_": [hasattr(F, f"{name}_"), hasattr(F.Tensor, f"{name}_")] for name in (*UNARY, *others)}


@behaviours("D05: logical_not_ and bitwise_not_ write their answer in the tensor's own dtype")
def _(F):
    kinds = ("bool", "int32", "int64", "float32", "float64")
    return [
        [tried(lambda kind=kind: state(mixed(F, kind).logical_not_())) for kind in kinds],
        [tried(lambda kind=kind: state(mixed(F, kind).bitwise_not_())) for kind in kinds[:3]],
    ]


@behaviours("D05: logical_not_ of a result leaves its node as it was")
def _(F):
    x = grid(F)
    y = x * 1
    return y.logical_not_() is y, state(y), graph(y), gradients(F, y, x)


# ---------------------------------------------------------------- functions of two

BINARY = ("add", "sub", "mul", "div", "pow")
OPERANDS: dict[str, Callable[[Any], Any]] = {
    "a tensor of the same shape": lambda F: F.tensor([[0.5, 2.0, 3.0], [1.0, -2.0, 2.0]], requires_grad=True),
    "a row that is repeated": lambda F: F.tensor([2.0, -1.0, 3.0], requires_grad=True),
    "a column that is repeated": lambda F: F.tensor([[2.0], [3.0]], requires_grad=True),
    "a 0-d tensor": number,
    "a plain tensor": lambda F: F.tensor([2.0, 1.0, 0.5]),
    "a number": lambda F: 2,
    "a float": lambda F: 1.5,
}


def operator_in_place(function: str, kind: str, operand: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: {function}_ with {kind} gives both their gradients")
    def _(F):
        x, other = grid(F), operand(F)
        y = x * 1
        returned = getattr(y, f"{function}_")(other)
        inputs = [t for t in (x, other) if isinstance(t, F.Tensor) and t.requires_grad]
        return returned is y, state(y), graph(y), gradients(F, y, *inputs), second(F, y, *inputs)


for function in BINARY:
    for kind, operand in OPERANDS.items():
        operator_in_place(function, kind, operand)


def operator_on_kinds_of_tensor(function: str) -> None:
    @behaviours(f"D07: {function}_ with an operand that needs grad takes a plain tensor into the graph")
    def _(F):
        w, y = number(F), F.tensor([1.0, 2.0, 3.0])
        getattr(y, f"{function}_")(w)
        return state(y), graph(y), gradients(F, y, w)

    @behaviours(f"D05: {function}_ with itself")
    def _(F):
        x = grid(F)
        y = x * 1
        getattr(y, f"{function}_")(y)
        of = {"mul": "Mul", "div": "Div", "pow": "Pow1"}.get(function, "no node: this one saves nothing")
        text = f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of {of}, is at version 1; expected version"
        return state(y), graph(y), tried(lambda: gradients(F, y, x), text)

    @behaviours(f"D05: {function}_ with a view of itself, whose old numbers are used")
    def _(F):
        y = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        getattr(y, f"{function}_")(y.detach().clone().t())
        return state(y)

    @behaviours(f"D01: {function}_ on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        getattr(grid(F), f"{function}_")(2.0)

    @behaviours(f"D01: {function}_ on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        getattr(grid(F).t(), f"{function}_")(2.0)

    @behaviours(f"D01: {function}_ writes into a leaf under no_grad, also with an operand that needs grad")
    def _(F):
        x, w = grid(F), number(F)
        with F.no_grad():
            returned = getattr(x, f"{function}_")(w)
        return returned is x, state(x)

    @behaviours(
        f"D05: {function}_ with operands that would make the result larger is refused",
        error=RuntimeError,
        says="output with shape [2] doesn't match the broadcast shape [2, 2]",
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")(F.ones(2, 2))

    @behaviours(
        f"D05: {function}_ with operands that do not fit is refused",
        error=RuntimeError,
        says="The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")(F.ones(3))

    @behaviours(f"D05: a refused {function}_ has changed and counted nothing")
    def _(F):
        x = grid(F)
        y, whole = x * 1, F.tensor([1, 2])
        refused = [
            tried(lambda: getattr(y, f"{function}_")(F.ones(2)), "The size of tensor a"),
            tried(lambda: getattr(x, f"{function}_")(1.0), LEAF),
            tried(lambda: getattr(whole, f"{function}_")(1.5), *ALL_CASTS),
        ]
        return refused, state(x, y, whole), gradients(F, y, x)

    @behaviours(f"D05: {function}_ on a tensor that was expanded is refused", error=RuntimeError, says=NO_ROOM)
    def _(F):
        getattr(F.zeros(1).expand(3), f"{function}_")(1.0)

    @behaviours(f"D05: {function}_ wants an operand", error=TypeError, says=f"{function}_() ")
    def _(F):
        getattr(F.ones(2), f"{function}_")()

    @behaviours(
        f"D05: {function}_ wants a tensor or a number",
        error=TypeError,
        says=(f"{function}_() received an invalid combination" if function == "pow" else f"{function}_(): argument"),
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")("a")

    @behaviours(f"D05: {function}_ on empty and on 0-d tensors")
    def _(F):
        x, w = F.zeros(0, 3).requires_grad_(), number(F, 3.0)
        empty, single = x * 1, w * 1
        for y in (empty, single):
            getattr(y, f"{function}_")(2.0)
        return state(empty, single), gradients(F, empty, x), gradients(F, single, w)


for function in BINARY:
    operator_on_kinds_of_tensor(function)


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def comparison_in_place(function: str) -> None:
    @behaviours(f"D05: {function}_ writes its answers as numbers, and no gradient passes")
    def _(F):
        x, w = grid(F), F.tensor([1.0, 5.0, 3.0], requires_grad=True)
        y, z = x * 1, x * 1
        returned = getattr(y, f"{function}_")(3.0)
        getattr(z, f"{function}_")(w)
        return returned is y, state(y, z), graph(y), graph(z), gradients(F, y, x), gradients(F, z, x, w)

    @behaviours(f"D01: {function}_ on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        getattr(grid(F), f"{function}_")(2.0)

    @behaviours(f"I04: {function}_ keeps the tensor's dtype whatever it compares with")
    def _(F):
        kinds = ("bool", "int32", "int64", "float32", "float64")
        return [
            tried(lambda a=a, b=b: state(getattr(mixed(F, a), f"{function}_")(mixed(F, b))), *ALL_CASTS)
            for a in kinds
            for b in kinds
        ]


for function in COMPARISONS:
    comparison_in_place(function)


def bitwise_in_place(function: str) -> None:
    @behaviours(f"D05: {function}_ on integers and bools, with a tensor and a number")
    def _(F):
        return [
            [
                tried(lambda a=a, b=b: state(getattr(mixed(F, a), f"{function}_")(b)), *ALL_CASTS)
                for b in (mixed(F, "bool"), mixed(F, "int64"), mixed(F, "int32"), 3, True)
            ]
            for a in ("bool", "int32", "int64")
        ]

    @behaviours(
        f"D05: {function}_ is not for floats",
        error=NotImplementedError,
        says=f"\"{function}_cpu\" not implemented for 'Float'",
    )
    def _(F):
        getattr(F.ones(2), f"{function}_")(F.ones(2))


for function in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    bitwise_in_place(function)


# ---------------------------------------------------------------- augmented operators

AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "**=": operator.ipow,
}


def augmented(sign: str, write: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"D05: y {sign} w keeps the tensor, and other names for it see the change")
    def _(F):
        x, w = grid(F), number(F)
        y = alias = x * 1
        y = write(y, w)
        return y is alias, state(y), graph(y), gradients(F, y, x, w)

    @behaviours(f"D01: x {sign} 2 on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        write(grid(F), 2)

    @behaviours(f"D05: y[0] {sign} w writes into the row, and then the row into y")
    def _(F):
        x, w = grid(F), number(F)
        y = x * 1
        y[0] = write(y[0], w)
        text = (
            f"{OVERWRITTEN}[torch.FloatTensor [3]], which is output 0 of AsStrided, is at version 2; expected version"
        )
        return state(y), graph(y), tried(lambda: gradients(F, y, x, w), text)

    @behaviours(f"D05: a number {sign} a tensor gives a new tensor")
    def _(F):
        x = grid(F)
        total = write(2.0, x)
        return state(total, x), graph(total), gradients(F, total, x)

    @behaviours(
        f"D05: y {sign} text is refused",
        error=TypeError,
        says=f"unsupported operand type(s) for {sign}: 'Tensor' and 'str'",
    )
    def _(F):
        write(F.ones(2), "a")


for sign, write in AUGMENTED.items():
    augmented(sign, write)


@behaviours("D05: y @= w makes a new tensor, since a product has a shape of its own")
def _(F):
    x, w = grid(F), F.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    y = before = x * 1
    y = operator.imatmul(y, w)
    return y is before, state(before, y), graph(y), gradients(F, y, x, w)


@behaviours("D05: &=, |= and ^= work in place")
def _(F):
    outcomes = []
    for write in (operator.iand, operator.ior, operator.ixor):
        for kind in ("bool", "int64"):
            y = alias = mixed(F, kind)
            y = write(y, mixed(F, "bool"))
            outcomes.append([y is alias, state(y)])
    return outcomes


@behaviours("D05: += in a function changes the caller's tensor")
def _(F):
    def shift(t):
        t += 1

    x = grid(F)
    y = x * 1
    shift(y)
    return state(y), gradients(F, y, x)


@behaviours("D05: y = y + 1 in a function does not change the caller's tensor")
def _(F):
    def shift(t):
        t = t + 1
        t.exp_()

    x = grid(F)
    y = x * 1
    shift(y)
    return state(y), gradients(F, y, x)


@behaviours("D05: add_ and sub_ take a factor for their operand, alpha")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y.add_(w, alpha=3)
    y.sub_(w, alpha=0.5)
    with F.no_grad():
        x.add_(F.ones(2, 3), alpha=-0.1)
    return state(x, y), graph(y), gradients(F, y, x, w)


# ---------------------------------------------------------------- fill_, zero_, copy_


@behaviours("D05: fill_ with a number stops the gradient")
def _(F):
    x = grid(F)
    y = x * 1
    return y.fill_(3) is y, state(y), graph(y), gradients(F, y, x), second(F, y, x)


@behaviours("D05: fill_ with a 0-d tensor gives it the sum of the gradient")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    return y.fill_(w) is y, state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)


@behaviours("D07: fill_ with a 0-d tensor takes a plain tensor into the graph")
def _(F):
    w, y = number(F), F.zeros(2, 2)
    y.fill_(w)
    return state(y), graph(y), gradients(F, y, w)


@behaviours("D05: fill_ and zero_ of a part")
def _(F):
    x, w = grid(F), number(F)
    y, z = x * 1, x * 1
    y[0].fill_(w)
    y[:, 1].fill_(7.0)
    z.t()[1:].zero_()
    return state(y, z), graph(y), graph(z), gradients(F, y, x, w), gradients(F, z, x)


@behaviours(
    "D05: fill_ wants a single number",
    error=RuntimeError,
    says="fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions",
)
def _(F):
    F.zeros(2).fill_(F.ones(2))


@behaviours("D05: zero_ stops the gradient")
def _(F):
    x = grid(F)
    y = x * 1
    return y.zero_() is y, state(y), graph(y), gradients(F, y, x)


@behaviours("I04: fill_ casts to the tensor's dtype")
def _(F):
    return [state(mixed(F, a).fill_(b)) for a in ("bool", "int32", "int64", "float64") for b in (True, 2, 2.7)]


@behaviours("I04: fill_ with a tensor casts to the tensor's dtype")
def _(F):
    return [
        state(mixed(F, a).fill_(F.tensor(b)))
        for a in ("bool", "int32", "int64", "float32", "float64")
        for b in (True, 2, 2.5)
    ]


@behaviours("D05: copy_ moves the gradient to what was copied")
def _(F):
    x, w = grid(F), (grid(F) * 2).detach().requires_grad_()
    y = x * 1
    return y.copy_(w) is y, state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)


@behaviours("D05: copy_ of a row that is repeated sums its gradient")
def _(F):
    x, row = grid(F), F.tensor([7.0, 8.0, 9.0], requires_grad=True)
    y = x * 1
    y.copy_(row)
    return state(y), graph(y), gradients(F, y, x, row)


@behaviours("D05: copy_ casts, and the gradient comes back in the source's dtype")
def _(F):
    w = F.tensor([1.25, 2.5], dtype=F.float64, requires_grad=True)
    y = F.zeros(2)
    y.copy_(w)
    return state(y), graph(y), gradients(F, y, w)


@behaviours("I04: copy_ casts any dtype to any other")
def _(F):
    kinds = ("bool", "int32", "int64", "float32", "float64")
    return [state(mixed(F, a).copy_(F.tensor([2.75, 0.0, -1.5]).to(getattr(F, b)))) for a in kinds for b in kinds]


@behaviours("D05: copy_ of a float that needs grad into integers leaves the graph")
def _(F):
    x, y = F.tensor([1.5, -2.5], requires_grad=True), F.zeros(2, dtype=F.int64)
    y.copy_(x)
    return state(x, y)


@behaviours("D05: copy_ of a tensor onto itself is nothing")
def _(F):
    x = grid(F)
    y = x * 1
    y.copy_(y)
    return y.tolist(), y.requires_grad, gradients(F, y, x)


@behaviours("D05: copy_ through a view")
def _(F):
    x, row = grid(F), F.tensor([7.0, 8.0], requires_grad=True)
    y = x * 1
    y.t()[2].copy_(row)
    return state(y), graph(y), gradients(F, y, x, row), second(F, y, x, row)


@behaviours(
    "D05: copy_ of a shape that does not fit is refused",
    error=RuntimeError,
    says="The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
)
def _(F):
    F.zeros(2).copy_(F.zeros(3))


@behaviours(
    "D05: copy_ of a larger shape is refused",
    error=RuntimeError,
    says="output with shape [2] doesn't match the broadcast shape [2, 2]",
)
def _(F):
    F.zeros(2).copy_(F.zeros(2, 2))


@behaviours(
    "D05: copy_ wants a tensor", error=TypeError, says="copy_(): argument 'other' (position 1) must be Tensor, not list"
)
def _(F):
    F.zeros(2).copy_([1.0, 2.0])


for text, write in {
    "fill_": lambda t: t.fill_(1.0),
    "zero_": lambda t: t.zero_(),
    "copy_": lambda t: t.copy_(t.detach() + 1),
    "copy_ of a tensor that needs grad": lambda t: t.copy_(t.clone()),
}.items():

    @behaviours(f"D01: {text} on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F, write=write):
        write(grid(F))

    @behaviours(f"D01: {text} on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F, write=write):
        write(grid(F)[1:])

    @behaviours(f"D01: {text} is allowed on a leaf and on its view under no_grad")
    def _(F, write=write):
        x = grid(F)
        row = x[0]
        with F.no_grad():
            write(x)
            write(row)
        return state(x, row), x.is_leaf

    @behaviours(f"D05: {text} on an expanded tensor")
    def _(F, write=write):
        return tried(lambda: state(write(F.zeros(1).expand(3))), NO_ROOM)


# ---------------------------------------------------------------- shapes in place

RESHAPED: dict[str, Callable[[Any], Any]] = {
    "t_()": lambda t: t.t_(),
    "swapaxes_(0, 1)": lambda t: t.swapaxes_(0, 1),
    "transpose_(0, 1)": lambda t: t.transpose_(0, 1),
    "transpose_(-1, -1)": lambda t: t.transpose_(-1, -1),
    "squeeze_()": lambda t: t.squeeze_(),
    "squeeze_(0)": lambda t: t.squeeze_(0),
    "unsqueeze_(0)": lambda t: t.unsqueeze_(0),
    "unsqueeze_(-1)": lambda t: t.unsqueeze_(-1),
}


def reshaped(text: str, write: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: {text} changes the shape of a result, which keeps its numbers")
    def _(F):
        x = grid(F)
        y = x * 1
        return write(y) is y, y.shape, state(y), graph(y), gradients(F, y, x), second(F, y, x)

    @behaviours(f"D05: {text} on one row")
    def _(F):
        x = F.tensor([[1.0, 2.0]], requires_grad=True)
        y = x * 1
        write(y)
        y.mul_(3.0)
        return y.shape, state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D04: {text} is a write like others to what counts")
    def _(F):
        y = F.ones(1, 2)
        other = y[0]
        write(y)
        y.add_(1)
        return y.shape, state(y, other)

    @behaviours(f"D01: {text} on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        write(grid(F))

    @behaviours(f"D01: {text} on a leaf under no_grad gives it another shape")
    def _(F):
        x = F.ones(1, 2, requires_grad=True)
        with F.no_grad():
            write(x)
        (x * x).sum().backward()
        return state(x), x.shape, x.grad

    @behaviours(f"D05: {text} on a view changes the view alone")
    def _(F):
        x = grid(F)
        y = x * 1
        part = y[:1, 1:]
        write(part)
        part.mul_(weights(F, part))
        return part.shape, state(y, part), graph(part), gradients(F, y, x), gradients(F, part, x)

    @behaviours(f"D02: {text} of a saved tensor is found")
    def _(F):
        x, w = grid(F), grid(F)
        y = x * 1
        z = y * w
        write(y)
        return tried(lambda: gradients(F, z, w), f"{OVERWRITTEN}[torch.FloatTensor")


for text, write in RESHAPED.items():
    reshaped(text, write)


@behaviours(
    "D05: t_ is for two dimensions at most",
    error=RuntimeError,
    says="t_() expects a tensor with <= 2 dimensions, but self is 3D",
)
def _(F):
    F.ones(1, 2, 3).t_()


@behaviours(
    "D05: transpose_ checks its dimensions",
    error=IndexError,
    says="Dimension out of range (expected to be in range of [-2, 1], but got 2)",
)
def _(F):
    F.ones(2, 3).transpose_(0, 2)


# ---------------------------------------------------------------- detach_, requires_grad_


@behaviours("D05: detach_ makes a result a leaf, and counts no write")
def _(F):
    x = grid(F)
    y = x * 1
    return y.detach_() is y, state(y), (y * x).grad_fn is not None


@behaviours("D05: detach_ of a leaf takes its requires_grad")
def _(F):
    x = grid(F)
    return x.detach_() is x, state(x)


@behaviours("D05: detach_ of a plain tensor is nothing")
def _(F):
    x = F.ones(2)
    return x.detach_() is x, state(x)


@behaviours("D05: detach_ leaves alone what was computed before")
def _(F):
    x = grid(F)
    y = x * 1
    z = y + y
    y.detach_()
    z.sum().backward()
    return state(y), x.grad


@behaviours(
    "D05: detach_ of a tensor that a node saved is found",
    error=RuntimeError,
    says="Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().",
)
def _(F):
    y = grid(F) * 1
    z = y * y
    y.detach_()
    z.sum().backward()


@behaviours("D05: detach_ makes hidden states start afresh in a loop")
def _(F):
    w = number(F)
    hidden, seen = F.ones(2), []
    for _ in range(3):
        hidden = hidden * w
        hidden.sum().backward()
        seen.append([hidden.tolist(), w.grad.item()])
        hidden.detach_()
    return seen, state(hidden)


@behaviours("D11: detach_ of a view is refused", error=RuntimeError, says="Can't detach views in-place. Use detach()")
def _(F):
    (grid(F) * 1)[0].detach_()


@behaviours("D11: detach_ of a view of a leaf is refused", error=RuntimeError, says="Can't detach views in-place.")
def _(F):
    grid(F).t().detach_()


@behaviours("D11: detach_ of a view of a plain tensor")
def _(F):
    return tried(lambda: state(F.ones(2)[0].detach_()), "Can't detach views in-place.")


@behaviours("D11: detach_ of a base with views")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    y.detach_()
    return state(y, row), tried(lambda: gradients(F, row, x))


@behaviours("D11: detach() of a view is fine, and is no view")
def _(F):
    x = grid(F)
    row = (x * 1)[0].detach()
    row.mul_(2)
    return state(row), row._base is None


@behaviours("D05: requires_grad_ of a base after a view was made")
def _(F):
    base = F.ones(2, 3)
    row = base[0]
    base.requires_grad_()
    seen = state(base, row)
    return seen, tried(lambda: state(row.mul_(2)), VIEW_OF_LEAF)


@behaviours("D05: requires_grad_ of a base, whose old view is then part of a computation")
def _(F):
    base = F.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = base[0]
    base.requires_grad_()
    total = (row * 3).sum() + (base * 2).sum()
    total.backward()
    return row.requires_grad, row.is_leaf, base.grad


@behaviours("D05: requires_grad_ of a view of a plain tensor makes the view a leaf")
def _(F):
    base = F.ones(2, 3)
    row = base[0].requires_grad_()
    seen = state(base, row)
    (row * row).sum().backward()
    return seen, row.grad, base.grad


@behaviours(
    "D01: writing into a view that was made a leaf is refused",
    error=RuntimeError,
    says=VIEW_OF_LEAF,
)
def _(F):
    F.ones(2, 3)[0].requires_grad_().mul_(2)


@behaviours("D01: writing into the base of a view that was made a leaf")
def _(F):
    base = F.ones(2, 3)
    row = base[0].requires_grad_()
    base.mul_(2)
    return state(base, row)


@behaviours("D01: a leaf freed of requires_grad may be written to")
def _(F):
    x = grid(F)
    x.requires_grad_(False)
    x.mul_(2)
    x.requires_grad_()
    (x * x).sum().backward()
    return state(x), x.grad


# ---------------------------------------------------------------- out=

INTO: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda F, a, out: F.add(a, 2, out=out),
    "sub": lambda F, a, out: F.sub(a, a.detach(), out=out),
    "mul": lambda F, a, out: F.mul(a, 3.0, out=out),
    "div": lambda F, a, out: F.div(a, 4, out=out),
    "pow": lambda F, a, out: F.pow(a, 2, out=out),
    "matmul": lambda F, a, out: F.matmul(a, a.detach(), out=out),
    "mm": lambda F, a, out: F.mm(a, a.detach(), out=out),
    "sum": lambda F, a, out: F.sum(a, 0, out=out),
    "mean": lambda F, a, out: F.mean(a, 1, True, out=out),
    "max": lambda F, a, out: F.max(a, out=out),
    "cat": lambda F, a, out: F.cat([a, a.detach()], 1, out=out),
    "stack": lambda F, a, out: F.stack([a, a.detach()], out=out),
    "where": lambda F, a, out: F.where(a > 2, a, a.detach(), out=out),
    **{
        function: lambda F, a, out, function=function: getattr(F, function)(a, out=out)
        for function in ("neg", "reciprocal", "exp", "log", "sqrt", "abs", "sign", "sin", "cos", "tanh", "sigmoid")
    },
}
WRONG_OUT = (
    *ALL_CASTS,
    "Expected out tensor to have dtype float, but got ",
    "Expected out type to be Float but got ",
    "Expected canCast(",
    "Found dtype ",
    "torch.cat(): input types can't be cast to the desired output type ",
)


def into(function: str, write: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D05: {function}(out=) returns out, written and counted")
    def _(F):
        a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        shape = write(F, a, F.tensor([])).shape
        out = F.zeros(shape)
        view = out.view(-1)
        return write(F, a, out) is out, state(out, view)

    @behaviours(f"D05: {function}(out=) gives an empty tensor the right shape without a word")
    def _(F):
        out = F.tensor([])
        return write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), out) is out, out.shape, state(out)

    @behaviours(f"D05: {function}(out=) resizes an out of another shape, with a warning", warns=(RESIZED + "[7]",))
    def _(F):
        out = F.zeros(7)
        return write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), out) is out, out.shape, state(out)

    @behaviours(f"I04: {function}(out=) casts or refuses")
    def _(F):
        a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        return [
            tried(lambda kind=kind: state(write(F, a, F.tensor([], dtype=getattr(F, kind)))), *WRONG_OUT)
            for kind in ("bool", "int32", "int64", "float64")
        ]

    @behaviours(
        f"D05: {function}(out=) with an input that requires grad is refused",
        error=RuntimeError,
        says=f"{function}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
    )
    def _(F):
        write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), F.tensor([]))

    @behaviours(
        f"D05: {function}(out=) with an out that requires grad is refused",
        error=RuntimeError,
        says=f"{function}(): functions with out=... arguments don't support automatic differentiation",
    )
    def _(F):
        write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), F.tensor([], requires_grad=True))

    @behaviours(f"D05: {function}(out=) under no_grad takes any tensors")
    def _(F):
        a, out = F.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), F.tensor([], requires_grad=True)
        with F.no_grad():
            return write(F, a, out) is out, state(a, out)


for function, write in INTO.items():
    into(function, write)


@behaviours("D05: max(dim, out=) writes both its answers")
def _(F):
    values, indices = F.tensor([]), F.tensor([], dtype=F.int64)
    answer = F.max(F.tensor([[1.0, 5.0], [3.0, 4.0]]), 1, out=(values, indices))
    return answer.values is values, answer.indices is indices, state(values, indices)


@behaviours("D05: out may be an input")
def _(F):
    a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
    F.add(a, a, out=a)
    F.exp(a, out=a)
    return state(a)


@behaviours("D05: out may be a view, which writes into its base")
def _(F):
    base = F.zeros(2, 3)
    F.mul(F.tensor([1.0, 2.0]), 3.0, out=base.t()[1])
    F.sum(F.ones(2, 3), 0, out=base[0])
    return state(base)


@behaviours("D05: what a graph saved may not be written to with out= either")
def _(F):
    x, a = grid(F), F.ones(2, 3)
    y = x * a
    F.add(a, 1, out=a)
    text = f"{OVERWRITTEN}[torch.FloatTensor [2, 3]] is at version 1; expected version 0 instead."
    return tried(lambda: gradients(F, y, x), text)


@behaviours("D05: out=None is as if it were not there")
def _(F):
    x = grid(F)
    y = F.exp(F.add(x, x, out=None), out=None)
    return graph(y), gradients(F, y, x)


@behaviours("D05: out has to be a tensor", error=TypeError, says="add(): argument 'out' must be Tensor, not list")
def _(F):
    F.add(F.ones(2), F.ones(2), out=[0.0, 0.0])


@behaviours("D05: comparisons write into an out of any dtype")
def _(F):
    a, outcomes = F.tensor([1.0, 2.0, 3.0]), []
    for kind in ("bool", "int64", "float32"):
        for function in COMPARISONS:
            out = F.tensor([], dtype=getattr(F, kind))
            outcomes.append([getattr(F, function)(a, 2.0, out=out) is out, state(out)])
    return outcomes


# ---------------------------------------------------------------- setitem

INDICES: dict[str, Callable[[Any], Any]] = {
    "[0]": lambda F: 0,
    "[-1]": lambda F: -1,
    "[1, 2]": lambda F: (1, 2),
    "[-2, -3]": lambda F: (-2, -3),
    "[:]": lambda F: slice(None),
    "[1:]": lambda F: slice(1, None),
    "[0:0]": lambda F: slice(0, 0),
    "[:, 1]": lambda F: (slice(None), 1),
    "[:, 1:]": lambda F: (slice(None), slice(1, None)),
    "[:, ::2]": lambda F: (slice(None), slice(None, None, 2)),
    "[-1, -2:]": lambda F: (-1, slice(-2, None)),
    "[...]": lambda F: ...,
    "[..., 0]": lambda F: (..., 0),
    "[0, ...]": lambda F: (0, ...),
    "[None]": lambda F: None,
    "[:, None, 1]": lambda F: (slice(None), None, 1),
    "[()]": lambda F: (),
    "[True]": lambda F: True,
    "[False]": lambda F: False,
    "[[1, 0]]": lambda F: [1, 0],
    "[[0]]": lambda F: [0],
    "[:, [2, 0]]": lambda F: (slice(None), [2, 0]),
    "[[0, 1], [2, 0]]": lambda F: ([0, 1], [2, 0]),
    "[[-1], [-1]]": lambda F: ([-1], [-1]),
    "[0, [0, 2]]": lambda F: (0, [0, 2]),
    "[1:, [0, 2]]": lambda F: (slice(1, None), [0, 2]),
    "[[0, 1], None, 1:]": lambda F: ([0, 1], None, slice(1, None)),
    "[tensor(1)]": lambda F: F.tensor(1),
    "[tensor([1, 0])]": lambda F: F.tensor([1, 0]),
    "[tensor([[0, 1], [1, 0]]), 1:]": lambda F: (F.tensor([[0], [1]]), slice(1, None)),
    "[:, tensor([1])]": lambda F: (slice(None), F.tensor([1])),
    "[tensor([0, 1]), tensor([[0], [2]])]": lambda F: (F.tensor([0, 1]), F.tensor([[0], [2]])),
    "[int32 tensor]": lambda F: F.tensor([1], dtype=F.int32),
    "[a mask]": lambda F: F.tensor([[True, False, True], [False, True, False]]),
    "[a mask of rows]": lambda F: F.tensor([False, True]),
    "[:, a mask of columns]": lambda F: (slice(None), F.tensor([True, False, True])),
    "[1, a mask of columns]": lambda F: (1, F.tensor([True, False, True])),
    "[a mask without a true]": lambda F: F.zeros(2, 3, dtype=F.bool),
    "[a list of bools]": lambda F: [True, False],
    "[a numpy array]": lambda F: np.array([1, 0]),
    "[a numpy mask]": lambda F: np.array([True, False]),
    "[a numpy int]": lambda F: np.int64(1),
    "[an empty list]": lambda F: [],
}


def set_item(text: str, index: Callable[[Any], Any]) -> None:
    @behaviours(f"D08: y{text} = a number takes the gradient of that part away")
    def _(F):
        x = grid(F)
        y = x * 1
        y[index(F)] = 9.0
        return state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D08: y{text} = a tensor gives the part's gradient to the tensor")
    def _(F):
        x = grid(F)
        y = x * 1
        w = (y[index(F)].detach() * 10).requires_grad_()
        y[index(F)] = w
        return state(y), graph(y), gradients(F, y, x, w), second(F, y * y, x, w)

    @behaviours(f"D08: y{text} = a 0-d tensor that is repeated gives it the sum")
    def _(F):
        x, w = grid(F), number(F)
        y = x * 1
        y[index(F)] = w
        return state(y), graph(y), gradients(F, y, x, w)

    @behaviours(f"D07: base{text} = a tensor takes a plain base into the graph")
    def _(F):
        w, base = number(F), F.zeros(2, 3)
        row = base[1]
        base[index(F)] = w * 3
        if text == "[False]":  # an index of nothing
            return state(base, row)
        return state(base, row), graph(base), gradients(F, base, w), gradients(F, row, w)

    @behaviours(f"D01: x{text} = a number on a leaf is refused, as a leaf or as the view that is written through")
    def _(F):
        x = grid(F)
        return tried(lambda: operator.setitem(x, index(F), 1.0), LEAF, VIEW_OF_LEAF), state(x)


for text, index in INDICES.items():
    set_item(text, index)


VALUES: dict[str, Callable[[Any], Any]] = {
    "an int": lambda F: 7,
    "a float": lambda F: 2.5,
    "a bool": lambda F: True,
    "nan": lambda F: float("nan"),
    "a numpy float": lambda F: np.float32(1.5),
    "a numpy int": lambda F: np.int64(3),
    "a numpy bool": lambda F: np.bool_(True),
    "a 0-d tensor": lambda F: F.tensor(2.5),
    "a tensor of one": lambda F: F.tensor([2.5]),
    "a tensor with leading ones": lambda F: F.tensor([[[1.0, 2.0, 3.0]]]),
    "integers": lambda F: F.tensor([7, 8, 9]),
    "bools": lambda F: F.tensor([True, False, True]),
    "doubles": lambda F: F.tensor([1.5, 2.5, 3.5], dtype=F.float64),
    "a column": lambda F: F.tensor([[1.0], [2.0]]),
    "too many": lambda F: F.tensor([1.0, 2.0, 3.0, 4.0]),
    "too few": lambda F: F.tensor([1.0, 2.0]),
    "an empty tensor": lambda F: F.tensor([]),
    "a list": lambda F: [1.0, 2.0, 3.0],
    "a tuple": lambda F: (1.0, 2.0, 3.0),
    "a numpy array": lambda F: np.array([1.0, 2.0, 3.0]),
    "a 0-d numpy array": lambda F: np.array(2.0),
    "text": lambda F: "a",
    "None": lambda F: None,
    "a function": lambda F: len,
}
FUNCTION = type(len).__name__
UNFIT = (
    "The expanded size of the tensor (3) must match the existing size (4) at non-singleton dimension 0.",
    "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.",
    "The expanded size of the tensor (3) must match the existing size (0) at non-singleton dimension 0.",
    "expand(torch.FloatTensor{[2, 1]}, size=[3]): the number of sizes provided (1) must be greater or equal",
    "shape mismatch: value tensor of shape [4] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [0] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [2, 1] cannot be broadcast to indexing result of shape [1, 3]",
    *(
        f"can't assign a {noun} to a torch.{target}Tensor"
        for noun in ("list", "tuple", "str", "NoneType", "numpy.ndarray", "numpy.float32", "numpy.bool", FUNCTION)
        for target in ("Float", "Long", "Bool")
    ),
    "value cannot be converted to type int64_t without overflow",
    "Index put requires the source and destination dtypes match",
)


def value_set(text: str, value: Callable[[Any], Any]) -> None:
    @behaviours(f"D08: y[0] = {text}, for floats, integers and bools")
    def _(F):
        def written(kind):
            y = F.zeros(2, 3, dtype=kind)
            y[0] = value(F)
            return state(y)

        return [tried(lambda kind=kind: written(kind), *UNFIT) for kind in (F.float32, F.int64, F.bool)]

    @behaviours(f"D08: y[[0]] = {text}, for floats, integers and bools")
    def _(F):
        def written(kind):
            y = F.zeros(2, 3, dtype=kind)
            y[[0]] = value(F)
            return state(y)

        return [tried(lambda kind=kind: written(kind), *UNFIT) for kind in (F.float32, F.int64, F.bool)]


for text, value in VALUES.items():
    value_set(text, value)


REFUSED_INDICES: dict[str, tuple[Any, type[Exception], str]] = {
    "[2]": (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    "[-3]": (-3, IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    "[0, 3]": ((0, 3), IndexError, "index 3 is out of bounds for dimension 1 with size 3"),
    "[0, 0, 0]": ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
    "[[0, 2]]": ([0, 2], IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    "[[0, -3]]": ([0, -3], IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    "[[0, 1], [0, 1, 2]]": (
        ([0, 1], [0, 1, 2]),
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ),
    "[[True, False, True]]": (
        [True, False, True],
        IndexError,
        "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0",
    ),
    "[1.5]": (
        1.5,
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)",
    ),
    "[::-1]": (slice(None, None, -1), ValueError, "step must be greater than zero"),
    "[0:2:0]": (slice(0, 2, 0), ValueError, "slice step cannot be zero"),
}


def refused_index(text: str, index: Any, error: type[Exception], says: str) -> None:
    @behaviours(f"D08: y{text} = a number is refused", error=error, says=says)
    def _(F):
        F.zeros(2, 3)[index] = 1.0

    if error is IndexError and "out of bounds" in says and isinstance(index, list):
        return  # PyTorch has written what came before the bad index

    @behaviours(f"D08: a refused y{text} = a number has changed and counted nothing")
    def _(F):
        x = grid(F)
        y = x * 1
        return tried(lambda: operator.setitem(y, index, 1.0), says), state(y), gradients(F, y, x)


for text, (index, error, says) in REFUSED_INDICES.items():
    refused_index(text, index, error, says)


@behaviours(
    "D08: a tensor without dimensions has no y[0] to write to",
    error=IndexError,
    says="invalid index of a 0-dim tensor. Use `tensor.item()`",
)
def _(F):
    F.tensor(1.0)[0] = 2.0


@behaviours("D08: a tensor without dimensions is written to by [...] and [()]")
def _(F):
    x = number(F)
    y, w = x * 1, number(F, 5.0)
    y[...] = w
    z = x * 1
    z[()] = 3.0
    return state(y, z), gradients(F, y, x, w), gradients(F, z, x)


@behaviours("D08: an element named twice gets the last value and, in the gradient, each value gets its own")
def _(F):
    x, w = grid(F), F.tensor([10.0, 20.0], requires_grad=True)
    y = x * 1
    y[[0, 0], [1, 1]] = w
    return state(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] = values fills the true places in order")
def _(F):
    x, w = grid(F), F.tensor([10.0, 20.0, 30.0], requires_grad=True)
    y = x * 1
    y[x > 3] = w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] = 0 as relu")
def _(F):
    x = F.tensor([-1.0, 2.0, -3.0], requires_grad=True)
    y = x * 1
    y[y < 0] = 0
    return state(y), gradients(F, y, x)


@behaviours(
    "D08: y[mask] = values of another number is refused",
    error=RuntimeError,
    says="shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [3]",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0, 4.0])
    y[y > 1] = F.tensor([1.0, 2.0])


@behaviours("D08: y[i] += w through a list of ints, where one named twice counts once")
def _(F):
    x, w = grid(F), F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = x * 1
    y[[1, 1]] += w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] *= w")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y[F.tensor([True, False])] *= w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[0] = y[1] copies a part of itself")
def _(F):
    x = grid(F)
    y = x * 1
    y[0] = y[1]
    return state(y), graph(y), gradients(F, y, x), second(F, y * y, x)


@behaviours(
    "D08: y[1:] = y[:-1], which would read what it has just written, is refused",
    error=RuntimeError,
    says="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0])
    y[1:] = y[:-1]


@behaviours("D08: y[1:] = y[:-1].clone() shifts by one")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[1:] = y[:-1].clone()
    return state(y), gradients(F, y, x)


@behaviours(
    "D08: y[1:] += y[:-1] is refused as well",
    error=RuntimeError,
    says="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0])
    y[1:] += y[:-1]


@behaviours("D08: swapping two rows with a tuple of copies")
def _(F):
    x = grid(F)
    y = x * 1
    y[0], y[1] = y[1].clone(), y[0].clone()
    return state(y), gradients(F, y, x)


def rows(F, row):
    """Two rows, the second computed from what `row` gives for the first."""
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = F.zeros(2, 3)
    y[0] = x
    y[1] = x * row(y)
    return x, y


@behaviours("D08: y[1] = x * a copy of y[0]")
def _(F):
    x, y = rows(F, lambda y: y[0].clone())
    return state(y), graph(y), gradients(F, y, x)


@behaviours(
    "D02: y[1] = x * y[0] writes into memory that the product saved, if not where it looks",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [3]], which is output 0 of AsStrided, is at version 2; expected version 1 "
    "instead.",
)
def _(F):
    x, y = rows(F, lambda y: y[0])
    gradients(F, y, x)


@behaviours("D08: a value of another dtype is cast, and its gradient is in its own")
def _(F):
    y, w = F.zeros(2, 3), F.tensor([1.5, 2.5, 3.5], dtype=F.float64, requires_grad=True)
    y[0] = w
    return state(y), graph(y), gradients(F, y, w)


@behaviours("D08: an empty value into an empty part")
def _(F):
    x, w = grid(F), F.zeros(0, 3).requires_grad_()
    y = x * 1
    y[2:] = w
    return state(y), gradients(F, y, x, w)


@behaviours("D08: y[...] = with leading ones more than y has dimensions")
def _(F):
    x, w = grid(F), F.ones(1, 1, 2, 3, requires_grad=True)
    y = x * 1
    y[...] = w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D01: setitem under no_grad writes into a leaf, and counts")
def _(F):
    x = grid(F)
    with F.no_grad():
        x[0] = 7.0
        x[[1], [2]] = 8.0
        x[x < 5] = 0.0
    return state(x)


@behaviours("D07: setitem under no_grad leaves the graph of a result as it was")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    with F.no_grad():
        y[0] = w
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D08: setitem of an expanded tensor writes through repeated memory")
def _(F):
    y = F.zeros(1, 3).expand(2, 3)

    def write(index):
        y[index] = 1.0
        return state(y)

    return tried(lambda: write(slice(None)), NO_ROOM), tried(lambda: write((0, 0)), NO_ROOM)


@behaviours("D05: index_put_ writes as y[...] = does, and can add up")
def _(F):
    x, w = grid(F), F.tensor([10.0, 20.0], requires_grad=True)
    y, z = x * 1, x * 1
    where = (F.tensor([0, 0]), F.tensor([1, 1]))
    returned = y.index_put_(where, w)
    z.index_put_(where, w, accumulate=True)
    return returned is y, state(y, z), graph(y), gradients(F, y, x, w), gradients(F, z, x, w)


@behaviours("D04: every setitem counts once")
def _(F):
    y, counts = F.zeros(2, 3), []
    for index in (0, slice(None), ..., None, (0, 1), [0], F.tensor([1]), y > 5, slice(2, None), True, False):
        y[index] = 1.0
        counts.append(y._version)
    return counts


# ---------------------------------------------------------------- writing through views

VIEWS: dict[str, Callable[[Any], Any]] = {
    "view(3, 2)": lambda t: t.view(3, 2),
    "view(-1)": lambda t: t.view(-1),
    "view_as": lambda t: t.view_as(t.detach().reshape(3, 2)),
    "reshape": lambda t: t.reshape(1, 6),
    "flatten": lambda t: t.flatten(),
    "[0]": lambda t: t[0],
    "[-1, 1:]": lambda t: t[-1, 1:],
    "[1, 2]": lambda t: t[1, 2],
    "[:, 1]": lambda t: t[:, 1],
    "[..., ::2]": lambda t: t[..., ::2],
    "[None]": lambda t: t[None],
    "[...]": lambda t: t[...],
    "[:]": lambda t: t[:],
    "[2:]": lambda t: t[2:],
    "transpose": lambda t: t.transpose(0, 1),
    "t": lambda t: t.t(),
    "T": lambda t: t.T,
    "permute": lambda t: t.permute(1, 0),
    "narrow": lambda t: t.narrow(1, 1, 2),
    "select": lambda t: t.select(1, 0),
    "diagonal": lambda t: t.diagonal(),
    "squeeze": lambda t: t.squeeze(),
    "squeeze(0)": lambda t: t.squeeze(0),
    "unsqueeze": lambda t: t.unsqueeze(1),
    "swapaxes": lambda t: t.swapaxes(0, 1),
    "movedim": lambda t: t.movedim(0, 1),
    "unflatten": lambda t: t.unflatten(1, (3, 1)),
    "as_strided": lambda t: t.as_strided((2, 2), (3, 1), 1),
    "expand to its own shape": lambda t: t.expand(2, 3),
    "a view of a view": lambda t: t.t()[1:],
    "a view of a view of a view": lambda t: t.view(-1)[1:5].view(2, 2),
    "a diagonal of a transposed part": lambda t: t[:, 1:].t().diagonal(),
}


def view_written(text: str, view: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: a write through {text} changes the base and its gradient")
    def _(F):
        x = grid(F)
        y = x * 1
        part = view(y)
        before = name(part.grad_fn)
        part.mul_(weights(F, part) + 1)
        return before, state(y, part), graph(y), graph(part), gradients(F, y, x), gradients(F, part, x)

    @behaviours(f"D05: a write through {text} with an operand that needs grad")
    def _(F):
        x, w = grid(F), number(F, 3.0)
        y = x * 1
        view(y).mul_(w)
        return state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)

    @behaviours(f"D06: a write to the base moves {text} to the base's new node")
    def _(F):
        x, w = grid(F), grid(F)
        y = x * 1
        part = view(y)
        y.mul_(w)
        return state(y, part), graph(part), gradients(F, part, x, w), second(F, part, x, w)

    @behaviours(f"D07: a write through {text} with a value that needs grad takes a plain base into the graph")
    def _(F):
        w, base = number(F, 3.0), F.ones(2, 3)
        part = view(base)
        part.mul_(w)
        return state(base, part), graph(base), graph(part), gradients(F, base, w), gradients(F, part, w)

    @behaviours(f"D06: a write to a plain base with a value that needs grad takes {text} into the graph")
    def _(F):
        w, base = number(F, 3.0), F.ones(2, 3)
        part = view(base)
        base.mul_(w)
        return state(base, part), graph(part), gradients(F, part, w)

    @behaviours(f"D05: {text} of a result, then written, then read as another view that was there before")
    def _(F):
        x, w = grid(F), number(F, 3.0)
        y = x * 1
        part, other = view(y), y.view(-1)[1:]
        part.add_(w)
        other.mul_(other.detach().clone())
        return state(y, part, other), graph(other), gradients(F, y * 1, x, w), gradients(F, part * 1, x, w)

    @behaviours(f"D01: a write through {text} of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        view(grid(F)).mul_(2.0)

    @behaviours(f"D01: a write through {text} of a leaf under no_grad")
    def _(F):
        x = grid(F)
        part = view(x)
        with F.no_grad():
            part.mul_(2.0)
        again = view(x)
        return state(x, part, again), gradients(F, part, x), gradients(F, again, x)

    @behaviours(f"D10: {text} made under no_grad: what it is")
    def _(F):
        x, plain = grid(F), F.ones(2, 3)
        y = x * 1
        with F.no_grad():
            parts = [view(x), view(y), view(plain)]
        return state(*parts), [part._base is base for part, base in zip(parts, (x, y, plain), strict=True)]

    @behaviours(
        f"D10: {text} made under no_grad and written to later is refused", error=RuntimeError, says=MADE_IN_NO_GRAD
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = view(y)
        part.mul_(2.0)

    @behaviours(
        f"D10: {text} made under no_grad has no node once its base was written to",
        error=RuntimeError,
        says=BASE_OF_ONE_MADE_IN_NO_GRAD,
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = view(y)
        y.mul_(2.0)
        part.grad_fn  # noqa: B018

    @behaviours(
        f"D11: detach_ of {text} is refused", error=RuntimeError, says="Can't detach views in-place. Use detach()"
    )
    def _(F):
        view(grid(F) * 1).detach_()

    @behaviours(f"D04: {text} shares its version and knows its base")
    def _(F):
        base, x = F.ones(2, 3), grid(F)
        part, of_result = view(base), view(x * 1)
        counts = [[base._version, part._version]]
        part.add_(1)
        counts.append([base._version, part._version])
        base.add_(1)
        counts.append([base._version, part._version, part.detach()._version, part.clone()._version])
        return counts, part._is_view(), part._base is base, of_result._base.grad_fn, of_result._version, part.tolist()


for text, view in VIEWS.items():
    view_written(text, view)


@behaviours("D05: expand repeats memory: no write through it, but writes to its base show")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    repeated = y.expand(3, 2)
    refused = tried(lambda: repeated.add_(1), NO_ROOM)
    y.mul_(3.0)
    return refused, state(y, repeated), graph(repeated), gradients(F, repeated, x)


@behaviours("D13: reshape that has to copy is no view, and a write to it leaves the base")
def _(F):
    x = grid(F)
    y = x * 1
    copy = y.t().reshape(6)
    copy.mul_(2.0)
    return state(y, copy), copy._base is None, graph(copy), gradients(F, copy, x)


@behaviours("D13: reshape of a transposed tensor that needs no copy is a view of the root")
def _(F):
    x = grid(F)
    y = x * 1
    same = y.t().reshape(3, 1, 2)
    same.mul_(2.0)
    return state(y, same), same._base is y, gradients(F, y, x)


@behaviours(
    "D13: contiguous memory decides whether view is possible", error=RuntimeError, says="view size is not compatible"
)
def _(F):
    F.ones(2, 3).t().view(6)


@behaviours("D12: clone, arithmetic and indexing with lists make no views")
def _(F):
    x = F.ones(2, 3)
    made = [x.clone(), x + 0, x[[0]], x[x > 0], x.detach(), x.to(F.float64), x.sum(0), x.exp()]
    return [[t._is_view(), t._base is None, t._version] for t in made]


@behaviours("D12: the base of a view of a view is the root, also when it is a result")
def _(F):
    x = F.ones(2, 3)
    y = grid(F) * 1
    return x.view(-1)[1:].view(5, 1)._base is x, y.t()[0].unsqueeze(0)._base is y, x[0].detach()[1:]._base is x


@behaviours("D12: a base lives as long as a view of it")
def _(F):
    part = (grid(F) * 2).view(-1)[1:3]
    return part._base, part, part._base.grad_fn


@behaviours("D05: three writes through three views, one after the other")
def _(F):
    x = grid(F)
    y = x * 1
    y[0].mul_(2.0)
    y.t()[1].add_(x[:, 0])
    y.view(-1)[2:4].mul_(x.view(-1)[:2])
    return state(y), graph(y), gradients(F, y, x), second(F, y, x)


@behaviours("D05: the same view written to three times")
def _(F):
    x = grid(F)
    y = x * 1
    row, seen = y[1], []
    for factor in (2.0, 3.0, 4.0):
        row.mul_(factor)
        seen.append(state(y, row))
    return seen, graph(row), gradients(F, y, x), gradients(F, row, x)


@behaviours("D06: writes to the base and to a view by turns")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    row, column = y[1], y[:, 1]
    y.mul_(w)
    row.add_(w)
    y.mul_(row.detach().clone())
    column.mul_(w)
    y.add_(x)
    return state(y, row, column), graph(y), graph(row), gradients(F, y, x, w), gradients(F, column, x, w)


@behaviours("D05: a write between two reads of a view: each read has the gradient of its time")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    first = row + 0
    y[0] = 5.0
    second_read = row + 0
    row.mul_(3.0)
    third = row + 0
    return [
        [t.tolist(), t.requires_grad, gradients(F, t, x) if t.requires_grad else None]
        for t in (first, second_read, third)
    ]


@behaviours("D05: a view's view, written through, reaches both")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[1]
    last = row[1:]
    last.mul_(2.0)
    return state(y, row, last), graph(row), graph(last), gradients(F, y, x), gradients(F, row, x)


@behaviours("D06: a view's view follows a write to the view between them")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[1]
    last = row[1:]
    row.mul_(2.0)
    return state(y, row, last), graph(last), gradients(F, last, x)


@behaviours("D07: a view of a plain tensor, taken into the graph by a write to another view")
def _(F):
    base, w = F.zeros(2, 3), number(F)
    row, column = base[0], base[:, 0]
    column.add_(w)
    return state(base, row, column), graph(row), gradients(F, row, w), gradients(F, base * 2, w)


@behaviours("D06: overlapping views: what one writes the other reads with its gradient")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    left, right = y[:3], y[1:]
    left.mul_(2.0)
    right.mul_(left.detach().clone())
    left.add_(right.clone())
    return state(y, left, right), gradients(F, left, x), gradients(F, right, x), gradients(F, y, x)


@behaviours("D06: as_strided with elements that overlap")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    windows = y.as_strided((3, 2), (1, 1))
    y.mul_(2.0)
    return state(windows), graph(windows), gradients(F, windows, x)


@behaviours("D05: fill_, zero_ and copy_ through a view cut what was there")
def _(F):
    x, w = grid(F), F.tensor([7.0, 8.0], requires_grad=True)
    y = x * 1
    y[0].zero_()
    y.t()[2].copy_(w)
    y[1, :1].fill_(4.0)
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D05: a write through a view of an empty part")
def _(F):
    x = grid(F)
    y = x * 1
    y[2:].mul_(3.0)
    y[:, :0].add_(1.0)
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D05: a write through a view under no_grad leaves base and view where they were")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    with F.no_grad():
        row.mul_(2.0)
        y[1].mul_(3.0)
    return state(y, row), graph(y), graph(row), gradients(F, y, x), gradients(F, row, x)


@behaviours("D05: a graph built before a write through a view keeps its gradient")
def _(F):
    x = grid(F)
    y = x * 1
    total = (y + 1).sum()
    y[0].mul_(5.0)
    after = y.sum()
    return F.autograd.grad(total, x, retain_graph=True), F.autograd.grad(after, x)


@behaviours("D05: a result's view written to after the result was used twice")
def _(F):
    x = grid(F)
    y = x * 1
    a, b = y + 1, y.t() + 2
    y.t()[0].mul_(4.0)
    return gradients(F, a, x), gradients(F, b, x), gradients(F, y, x)


@behaviours("D05: .grad of a leaf after backward through writes")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y[0] = w * y[1].clone()
    y.mul_(w)
    y[:, 2] += 1
    (y * weights(F, y)).sum().backward()
    return x.grad, w.grad


@behaviours("D03: a product with a view saves the view, and a write through another view is found")
def _(F):
    x, w = grid(F), grid(F)
    y = x * 1
    z = y[0] * w[0]
    y[1].mul_(2.0)
    return tried(lambda: gradients(F, z, w), f"{OVERWRITTEN}[torch.FloatTensor [3]]")


# ---------------------------------------------------------------- views that may not be written to

# several views from one call, and the name that PyTorch's message has for it
SEVERAL: dict[str, tuple[Callable[[Any], Any], str]] = {
    "unbind": (lambda t: t.unbind(), "Unbind"),
    "unbind along columns": (lambda t: t.unbind(1), "Unbind"),
    "iteration": (list, "Unbind"),
    "split": (lambda t: t.split(1), "Split"),
    "split by sizes": (lambda t: t.split([1, 2], 1), "SplitWithSizes"),
    "chunk": (lambda t: t.chunk(2), "Split"),
}


def several_views(text: str, views: Callable[[Any], Any], node: str) -> None:
    @behaviours(f"D09: {text} gives views of one node, which all lead back")
    def _(F):
        x = grid(F)
        y = x * 1
        parts = views(y)
        total = sum(((i + 2) * part * part).sum() for i, part in enumerate(parts))
        return (
            state(*parts),
            [part.output_nr for part in parts],
            [part.grad_fn is parts[0].grad_fn for part in parts],
            [part._base is y for part in parts],
            graph(parts[1]),
            gradients(F, total, x),
            gradients(F, parts[1], x),
        )

    for i in (0, 1):

        @behaviours(
            f"D09: a write to number {i} of {text} is refused",
            error=RuntimeError,
            says=f"Output {i} of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
        )
        def _(F, i=i):
            views(grid(F) * 1)[i].mul_(2.0)

    @behaviours(
        f"D09: a write to a leaf's {text} is refused for the same reason",
        error=RuntimeError,
        says=f"Output 1 of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F))[1].mul_(2.0)

    @behaviours(
        f"D09: setitem in {text} is refused",
        error=RuntimeError,
        says=f"Output 0 of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F) * 1)[0][...] = 0.0

    @behaviours(
        f"D09: a write to a view of one of {text} is refused, in the name of that view",
        error=RuntimeError,
        says=f"Output 0 of Unsqueeze is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F) * 1)[1].unsqueeze(0).mul_(2.0)

    for use, action in {
        "its node": lambda F, part: part.grad_fn,
        "whether it is a leaf": lambda F, part: part.is_leaf,
        "a sum with it": lambda F, part: part + 1,
        "its backward": lambda F, part: part.backward(F.ones(part.shape)),
        "a hook on it": lambda F, part: part.register_hook(print),
        "retain_grad": lambda F, part: part.retain_grad(),
    }.items():

        @behaviours(
            f"D09: after a write to the base of {text}, {use} is refused",
            error=RuntimeError,
            says=f"Output 1 of {node} is a view and its base or another view of its base has been modified inplace. "
            f"{SEVERAL_VIEWS}",
        )
        def _(F, action=action):
            y = grid(F) * 1
            parts = views(y)
            y.mul_(2.0)
            action(F, parts[1])

    @behaviours(f"D09: after a write to the base of {text}, its numbers are there to see")
    def _(F):
        y = grid(F) * 1
        part = views(y)[1]
        y.mul_(2.0)
        return part.requires_grad, part._version, part.shape, tried(lambda: part.tolist()), part.detach()

    @behaviours(f"D09: {text} made anew after a write to the base is fine")
    def _(F):
        x = grid(F)
        y = x * 1
        views(y)
        y.mul_(3.0)
        part = views(y)[1]
        return state(part), graph(part), gradients(F, part, x)

    @behaviours(f"D09: a write to {text} of a plain tensor is fine while no value needs grad")
    def _(F):
        base = F.ones(2, 3)
        parts = views(base)
        parts[1].mul_(2.0)
        parts[0][...] = 5.0
        return state(base, *parts)

    @behaviours(
        f"D09: a write to {text} of a plain tensor with a value that needs grad is refused",
        error=RuntimeError,
        says=f"{MADE_IN_NO_GRAD} {SEVERAL_VIEWS}",
    )
    def _(F):
        views(F.ones(2, 3))[1].mul_(number(F))

    @behaviours(f"D09: a write to {text} under no_grad writes, and the part is then lost to the graph")
    def _(F):
        x = grid(F)
        y = x * 1
        parts = views(y)
        with F.no_grad():
            parts[1].mul_(2.0)
        beginning = f"Output 1 of {node} is a view and its base or another view of its base has been modified inplace."
        return state(y), gradients(F, y, x), tried(lambda: state(parts[1]), f"{beginning} {SEVERAL_VIEWS}")

    @behaviours(
        f"D10: {text} made under no_grad and written to later is refused", error=RuntimeError, says=MADE_IN_NO_GRAD
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = views(y)[1]
        part.mul_(2.0)


for text, (views, node) in SEVERAL.items():
    several_views(text, views, node)


@behaviours("D10: a view made and written to under no_grad follows its base")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        row = y[0]
        row.mul_(2.0)
    return state(y), row.tolist(), row._version, gradients(F, y, x)


@behaviours("D10: a view of a leaf, made and written to under no_grad")
def _(F):
    x = grid(F)
    with F.no_grad():
        row = x[0]
        row.mul_(2.0)
        flags = [row.requires_grad, tried(lambda: row.is_leaf, BASE_OF_ONE_MADE_IN_NO_GRAD), row._version, row.detach()]
    return flags, state(x)


@behaviours("D10: a view made under no_grad can be read in a computation, where it counts as what it is")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        row = y[0]
    z = row * 2
    return z.requires_grad, z.is_leaf, graph(z), tried(lambda: gradients(F, z, x))


@behaviours("D10: a view of a plain tensor made under no_grad is written to as any other")
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    row.mul_(3.0)
    return state(base, row)


@behaviours(
    "D10: but not with a value that needs grad",
    error=RuntimeError,
    says=MADE_IN_NO_GRAD,
)
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    row.mul_(number(F))


@behaviours(
    "D10: nor has it a node once its base was written to with such a value",
    error=RuntimeError,
    says=BASE_OF_ONE_MADE_IN_NO_GRAD,
)
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    base.mul_(number(F))
    row.grad_fn  # noqa: B018


@behaviours("D07: a view of a plain tensor requires grad as soon as its base does, made under no_grad or not")
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        quiet = base[0]
    row = base[1]
    base.mul_(number(F))
    return quiet.requires_grad, row.requires_grad


@behaviours(
    "D10: a view made with grad of one made without", error=RuntimeError, says=OF_ONE_MADE_IN_NO_GRAD.format("Slice")
)
def _(F):
    y = grid(F) * 1
    with F.no_grad():
        row = y[0]
    row[1:].mul_(2.0)


@behaviours("D10: a view made without grad of one made with", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    row = (grid(F) * 1)[0]
    with F.no_grad():
        part = row[1:]
    part.mul_(2.0)


@behaviours(
    "D10: setitem in a view made under no_grad", error=RuntimeError, says=OF_ONE_MADE_IN_NO_GRAD.format("Select")
)
def _(F):
    y = grid(F) * 1
    with F.no_grad():
        row = y[0]
    row[1] = 2.0


@behaviours("D10: a view of a leaf made under no_grad and written to later", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    x = grid(F)
    with F.no_grad():
        row = x[0]
    row.mul_(2.0)


@behaviours("D10: a view made with set_grad_enabled(False) is the same case", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    y = grid(F) * 1
    with F.set_grad_enabled(False):
        row = y[0]
    row.mul_(2.0)


@behaviours("D10: a view made under enable_grad within no_grad is free")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad(), F.enable_grad():
        row = y[0]
    row.mul_(2.0)
    return state(y, row), gradients(F, y, x)


@behaviours("A10: how a view looks that was made and changed under no_grad")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    with F.no_grad():
        part = x[:1]
        before = repr(part)
        part.mul_(2.0)
    return before, repr(part), repr(x)


MADE_IN_INFERENCE = "A view was created in inference mode and is being modified inplace in normal mode."
BASE_OF_ONE_MADE_IN_INFERENCE = (
    "A view was created in inference mode and its base or another view of its base has been modified inplace in normal "
    "mode."
)
INFERENCE = "Inplace update to inference tensor outside InferenceMode is not allowed."


@behaviours("D10: a view made in inference mode of a normal tensor is a normal view")
def _(F):
    x = grid(F)
    y = x * 1
    with F.inference_mode():
        parts = [x[0], y[0], y.unbind()[1]]
    return state(*parts), [part.is_inference() for part in parts]


for text, base in {"a leaf": grid, "a result": lambda F: grid(F) * 1}.items():

    @behaviours(
        f"D10: a view of {text}, made in inference mode and written to later, is refused",
        error=RuntimeError,
        says=MADE_IN_INFERENCE,
    )
    def _(F, base=base):
        y = base(F)
        with F.inference_mode():
            row = y[0]
        row.mul_(2.0)


@behaviours(
    "D10: a view made in inference mode has no node once its base was written to",
    error=RuntimeError,
    says=BASE_OF_ONE_MADE_IN_INFERENCE,
)
def _(F):
    y = grid(F) * 1
    with F.inference_mode():
        row = y[0]
    y.mul_(2.0)
    row.grad_fn  # noqa: B018


@behaviours("D10: normal tensors are written to in inference mode, and that counts")
def _(F):
    x, plain = grid(F), F.ones(2)
    y = x * 1
    with F.inference_mode():
        row = y[0]
        row.mul_(2.0)
        y.mul_(3.0)
        x.mul_(2.0)
        plain[:1].add_(1.0)
    return state(x, y, plain), row.tolist(), gradients(F, y, x)


@behaviours("D10: a view of a plain tensor made in inference mode is written to as any other")
def _(F):
    base = F.ones(2)
    with F.inference_mode():
        part = base[:1]
    part.mul_(2.0)
    return state(base, part)


for text, write in {
    "mul_": lambda F, t: t.mul_(2.0),
    "setitem": lambda F, t: operator.setitem(t, 0, 1.0),
    "fill_": lambda F, t: t.fill_(1.0),
    "zero_": lambda F, t: t.zero_(),
    "copy_": lambda F, t: t.copy_(F.ones(2)),
    "t_": lambda F, t: t.t_(),
    "exp_": lambda F, t: t.exp_(),
    "a write through a view": lambda F, t: t[:1].add_(1.0),
    "out=": lambda F, t: F.add(F.ones(2), 1.0, out=t),
}.items():

    @behaviours(f"D10: {text} on an inference tensor outside the mode is refused", error=RuntimeError, says=INFERENCE)
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
        write(F, t)

    @behaviours(f"D10: {text} on an inference tensor under no_grad is refused too", error=RuntimeError, says=INFERENCE)
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
        with F.no_grad():
            write(F, t)

    @behaviours(f"D10: {text} on an inference tensor within the mode is fine")
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
            write(F, t)
            return t.tolist(), t.requires_grad, t.is_inference()


@behaviours("D04: inference tensors count no writes", error=RuntimeError, says="Inference tensors do not track version")
def _(F):
    with F.inference_mode():
        t = F.zeros(2)
        t.add_(1.0)
        t._version  # noqa: B018


@behaviours("D10: numbers of inference tensors may be added and copied into a graph")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    with F.inference_mode():
        t = F.ones(2)
    y, z = x * 1, x * 1
    y.add_(t)
    z[1:] = t[1:]
    return state(y, z), gradients(F, y, x), gradients(F, z, x)


@behaviours(
    "D10: but what a graph has to save may not be one",
    error=RuntimeError,
    says="Inference tensors cannot be saved for backward.",
)
def _(F):
    with F.inference_mode():
        t = F.ones(2)
    (F.ones(2, requires_grad=True) * 1).mul_(t)


# ---------------------------------------------------------------- views from custom Functions


def custom(F: Any, forward: Callable[..., Any], backward: Callable[..., Any], title: str = "Custom") -> Any:
    """A Function of one tensor."""
    return type(
        title,
        (F.autograd.Function,),
        {
            "forward": staticmethod(lambda ctx, t: forward(t)),
            "backward": staticmethod(lambda ctx, *gradients: backward(*gradients)),
        },
    )


CUSTOM: dict[str, Callable[[Any], Any]] = {
    "its input as is": lambda F: custom(F, lambda t: t, lambda g: g * 2),
    "a view of its input": lambda F: custom(F, lambda t: t.view(-1), lambda g: g.view(2, 3) * 2),
    "a view of something new": lambda F: custom(F, lambda t: t.clone()[:], lambda g: g * 2),
    "two views of its input": lambda F: custom(F, lambda t: (t[0], t[1]), lambda g, h: F.stack([g, h]) * 2),
}
IN_CUSTOM = "This view was created inside a custom Function (or because an input was returned as-is)"


def first_of(outcome: Any) -> Any:
    return outcome[0] if isinstance(outcome, tuple) else outcome


def view_from_custom(text: str, function: Callable[[Any], Any]) -> None:
    reason = SEVERAL_VIEWS if text.startswith("two") else IN_CUSTOM

    @behaviours(f"C15: what a Function is that returns {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        part = first_of(function(F).apply(y))
        return state(part), part is y, part._base is y, graph(part), gradients(F, part, x)

    for of, base in {"a result": lambda F: grid(F) * 1, "a leaf": grid}.items():

        @behaviours(
            f"C15: a write is refused where a Function of {of} returns {text}",
            error=RuntimeError,
            says=f"Output 0 of Custom is a view and is being modified inplace. {reason}",
        )
        def _(F, base=base):
            first_of(function(F).apply(base(F))).mul_(2.0)

    @behaviours(f"C15: a write to the input where a Function returns {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        part = first_of(function(F).apply(y))
        y.mul_(2.0)
        beginning = "Output 0 of Custom is a view and its base or another view of its base has been modified inplace."
        return state(y), tried(lambda: (part.grad_fn, gradients(F, part, x)), f"{beginning} {reason}")

    @behaviours(f"C15: a Function that returns {text}, called under no_grad")
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = first_of(function(F).apply(y))
        return state(part), part._base is y, tried(lambda: state(part.mul_(2.0)), f"{MADE_IN_NO_GRAD} {IN_CUSTOM}")

    @behaviours(f"C15: a Function of a plain tensor that returns {text}")
    def _(F):
        base, w = F.ones(2, 3), number(F)
        part = first_of(function(F).apply(base))
        before = state(part)
        part.mul_(2.0)
        return before, state(base, part), tried(lambda: state(part.mul_(w)), f"{MADE_IN_NO_GRAD} {IN_CUSTOM}")


for text, function in CUSTOM.items():
    view_from_custom(text, function)


@behaviours("C15: a write to a new tensor that a Function returned is fine")
def _(F):
    x = grid(F)
    y = custom(F, lambda t: t.clone(), lambda g: g * 2).apply(x * 1)
    y.mul_(3.0)
    y[0] = 1.0
    return state(y), graph(y), gradients(F, y, x)


def doubling(F: Any) -> Any:
    """A Function that writes into its input and says so."""

    class Doubling(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.mark_dirty(t)
            return t.mul_(2.0)

        @staticmethod
        def backward(ctx, g):
            return g * 10

    return Doubling


@behaviours("C14: a Function that writes into a result")
def _(F):
    x = grid(F)
    y = x * 1
    returned = doubling(F).apply(y)
    return returned is y, state(y), graph(y), gradients(F, y, x)


@behaviours("C14: a Function that writes into a result with views")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    doubling(F).apply(y)
    return state(y, row), graph(row), gradients(F, row, x)


@behaviours("C14: a Function that writes into a view")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    returned = doubling(F).apply(row)
    return returned is row, state(y, row), graph(y), gradients(F, y, x), gradients(F, row, x)


@behaviours("C14: a Function that writes into a plain tensor")
def _(F):
    t = F.ones(2)
    return doubling(F).apply(t) is t, state(t)


@behaviours(
    "C14: a Function that writes into a leaf is refused",
    error=RuntimeError,
    says="a leaf Variable that requires grad has been used in an in-place operation.",
)
def _(F):
    doubling(F).apply(grid(F))


@behaviours(
    "C14: a Function that writes into a view of a leaf is refused",
    error=RuntimeError,
    says="a view of a leaf Variable that requires grad is being used in an in-place operation.",
)
def _(F):
    doubling(F).apply(grid(F)[0])


# ---------------------------------------------------------------- what the check of versions finds


def found(action: Callable[[], Any]) -> Any:
    """What an action gives; or, if a version is not the expected one, what is said of it up to where help begins."""
    try:
        return action()
    except RuntimeError as error:
        said, instead, _ = str(error).replace("torch::autograd::", "").partition(" instead.")
        return [said, instead, said.startswith(OVERWRITTEN)]


# result of an op on the results a and b
SAVING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a + b": lambda F, a, b: a + b,
    "a - b": lambda F, a, b: a - b,
    "a * b": lambda F, a, b: a * b,
    "a * 2": lambda F, a, b: a * 2,
    "a * a": lambda F, a, b: a * a,
    "a / b": lambda F, a, b: a / b,
    "a / 2": lambda F, a, b: a / 2,
    "2 / a": lambda F, a, b: 2 / a,
    "2 - a": lambda F, a, b: 2 - a,
    "a ** 2": lambda F, a, b: a**2,
    "a ** 1": lambda F, a, b: a**1,
    "2 ** a": lambda F, a, b: 2**a,
    "a ** b": lambda F, a, b: a**b,
    "-a": lambda F, a, b: -a,
    "a @ b.t()": lambda F, a, b: a @ b.t(),
    "a[0] @ b[0]": lambda F, a, b: a[0] @ b[0],
    "where(a > b, a, b)": lambda F, a, b: F.where(a > b, a, b),
    "cat": lambda F, a, b: F.cat([a, b]),
    "stack": lambda F, a, b: F.stack([a, b]),
    "a.clone()": lambda F, a, b: a.clone(),
    "a.reshape(3, 2)": lambda F, a, b: a.t().reshape(3, 2),
    "a[[0]]": lambda F, a, b: a[[0]],
    "a.to(float64)": lambda F, a, b: a.to(F.float64),
    "a.sum()": lambda F, a, b: a.sum(),
    "a.sum(0)": lambda F, a, b: a.sum(0),
    "a.mean()": lambda F, a, b: a.mean(),
    "a.max()": lambda F, a, b: a.max(),
    "a.max(0)": lambda F, a, b: a.max(0).values,
    **{
        f"a.{function}()": lambda F, a, b, function=function: getattr(a, function)()
        for function in (*UNARY,)
        if function != "neg"
    },
}


def saving(text: str, op: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D03: {text}: which of its tensors may be overwritten before backward")
    def _(F):
        def overwritten(which):
            x, w = grid(F), F.tensor([[0.5, 2.5, 1.0], [2.0, 1.5, 3.0]], requires_grad=True)
            a, b = x * 1, w * 1
            c = op(F, a, b)
            with F.no_grad():
                {"a": a, "b": b, "c": c}[which].add_(1.0)
            return gradients(F, c, x, w)

        return [found(lambda which=which: overwritten(which)) for which in "abc"]


for text, op in SAVING.items():
    saving(text, op)


@behaviours(
    "D02: the message names the tensor's shape, the node that made it, and both versions",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Mul, is at version 2; expected version 0 "
    "instead.",
)
def _(F):
    y = grid(F) * 1
    z = y.sin()
    y.data.add_(1)
    y.detach().add_(1)
    with F.no_grad():
        y[0].zero_()
    z.sum().backward()


@behaviours(
    "D02: a result that a node saved has the node's own name",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Exp, is at version 1; expected version 0 "
    "instead.",
)
def _(F):
    y = grid(F).exp()
    y += 1
    y.sum().backward()


@behaviours(
    "D02: a leaf has none",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]] is at version 1; expected version 0 instead.",
)
def _(F):
    x = grid(F)
    y = x * x
    with F.no_grad():
        x.add_(1)
    y.sum().backward()


@behaviours(
    "D02: nor has a plain tensor",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.DoubleTensor []] is at version 1; expected version 0 instead.",
)
def _(F):
    factor = F.tensor(2.0, dtype=F.float64)
    y = F.ones(2, dtype=F.float64, requires_grad=True) * factor
    factor.mul_(2)
    y.sum().backward()


@behaviours(
    "D02: what was saved after a write expects its version",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [2, 3]], which is output 0 of Add, is at version 3; expected version 2 "
    "instead.",
)
def _(F):
    y = grid(F) * 1
    y.add_(1).add_(1)
    z = y * y
    y.add_(1)
    z.sum().backward()


@behaviours("D03: a write before the save, and one after backward, are no matter")
def _(F):
    x = grid(F)
    y = x * 1
    y.add_(1)
    z = y * y
    z.sum().backward()
    y.add_(1)
    return x.grad, y._version


@behaviours("D03: a second backward sees a write after the first")
def _(F):
    x = grid(F)
    y = x * 1
    z = (y * y).sum()
    z.backward(retain_graph=True)
    y.add_(1)
    return found(lambda: z.backward()), x.grad


@behaviours("D03: a write to the same numbers counts as well")
def _(F):
    y = grid(F) * 1
    z = y * y
    y.copy_(y.detach().clone())
    return found(lambda: z.sum().backward())


@behaviours("D03: a write to nothing counts as well")
def _(F):
    y = grid(F) * 1
    z = y * y
    y[2:] = 1.0
    y[:0].mul_(2.0)
    return y._version, found(lambda: z.sum().backward())


@behaviours("D03: only what the wanted gradient needs is saved")
def _(F):
    x, factor = grid(F), F.tensor([[2.0, 3.0, 4.0], [1.0, 1.0, 1.0]])
    y = x * 1
    z = y * factor
    with F.no_grad():
        y.add_(1.0)
    fine = found(lambda: gradients(F, z, x))
    factor.add_(1.0)
    return fine, found(lambda: gradients(F, z, x))


@behaviours("D03: .data is a way around the check, and the gradient is wrong then")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.data.mul_(10.0)
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: detach() is no way around the check")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.detach().mul_(10.0)
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: numpy's writes are seen by nobody")
def _(F):
    x = grid(F)
    y = x * 1
    z = y * y
    y.detach().numpy()[...] = 10.0
    return found(lambda: gradients(F, z, x)), y._version


@behaviours("D03: a copy is saved in place of what will change")
def _(F):
    x = grid(F)
    y = x * 1
    z = y.clone() * 2 * y.clone()
    y.zero_()
    return gradients(F, z, x)


@behaviours("D03: the engine checks only nodes that run")
def _(F):
    x, w = grid(F), grid(F)
    y, v = x * 1, w * 1
    z = (y * y).sum() + (v * v).sum()
    v.add_(1)
    return found(lambda: F.autograd.grad(z, x, retain_graph=True)), found(lambda: F.autograd.grad(z, w))


@behaviours("D03: _saved_self of an overwritten tensor is refused too")
def _(F):
    y = grid(F) * 1
    z = y.sin()
    fine = z.grad_fn._saved_self.tolist()
    y.add_(1)
    return fine, found(lambda: z.grad_fn._saved_self.tolist())


@behaviours("D03: which functions in place may follow one another")
def _(F):
    x = F.tensor([0.5, 1.0], requires_grad=True)
    outcomes = []
    for first in ("sin_", "exp_", "square_", "neg_", "relu_", "abs_"):
        for after in ("neg_", "exp_"):
            y = getattr(getattr(x * 1, first)(), after)()
            outcomes.append([first, after, found(lambda y=y: gradients(F, y, x))])
    return outcomes


@behaviours("D03: relu in place, as networks use it")
def _(F):
    x, w = F.tensor([[1.0, -2.0]], requires_grad=True), F.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    y = (x @ w).relu_()
    z = (y @ w).relu_()
    return state(y, z), gradients(F, z, x, w)


@behaviours("D03: dropout by hand: the mask may not be made anew in place before backward")
def _(F):
    x, mask = grid(F), F.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    y = x * mask
    mask.fill_(1.0)
    return found(lambda: gradients(F, y, x))


# ---------------------------------------------------------------- versions


@behaviours("D04: which ways to a tensor's memory share its count")
def _(F):
    x = F.ones(2, 3)
    ways = [x.detach(), x.data, x.clone(), x[0], x.view(-1), x.t()[1], x.detach()[0], x.data.view(-1), x[[0]]]
    x.add_(1)
    first = [way._version for way in (x, *ways)]
    for way in ways:
        way.mul_(2)
    return first, [way._version for way in (x, *ways)], x


@behaviours("D04: which ways to a result's memory share its count")
def _(F):
    y = grid(F) * 1
    ways = [y.detach(), y.data, y.clone(), y[0], y.view(-1), y.t()[1], y.detach()[0]]
    y.add_(1)
    return [way._version for way in (y, *ways)]


@behaviours("D04: a view or a detached tensor made later joins the count where it stands")
def _(F):
    x = F.ones(2, 3)
    x.add_(1).mul_(2)
    return x[0]._version, x.detach()._version, x.data._version, x.clone()._version, (x + 0)._version


@behaviours("D04: a write through detach() counts for the graph's tensor")
def _(F):
    x = grid(F)
    x.detach().mul_(2)
    x.detach()[0].mul_(2)
    x.data.mul_(2)
    return state(x)


@behaviours("D04: what counts as one write")
def _(F):
    y, counts = F.ones(2, 3), []
    for write in (
        lambda: y.add_(1),
        lambda: y.zero_(),
        lambda: y.fill_(2),
        lambda: y.copy_(F.ones(3)),
        lambda: y.exp_(),
        lambda: y.t_(),
        lambda: y.t_(),
        lambda: y.requires_grad_(False),
        lambda: y.detach_(),
        lambda: operator.setitem(y, 0, 1.0),
        lambda: y[0].add_(1),
        lambda: operator.iadd(y, 1),
        lambda: F.exp(y, out=y),
        lambda: y.add_(y),
        lambda: y.numpy().fill(1),
        lambda: setattr(y, "data", F.zeros(2)),
        lambda: y.sum(),
    ):
        write()
        counts.append(y._version)
    return counts


@behaviours("D04: y[0] += 1 counts twice: once for the row, once for setting it")
def _(F):
    y = F.ones(2, 3)
    y[0] += 1
    y[[0]] += 1
    return y._version, y


@behaviours("D04: a refused write counts nothing")
def _(F):
    x, y = grid(F), F.ones(2, 3)
    for write in (
        lambda: x.add_(1),
        lambda: x[0].add_(1),
        lambda: y.add_(F.ones(4)),
        lambda: y.long().add_(1.5),
        lambda: operator.setitem(y, 5, 1.0),
        lambda: y.copy_(F.ones(4)),
        lambda: y.fill_(F.ones(2)),
    ):
        try:
            write()
        except (RuntimeError, IndexError):
            continue
        return "not refused"
    return x._version, y._version


@behaviours("D04: backward counts nothing in tensors, and one in a .grad that it adds to")
def _(F):
    x = grid(F)
    counts = []
    for _ in range(3):
        (x * 3).sum().backward()
        counts.append([x._version, x.grad._version])
    return counts


@behaviours("D04: the count is not for writing")
def _(F):
    return tried(lambda: setattr(F.ones(2), "_version", 3))[0]


# ---------------------------------------------------------------- .data


@behaviours("D14: x.data = y keeps x, its graph's place and its count, and takes the memory of y")
def _(F):
    x, new = grid(F), F.tensor([[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]])
    before = id(x)
    with F.no_grad():
        x.mul_(2.0)
    x.data = new
    new.add_(1.0)
    return id(x) == before, state(x, new)


@behaviours("D14: x.data = y may change the shape, which backward then goes by")
def _(F):
    x = grid(F)
    x.data = F.tensor([1.0, 2.0, 3.0, 4.0])
    (x * x).sum().backward()
    return x.shape, state(x), x.grad


@behaviours("D14: x.data = y after a graph saved x")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    x.data = F.tensor([10.0, 20.0])
    return found(lambda: gradients(F, y, x)), state(x)


@behaviours("D14: x.data = y leaves a .grad of the old shape")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.data = F.tensor([1.0, 2.0, 3.0])
    return x.grad, x.shape


@behaviours("D14: x.data = y of a result")
def _(F):
    x = grid(F)
    y = x * 1
    y.data = F.zeros(2, 3)
    return state(y), gradients(F, y * y, x), y.data.requires_grad


@behaviours("D14: x.data = y of another floating dtype")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    x.data = F.tensor([3.0, 4.0], dtype=F.float64)
    (x * x).sum().backward()
    return state(x), x.grad


@behaviours(
    "D14: x.data = integers is refused where x requires grad",
    error=RuntimeError,
    says="data set to a tensor that requires gradients must be floating point or complex dtype",
)
def _(F):
    grid(F).data = F.tensor([1, 2])


@behaviours("D14: x.data = integers is fine where x requires none")
def _(F):
    x = F.ones(2)
    x.data = F.tensor([1, 2])
    return state(x)


@behaviours("D14: x.data = y that requires grad takes the numbers alone")
def _(F):
    x, y = F.ones(2), F.tensor([3.0, 4.0], requires_grad=True)
    x.data = y
    return state(x), state(x.data)


@behaviours("D14: x.data = a number is refused", error=TypeError, says="Variable data has to be a tensor, but got int")
def _(F):
    F.ones(2).data = 3


@behaviours("D14: views made before x.data = y keep the old memory")
def _(F):
    x = F.ones(2, 3)
    row = x[0]
    x.data = F.zeros(2, 3)
    x.add_(5.0)
    return state(x), row.tolist(), row._version


@behaviours("D14: x.data is new each time, outside the graph, with its own count")
def _(F):
    x = grid(F)
    first, again = x.data, x.data
    first.add_(1.0)
    return first is again, state(first, again, x), first._base is None


@behaviours("D14: x.data of a view is no view")
def _(F):
    x = F.ones(2, 3)
    part = x[0].data
    part.add_(1.0)
    return state(part, x)


# ---------------------------------------------------------------- hooks and retain_grad


def record(calls: list[Any], text: str, factor: float | None = None) -> Callable[[Any], Any]:
    """A hook that writes down the gradient, and may scale it."""

    def hook(g):
        calls.append([text, g.tolist()])
        return None if factor is None else g * factor

    return hook


@behaviours("D15: a hook stays on the version that it was registered on")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y.mul_(10.0)
    y.register_hook(record(calls, "after"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: a hook registered before a write sees and may change what the write passes on")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "first", 2.0))
    y.sin_()
    y.register_hook(record(calls, "second", 3.0))
    y.mul_(5.0)
    y.register_hook(record(calls, "third"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: retain_grad follows the tensor to its new version")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.mul_(10.0)
    (y * 3).sum().backward()
    return y.grad, y.retains_grad, x.grad


@behaviours("D15: retain_grad through several writes, and asked for twice")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.sin_()
    y.retain_grad()
    y.mul_(10.0).add_(1.0)
    y.retain_grad()
    (y * 3).sum().backward()
    return y.grad, x.grad


@behaviours("D15: retain_grad before a write and a hook on the old version")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y.retain_grad()
    y.register_hook(record(calls, "also before"))
    y.mul_(10.0)
    y.register_hook(record(calls, "after", 7.0))
    y.sum().backward()
    return calls, y.grad, x.grad


@behaviours("D15: retain_grad of a base, written to through a view")
def _(F):
    x = grid(F)
    y = x * 1
    y.retain_grad()
    y[0].mul_(10.0)
    (y * weights(F, y)).sum().backward()
    return y.grad, x.grad


@behaviours("D15: retain_grad of a view that is written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    row.retain_grad()
    row.mul_(10.0)
    (row * weights(F, row)).sum().backward()
    return row.grad, row.retains_grad, x.grad


@behaviours("D15: retain_grad of a view whose base is written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    row.retain_grad()
    y.mul_(10.0)
    (row * weights(F, row)).sum().backward()
    return row.retains_grad, row.grad, x.grad


@behaviours("D15: retain_grad of a view, asked for after its base was written to")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    y.mul_(10.0)
    row.retain_grad()
    (row * weights(F, row)).sum().backward()
    return row.grad, x.grad


@behaviours("D15: a hook on a base, written to through a view")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    y.register_hook(record(calls, "before"))
    y[0].mul_(10.0)
    y.register_hook(record(calls, "after"))
    y.sum().backward()
    return calls, x.grad


@behaviours("D15: a hook on a view that is written to")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    row = y[0]
    row.register_hook(record(calls, "before", 2.0))
    row.mul_(10.0)
    row.register_hook(record(calls, "after", 3.0))
    (row.sum() + y.sum()).backward()
    return calls, x.grad


for text, (before, after) in {
    "before its base is written to, is lost with its old node": (True, False),
    "after its base was written to, is on its new node": (False, True),
    "before and another after its base is written to: only the second is called": (True, True),
}.items():

    @behaviours(f"D15: a hook on a view, {text}")
    def _(F, before=before, after=after):
        x, calls = grid(F), []
        y = x * 1
        row = y[0]
        if before:
            row.register_hook(record(calls, "before", 2.0))
        y.mul_(10.0)
        if after:
            assert row.grad_fn is not None  # PyTorch 2.13 crashes in register_hook if nobody asked for the new node
            row.register_hook(record(calls, "after", 3.0))
        row.sum().backward()
        return calls, x.grad


@behaviours("D15: a hook on a view that was used before its base was written to")
def _(F):
    x, calls = grid(F), []
    y = x * 1
    row = y[0]
    row.register_hook(record(calls, "row", 2.0))
    used = row + 0
    y.mul_(10.0)
    used.sum().backward()
    return calls, x.grad


@behaviours("D15: a handle's remove after the tensor was written to")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    handle = y.register_hook(record(calls, "removed"))
    y.register_hook(record(calls, "kept"))
    y.mul_(10.0)
    handle.remove()
    handle.remove()
    y.sum().backward()
    return calls


@behaviours("D15: hooks and retain_grad of a plain tensor that a write takes into the graph")
def _(F):
    w, calls = number(F), []
    base = F.ones(2, 3)
    row = base[0]
    refused = tried(lambda: base.retain_grad(), "can't retain_grad on Tensor that has requires_grad=False")
    row.mul_(w)
    base.retain_grad()
    row.retain_grad()
    base.register_hook(record(calls, "base"))
    row.register_hook(record(calls, "row"))
    (base * 2).sum().backward()
    return refused, calls, base.grad, row.grad, w.grad


@behaviours("D15: setitem and a hook on the value and on the base")
def _(F):
    x, w, calls = grid(F), F.tensor([7.0, 8.0, 9.0], requires_grad=True), []
    y, value = x * 1, w * 1
    y.register_hook(record(calls, "base before"))
    value.register_hook(record(calls, "value"))
    y.retain_grad()
    value.retain_grad()
    y[0] = value
    y.register_hook(record(calls, "base after"))
    (y * weights(F, y)).sum().backward()
    return calls, y.grad, value.grad, x.grad, w.grad


@behaviours("D15: a node's hook on the old and on the new node of a tensor")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    y.grad_fn.register_hook(lambda into, out: calls.append(["old", out[0].tolist()]))
    y.mul_(10.0)
    y.grad_fn.register_hook(lambda into, out: calls.append(["new", out[0].tolist()]))
    y.sum().backward()
    return calls


@behaviours("D15: a node's hook on CopySlices")
def _(F):
    x, w, calls = grid(F), number(F), []
    y = x * 1
    y[0].mul_(w)
    y.grad_fn.register_hook(
        lambda into, out: calls.append([[None if g is None else g.tolist() for g in gs] for gs in (into, out)])
    )
    y.sum().backward()
    return calls


@behaviours("D15: a leaf's hooks and .grad stay where they are when it is written to under no_grad")
def _(F):
    x, calls = F.tensor([1.0, 2.0], requires_grad=True), []
    x.register_hook(record(calls, "x"))
    for _ in range(2):
        x.grad = None
        (x * x).sum().backward()
        with F.no_grad():
            x.sub_(x.grad * 0.25)
    return calls, state(x), x.grad


@behaviours("D15: a hook that writes into its gradient")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g.mul_(3.0))
    (y + y).sum().backward()
    return x.grad


# ---------------------------------------------------------------- loops, training, second derivatives


@behaviours("D08: out[i] = f(x) in a loop")
def _(F):
    x, out = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(3)
    for i in range(3):
        out[i] = x[i] ** (i + 1)
    return state(out), graph(out), gradients(F, out, x), second(F, out, x)


@behaviours("D08: out[i] += f(x) in a loop")
def _(F):
    x, out = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(2)
    for i in range(3):
        out[i % 2] += x[i] * x[0]
    return state(out), gradients(F, out, x), second(F, out, x)


@behaviours("D05: a total that is added to in a loop")
def _(F):
    x, total = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(())
    for i in range(3):
        total += x[i] ** 2
    return state(total), graph(total), gradients(F, total, x)


@behaviours("D02: cumulative products in a loop in place have overwritten what they need")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    running = F.ones(())
    for i in range(3):
        running *= x[i]
    return found(lambda: gradients(F, running, x))


@behaviours("D08: a table filled from its own earlier entries, each copied")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1].clone() * x + table[i - 2].clone()
    return state(table), gradients(F, table, x), second(F, table, x)


@behaviours("D02: a table filled from its own earlier entries without copies")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1] * x + table[i - 2]
    return found(lambda: gradients(F, table, x))


@behaviours("D08: a table filled from sums alone needs no copies")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1] + table[i - 2] + x
    return state(table), gradients(F, table, x)


@behaviours("D08: a sequence written into rows, then read in columns")
def _(F):
    w, rows = F.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True), F.zeros(3, 2)
    hidden = F.ones(2)
    for i in range(3):
        hidden = (w @ hidden).tanh()
        rows[i] = hidden
    return state(rows), gradients(F, rows.t()[1] * 1, w)


@behaviours("D08: a hundred writes into one tensor")
def _(F):
    x, y = number(F, 0.5), F.zeros(10)
    for i in range(100):
        y[i % 10] = y[(i + 3) % 10].clone() * 0.5 + x * i
    return y, gradients(F, y, x), y._version


@behaviours("D05: swapping numbers of a result with a temporary copy")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    kept = y[0].clone()
    y[0] = y[2]
    y[2] = kept
    return state(y), gradients(F, y, x)


@behaviours("D01: gradient descent under no_grad")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    before, seen = id(w), []
    for _ in range(3):
        loss = ((w - 3) ** 2).sum()
        loss.backward()
        with F.no_grad():
            w -= 0.25 * w.grad
            w.grad.zero_()
        seen.append([loss.item(), w.tolist(), w._version, w.grad._version])
    return id(w) == before, seen, state(w)


@behaviours(
    "D01: gradient descent with w = w - step loses the leaf", warns=("UserWarning: The .grad attribute of a Tensor",)
)
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    return w.is_leaf, w.requires_grad, w.grad


@behaviours("D01: gradient descent outside of no_grad is refused", error=RuntimeError, says=LEAF)
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    (w * w).sum().backward()
    w -= 0.1 * w.grad


@behaviours("D01: gradient descent through w.data")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(2):
        w.grad = None
        (w * w).sum().backward()
        w.data -= 0.25 * w.grad
    return state(w), w.grad


@behaviours("D02: a step between forward and backward is found")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    loss = (w * w).sum()
    with F.no_grad():
        w -= 0.1
    return found(lambda: loss.backward())


@behaviours("D02: two losses with a step between them, as two players who share weights find out")
def _(F):
    w, v = number(F, 1.0), number(F, 2.0)
    hidden = v * w
    first, other = hidden * 3, hidden * w
    first.backward(retain_graph=True)
    with F.no_grad():
        w -= 0.1 * w.grad
    return found(lambda: other.backward())


@behaviours("D01: momentum and running means in buffers")
def _(F):
    w, velocity, mean = F.tensor([1.0, -2.0], requires_grad=True), F.zeros(2), F.zeros(2)
    for step in range(3):
        w.grad = None
        activity = w * (step + 1)
        with F.no_grad():
            mean.mul_(0.9).add_(activity.detach() * 0.1)
        ((activity - mean) ** 2).sum().backward()
        with F.no_grad():
            velocity.mul_(0.5).add_(w.grad)
            w.sub_(velocity * 0.1)
    return state(w, velocity, mean), w.grad


@behaviours("D07: a buffer that is written to while gradients are recorded keeps the whole past")
def _(F):
    w, mean = number(F), F.zeros(2)
    for step in range(3):
        mean.mul_(0.5).add_(w * step)
    return state(mean), graph(mean), gradients(F, mean, w)


@behaviours(
    "D02: a buffer in the graph of two steps",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    w, mean = number(F), F.zeros(2)
    for step in range(2):
        mean.mul_(w).add_(step)
        (mean.exp()).sum().backward()


@behaviours("D01: weights set to others with copy_ under no_grad")
def _(F):
    ours_, theirs = grid(F), (grid(F) * 2).detach().requires_grad_()
    (ours_ * 3).sum().backward()
    with F.no_grad():
        ours_.copy_(theirs)
    return state(ours_), ours_.grad, ours_ is not theirs


@behaviours("D05: clipping gradients in place")
def _(F):
    w = F.tensor([3.0, 4.0], requires_grad=True)
    (w * w).sum().backward()
    norm = (w.grad * w.grad).sum().sqrt()
    w.grad.mul_(5.0 / norm)
    kept = w.grad
    w.grad.zero_()
    (w * w).sum().backward()
    return norm, w.grad, kept is w.grad


@behaviours("D05: .grad written to, and added to by the next backward")
def _(F):
    w = F.tensor([3.0, 4.0], requires_grad=True)
    w.grad = F.ones(2)
    w.grad[0] = 5.0
    (w * w).sum().backward()
    return w.grad, w.grad._version


DIFFERENTIATED_TWICE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "mul_ by a cube": lambda F, x, y: y.mul_(x**3),
    "sin_ then add_": lambda F, x, y: y.sin_().add_(x * x),
    "add_ then exp_": lambda F, x, y: y.add_(x * x).mul_(0.1).exp_(),
    "a write to a row": lambda F, x, y: y[0].mul_(x[1]),
    "setitem of a product": lambda F, x, y: operator.setitem(y, 0, x[0] * x[1]),
    "setitem by a mask": lambda F, x, y: operator.setitem(y, x > 2, (x * x)[x > 2]),
    "copy_ of a power": lambda F, x, y: y.copy_(x**3),
    "fill_ with a sum of squares": lambda F, x, y: y.fill_((x * x).sum()),
    "a transposed diagonal": lambda F, x, y: y.t().diagonal().mul_(x[0, 1:] ** 2),
    "t_ and a write": lambda F, x, y: y.t_().mul_(x.t() ** 2),
    "two writes to parts that overlap": lambda F, x, y: (y[0].mul_(x[0] ** 2), y[:, 1].add_(x[:, 0] ** 3)),
}


def differentiated_twice(text: str, write: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D05: second and third derivatives through {text}")
    def _(F):
        x = grid(F)
        y = x * 1
        write(F, x, y)
        (first,) = gradients(F, y, x, create_graph=True)
        (twice,) = F.autograd.grad((first * weights(F, first)).sum(), x, create_graph=True)
        thrice = F.autograd.grad(twice.sum(), x, allow_unused=True) if twice.requires_grad else None
        return y, first, twice, thrice


for text, write in DIFFERENTIATED_TWICE.items():
    differentiated_twice(text, write)


@behaviours("D05: a gradient with a graph, written to in place")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    (g,) = F.autograd.grad((x**3).sum(), x, create_graph=True)
    g.mul_(x)
    g[0] = 0.0
    return state(g), gradients(F, g, x)


@behaviours("D05: gradients given back belong to who asked")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    (first,) = F.autograd.grad(y.sum(), x, retain_graph=True)
    first.zero_()
    (again,) = F.autograd.grad(y.sum(), x)
    return first, again


@behaviours("B14: a gradient passed to backward may be written to afterwards")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    g = F.tensor([1.0, 1.0])
    y = x + 0
    y.backward(g)
    g.zero_()
    return x.grad, g._version


@behaviours("D01: writes to a result under no_grad leave its node, whatever they do")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        y.zero_()
        y[0] = 1.0
        y += 1
    return state(y), gradients(F, y * y, x)


@behaviours("D08: setitem in a tensor whose version a custom Function saved")
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            (t,) = ctx.saved_tensors
            return g * 2 * t

    x = grid(F)
    y = x * 1
    z = Square.apply(y)
    fine = found(lambda: gradients(F, z, x))
    y[0] = 1.0
    return fine, found(lambda: gradients(F, z, x))


@behaviours("D05: what is written in place under enable_grad within no_grad is recorded")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        y.mul_(2.0)
        with F.enable_grad():
            y.mul_(3.0)
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D11: fill_() with a number may write to elements that share memory", error=None)
def _(F):
    x = F.ones(3).expand(2, 3)
    x.fill_(2.0)
    return x


@behaviours(
    "D11: fill_() with a tensor may not", error=RuntimeError, says="unsupported operation: more than one element"
)
def _(F):
    F.ones(3).expand(2, 3).fill_(F.tensor(2.0))


@behaviours("D11: a part of an expanded tensor's data can be written to")
def _(F):
    x = F.ones(3)
    part = x.expand(2, 3).data
    part[0] = F.tensor([4.0, 5.0, 6.0])
    return x, part


@behaviours("D11: requires_grad_() asks no view for the node that a write took from it")
def _(F):
    x = F.ones(2, requires_grad=True) * 1
    part = x.chunk(2)[0]
    x.mul_(2.0)
    part.requires_grad_(True)
    return part.requires_grad, found(lambda: part.grad_fn)


@behaviours("D11: concatenated and cloned, expanded tensors are contiguous")
def _(F):
    x = F.tensor([1.0, 2.0]).expand(3, 2)
    return [y.is_contiguous() for y in (F.cat([x, x]), x.clone(), x.double())]


@behaviours("D11: detached in place after a custom Function saved it", error=None)
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = F.tensor([3.0], requires_grad=True)
    y = x * 1
    z = Square.apply(y)
    y.detach_()
    z.backward()
    return x.grad


test_as_in_torch = behaviours.test()
