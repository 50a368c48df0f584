"""Functions that tutorials call beside arithmetic: einsum, index_select, unique, meshgrid, new_zeros and the like.

What they return and refuse, as in torch; their values and gradients are rows of the op table.
"""

from __future__ import annotations

from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

ERRORS: list[tuple[str, type[Exception], str]] = [
    ("F.einsum('ij,jk->ik', m)", RuntimeError, "einsum(): fewer operands were provided than specified in the equation"),
    ("F.einsum('ij->ik', m, m)", RuntimeError, "einsum(): more operands were provided than specified in the equation"),
    ("F.einsum('ij,jk->ik', m, v)", RuntimeError, "einsum(): the number of subscripts in the equation (2) does not"),
    ("F.einsum('ij,ik->jk', m, F.ones(3, 2))", RuntimeError, "einsum(): subscript i has size 3 for operand 1 which do"),
    ("F.einsum('ij->ik', m)", RuntimeError, "einsum(): output subscript k does not appear in the equation for any inp"),
    ("F.einsum('ij->ii', F.ones(2, 2))", RuntimeError, "einsum(): output subscript i appears more than once in the ou"),
    ("F.einsum('ii->i', F.ones(3, 1))", RuntimeError, "einsum(): subscript i is repeated for operand 0 but the size"),
    ("F.einsum('i1->i', m)", RuntimeError, "einsum(): invalid subscript given at index 1 in the equation string, s"),
    ("F.einsum('ij->i->', m)", RuntimeError, "einsum(): invalid subscript given at index 5 in the equation string, "),
    ("F.mv(v, m)", RuntimeError, "vector + matrix @ vector expected, got 1, 1, 2"),
    ("F.mv(m, F.ones(2))", RuntimeError, "size mismatch, got input (2), mat (2x3), vec (2)"),
    ("m.vdot(m)", RuntimeError, "1D tensors expected, but got 2D and 2D tensors"),
    ("m.index_select(0, F.tensor([[1]]))", IndexError, "index_select(): Index is supposed to be a vector"),
    ("m.index_select(0, F.tensor([1.0]))", RuntimeError, "index_select(): Expected dtype int32 or int64 for index"),
    ("m.index_select(0, m[:, 0] > 0)", RuntimeError, "index_select(): Expected dtype int32 or int64 for index"),
    ("m.repeat_interleave(F.tensor([1, 2, 3]), 0)", RuntimeError, "repeats must have the same size as input along dim"),
    ("v.repeat_interleave(-1)", RuntimeError, "Repeats must be non-negative"),
    ("m.repeat_interleave(2, 2)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("F.index_add(m, 0, F.tensor([0, 1]), F.ones(2, 2))", RuntimeError, "source tensor shape must match self tensor"),
    ("m.index_add(0, F.tensor([1]), m)", RuntimeError, "index_add_(): Number of indices (1) should be equal to source"),
    ("m.index_add(0, v[:2], m)", RuntimeError, "index_add_(): Expected dtype int32/int64 for index but got: Float"),
    ("m.index_add_(0, m[:, 0] > 0, m)", RuntimeError, "index_add_(): Expected dtype int32/int64 for index but got: B"),
    ("m.index_add(0, F.tensor([0, 1]), m.double())", RuntimeError, "index_add_(): self "),
    ("m.index_copy(0, v[:2], m)", RuntimeError, "index_copy_(): Expected a long tensor for index, but got Float"),
    ("m.index_copy(0, v[:2].int(), m)", RuntimeError, "index_copy_(): Expected a long tensor for index, but got Int"),
    ("m.index_copy_(0, v[:2] > 0, m + 1)", RuntimeError, "index_copy_(): Expected a long tensor for index, but got B"),
    ("m.index_copy(0, F.tensor([1, 0]), m[:1])", IndexError, "index_copy_(): Number of indices (2) should be equal to"),
    ("m.index_fill(0, v[:2], 1)", IndexError, "index_fill_(): Expected dtype int64 for index"),
    ("m.index_fill_(0, v[:2].short(), 1)", IndexError, "index_fill_(): Expected dtype int64 for index"),
    ("m.index_fill(0, F.tensor([-3]), 1)", IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    ("m.index_fill(0, F.tensor([0]), v)", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but"),
    ("F.meshgrid(v, v, indexing='ab')", RuntimeError, 'torch.meshgrid: indexing must be one of "xy" or "ij", but rece'),
]  # fmt: skip
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F: Any, expression: str = _expression) -> Any:
        eval(expression, {"F": F, "m": F.ones(2, 3), "v": F.ones(3)})


@behaviours(
    "meshgrid without indexing warns", warns=("UserWarning: torch.meshgrid: in an upcoming release, it will be",)
)
def _(F: Any) -> Any:
    return F.meshgrid(F.arange(2), F.arange(3))


@behaviours("new tensors have the dtype of the old one, unless told")
def _(F: Any) -> Any:
    x, n = F.ones(2, dtype=F.float64), F.tensor([1])
    return [
        x.new_zeros(2, 1), x.new_zeros((2, 1)), x.new_ones(2, dtype=F.int32), x.new_full((2,), 3), n.new_full([1], 7),
        x.new_tensor([1, 2]), n.new_tensor([1, 2], dtype=F.float32), x.new_empty(0, 2),
        x.new_zeros(1, requires_grad=True), n.type_as(x), x.type_as(n),
    ]  # fmt: skip


@behaviours("what an index takes out lies in memory as it is read, whatever the dimension")
def _(F: Any) -> Any:
    x, numbers = F.arange(12.0).view(3, 4), F.tensor([0, 2])
    taken = [x.index_select(1, numbers), x[:, numbers], x[:, [0, 2]], x[..., x[0] > 1]]
    taken += [F.nn.functional.pad(x, (1, 1), mode="reflect"), x.repeat_interleave(2, 1)]
    taken += [x.repeat_interleave(F.tensor([1, 0, 2]), 0)]
    return [(part.stride(), part.view(-1)) for part in taken]


@behaviours("unique gives what was asked for")
def _(F: Any) -> Any:
    x = F.tensor([[2.0, 1.0, 2.0], [0.0, 1.0, 0.0]])
    return [
        F.unique(x), F.unique(x, return_inverse=True), x.unique(True, True, True), x.unique(dim=1, return_counts=True),
        F.unique(F.tensor([True, False, True])), F.unique(F.tensor([])), F.tensor([float("nan")] * 2).unique(),
    ]  # fmt: skip


test_as_in_torch = behaviours.test()


def test_an_index_that_is_not_there_is_refused(torch: Any) -> None:
    for F in (minigrad, torch):
        for index in ([2], [-1]):
            with pytest.raises(IndexError, match="out of"):
                F.index_select(F.ones(2, 3), 0, F.tensor(index))


def test_a_product_of_many_is_made_in_pairs() -> None:
    """So that no array is larger than what two of them make."""
    a, b = (minigrad.ones(100, 200, requires_grad=True) for _ in range(2))
    out = minigrad.einsum("ij,kj,kl->il", a, b, minigrad.ones(100, 50))
    names, node = [], out.grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    assert names == ["MmBackward0", "MmBackward0"]
