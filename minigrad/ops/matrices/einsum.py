"""Sums of products that are told by letters: einsum("bik,bkj->bij", a, b).

Each letter names a dimension. What has the same letter goes along together; what is not behind the arrow is summed. Two
operands at a time become one by a product of matrices: letters that both have and that remain are its batch, those that
are summed its inner dimension. So the graph shows permute, reshape and bmm, as PyTorch's does.

A dimension of size 1 fits beside any size: it is left out first, and put back at the end.
"""

from __future__ import annotations

import math
import re
from typing import Any

from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.shapes.diagonals import diagonal
from minigrad.public import public
from minigrad.tensor import Tensor

_HIDDEN = "0123456789"  # the letters of what `...` stands for, of which 9 is the last dimension


@public(method=False)
def einsum(equation: str, *operands: Any) -> Tensor:
    """The sum of products over all letters of `equation` that are not behind its arrow: "ij,jk->ik" is a product of
    matrices, "ii->i" a diagonal, "ij->" a sum; `...` stands for any dimensions.

    Without an arrow, the letters that occur once remain, in the order of the alphabet. RuntimeError for an equation
    that does not fit the operands.
    """
    tensors = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    if strange := re.search("[^a-zA-Z,. ]", equation.replace("->", "  ", 1)):
        where = f"index {strange.start()} in the equation string"
        raise RuntimeError(f"einsum(): invalid subscript given at {where}, subscripts must be in [a-zA-Z]")
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(tensors) != len(terms):
        count = "fewer" if len(tensors) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {count} operands were provided than specified in the equation")
    sizes: dict[str, int] = {}  # of the letters, but for those of size 1
    terms = [_spelled_out(term, tensors[number], number, sizes) for number, term in enumerate(terms)]
    every = "".join(terms)
    hidden = "".join(sorted({*_HIDDEN} & {*every}))
    once = "".join(letter for letter in sorted({*every}) if letter in hidden or every.count(letter) == 1)
    kept = output.replace("...", hidden) if arrow else once
    for letter in kept:
        if letter not in every:
            text = "does not appear in the equation for any input operand"
            raise RuntimeError(f"einsum(): output subscript {letter} {text}")
        if kept.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
    shapes = [zip(term, tensor.shape, strict=True) for term, tensor in zip(terms, tensors, strict=True)]
    terms = ["".join(letter for letter, size in shape if size != 1) for shape in shapes]
    tensors = [tensor.squeeze() if 1 in tensor.shape else tensor for tensor in tensors]
    others = [kept + "".join(terms[:number] + terms[number + 1 :]) for number in range(len(terms))]
    (product, own), *prepared = map(_prepare_operand, tensors, terms, others)
    for number, (tensor, theirs) in enumerate(prepared, 2):
        product, own = _contract(product, own, tensor, theirs, kept + "".join(terms[number:]), sizes)
    order = "".join(letter for letter in kept if letter in own)
    return _arrange(product, own, order, [sizes.get(letter, 1) for letter in kept])


def _spelled_out(term: str, tensor: Tensor, number: int, sizes: dict[str, int]) -> str:
    """The letters of an operand's dimensions, with one for each that `...` stands for. Notes their sizes; RuntimeError
    where one has two.
    """
    letters = term.replace("...", "")
    more = tensor.ndim - len(letters)
    if more < 0 or (more and letters == term):
        text = f"({len(letters)}) does not match the number of dimensions ({tensor.ndim}) for operand {number}"
        raise RuntimeError(f"einsum(): the number of subscripts in the equation {text} and no ellipsis was given")
    letters = term.replace("...", _HIDDEN[len(_HIDDEN) - more :])
    for letter, size in zip(letters, tensor.shape, strict=True):
        if size != (first := tensor.shape[letters.index(letter)]):
            text = f"is repeated for operand {number} but the sizes don't match, {size} != {first}"
            raise RuntimeError(f"einsum(): subscript {letter} {text}")
        if size != 1 and size != sizes.setdefault(letter, size):
            text = f"which does not broadcast with previously seen size {sizes[letter]}"
            raise RuntimeError(f"einsum(): subscript {letter} has size {size} for operand {number} {text}")
    return letters


def _prepare_operand(tensor: Tensor, letters: str, needed: str) -> tuple[Tensor, str]:
    """An operand with one dimension for each letter that is needed elsewhere."""
    while twice := [letter for letter in letters if letters.count(letter) > 1]:
        first, second = letters.index(twice[0]), letters.rindex(twice[0])
        tensor = diagonal(tensor, 0, first, second)
        letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + twice[0]
    lone = [dim for dim, letter in enumerate(letters) if letter not in needed]
    return tensor.sum(lone) if lone else tensor, "".join(letter for letter in letters if letter in needed)


def _contract(a: Tensor, own: str, b: Tensor, theirs: str, later: str, sizes: dict[str, int]) -> tuple[Tensor, str]:
    """Two operands as one, in which letters that are not needed later are summed."""
    batch = "".join(letter for letter in own if letter in theirs and letter in later)
    inner = "".join(letter for letter in own if letter in theirs and letter not in later)
    rows = "".join(letter for letter in own if letter not in theirs)
    columns = "".join(letter for letter in theirs if letter not in own)
    outer, n, k, m = ([sizes[letter] for letter in group] for group in (batch, rows, inner, columns))
    a = _arrange(a, own, batch + rows + inner, [*outer, math.prod(n), math.prod(k)])
    b = _arrange(b, theirs, batch + inner + columns, [*outer, math.prod(k), math.prod(m)])
    product = matmul(a, b) if inner else a * b
    return _arrange(product, "", "", [*outer, *n, *m]), batch + rows + columns


def _arrange(tensor: Tensor, letters: str, order: str, shape: list[int]) -> Tensor:
    """The tensor with its dimensions in another order, and then in a shape."""
    ordered = tensor if letters == order else tensor.permute([letters.index(letter) for letter in order])
    return ordered if list(ordered.shape) == shape else ordered.reshape(shape)
