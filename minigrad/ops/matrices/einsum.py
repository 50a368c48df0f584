"""Sums of products in the language of subscripts: `einsum("ij,jk->ik", a, b)`; and inner.

A letter that both factors have and the result has not is summed over, all others are loops. Two factors at a time
become one batched matrix product. The gradient of such a sum is such a sum again, with the letters in other roles: that
is the whole rule of `contract`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.matrices.matmul import refuse_bools
from minigrad.ops.pointwise.arithmetic import mul
from minigrad.ops.reductions.sums import sum as sum_over
from minigrad.ops.shapes.diagonals import diagonal
from minigrad.ops.shapes.transposing import permute
from minigrad.ops.shapes.views import squeeze
from minigrad.public import as_tensors, public
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    self=lambda F, g, other, first, second, out: F.contract(g, other, out, second, first),
    other=lambda F, g, self, first, second, out: F.contract(g, self, out, first, second),
)
def contract(self: Array, other: Array, first: str, second: str, out: str) -> Array:
    """The sum of products whose factors have the dimensions `first` and `second`, and the result `out`, a letter each.

    No letter stands twice in one of them, and each of the three has only letters that one of the others has.
    """
    self, other = np.asarray(self), np.asarray(other)
    sizes = dict(zip(first + second, self.shape + other.shape, strict=True))
    summed = [letter for letter in (first if self.size > other.size else second) if letter not in out]
    if not summed:
        return _aligned(self, first, out) * _aligned(other, second, out)
    batch = [letter for letter in out if letter in first and letter in second]
    left = [letter for letter in first if letter not in second]
    right = [letter for letter in second if letter not in first]
    count, rows, columns = (math.prod(sizes[letter] for letter in group) for group in (summed, left, right))
    many = [sizes[letter] for letter in batch]
    # numpy's matmul takes transposed matrices as they are: only what the reshapes cannot merge is copied
    a = self.transpose([first.index(letter) for letter in batch + left + summed]).reshape(*many, rows, count)
    b = other.transpose([second.index(letter) for letter in batch + summed + right]).reshape(*many, count, columns)
    made = batch + left + right
    product = (a @ b).reshape([sizes[letter] for letter in made])
    return product.transpose([made.index(letter) for letter in out])[()]


def _aligned(array: Array, letters: str, out: str) -> Array:
    """An array with its dimensions in the order of `out`, and size 1 along those that it has not."""
    array = array.transpose([letters.index(letter) for letter in out if letter in letters])
    return array[tuple(slice(None) if letter in letters else None for letter in out)]


@public(method=False, out=False)
def einsum(*arguments: Any) -> Tensor:
    """The sum of products that an equation of subscripts describes: `einsum("bij,bjk->bik", x, y)`.

    Each operand's dimensions are named by letters, `...` stands for any number more, which broadcast; after `->` come
    those of the result. Letters that are not there are summed over. A letter twice in one operand means its diagonal.
    Without `->` the result has the letters that occur once, in alphabetical order, after `...`.

    RuntimeError if subscripts do not fit the operands' dimensions or sizes; ValueError or TypeError for what is no
    equation.
    """
    subscripts, output, operands = _read(arguments)
    return sum_of_products(operands, *_without_ellipsis(subscripts, output, operands))


def sum_of_products(operands: Sequence[Tensor], terms: Sequence[str], out: str) -> Tensor:
    """`einsum` of operands whose every dimension has a letter, for a result with the letters `out`: from the left, the
    product of two operands at a time.
    """
    pairs = [
        _diagonals(operand, term, place) for place, (operand, term) in enumerate(zip(operands, terms, strict=True))
    ]
    pairs = _without_ones(pairs)
    for place, (operand, term) in enumerate(pairs):
        elsewhere = out + "".join(other for number, (_, other) in enumerate(pairs) if number != place)
        alone = tuple([d for d, letter in enumerate(term) if letter not in elsewhere])
        if alone:
            pairs[place] = sum_over(operand, alone), "".join(letter for letter in term if letter in elsewhere)
    while len(pairs) > 1:
        (a, a_term), (b, b_term), *rest = pairs
        needed = out + "".join(term for _, term in rest)
        wanted = "".join(letter for letter in dict.fromkeys(out + a_term + b_term) if letter in needed)
        wanted = "".join(letter for letter in wanted if letter in a_term + b_term)
        pairs = [(_contract(a, b, a_term, b_term, wanted), wanted), *rest]
    operand, term = pairs[0]
    if term == out and operand is not operands[0]:
        return operand
    return permute(operand, tuple([term.index(letter) for letter in out]))


def _contract(a: Tensor, b: Tensor, a_term: str, b_term: str, out: str) -> Tensor:
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"expected scalar type {a.dtype.tensor_type} but found {b.dtype.tensor_type}: convert one of the operands "
            "with .to(...)"
        )
    if a.dtype is dtypes.bool and any(letter not in out for letter in a_term + b_term):
        raise NotImplementedError("\"bmm\" not implemented for 'Bool': convert the tensors first, as in x.int()")
    return contract(a, b, a_term, b_term, out)


def _diagonals(operand: Tensor, term: str, number: int) -> tuple[Tensor, str]:
    """The operand without repeated letters: the diagonal for each."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            own, other = operand.shape[first], operand.shape[second]
            if own != other:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {number} but the sizes don't match, "
                    f"{other} != {own}"
                )
            operand = diagonal(operand, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return operand, term


def _without_ones(pairs: list[tuple[Tensor, str]]) -> list[tuple[Tensor, str]]:
    """Operands without the dimensions of size 1 that others repeat."""
    largest: dict[str, int] = {}
    for number, (operand, term) in enumerate(pairs):
        for letter, size in zip(term, operand.shape, strict=True):
            seen = largest.get(letter, 1)
            if size != seen and 1 not in (size, seen):
                which = f"subscript {letter} has size {size} for operand {number} which"
                before = f"size {seen}"
                if letter not in _LETTERS:  # one of `...`
                    place = term.index(letter)
                    which = f"dimension {place} covered by ellipsis in operand {number}has size {size} which"
                    before = f"ellipsis with size {seen} for the respective dimension"
                raise RuntimeError(f"einsum(): {which} does not broadcast with previously seen {before}")
            largest[letter] = size if seen == 1 else seen
    squeezed = []
    for operand, term in pairs:
        ones = [d for d, letter in enumerate(term) if operand.shape[d] == 1 != largest[letter]]
        kept = "".join(letter for d, letter in enumerate(term) if d not in ones)
        squeezed.append((squeeze(operand, ones) if ones else operand, kept))
    return squeezed


@public
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products along the last dimensions: (…, k) and (†, k) give (…, †). A number scales the other."""
    if not input.ndim or not other.ndim:
        return mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    if input.dtype is not other.dtype:
        raise RuntimeError(f"both inputs should have same dtype, but they have {input.dtype} and {other.dtype}")
    refuse_bools("addmm_impl_cpu_", input)
    letters = "".join(chr(192 + number) for number in range(input.ndim + other.ndim - 1))
    first, second = letters[1 : input.ndim], letters[input.ndim :]
    return sum_of_products((input, other), (first + letters[0], second + letters[0]), first + second)


# ---------------------------------------------------------------- reading an equation

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ELLIPSIS = "…"  # in a term that has been read: all dimensions without a letter


def _read(arguments: tuple[Any, ...]) -> tuple[list[str], str | None, list[Tensor]]:
    """The terms of an equation, its output if there is one, and the operands."""
    if len(arguments) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    equation, *operands = arguments
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = list(operands[0])
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    as_tensors("einsum", "operands", 2, operands)
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(operands) != len(terms):
        which = "fewer" if len(operands) < len(terms) else "more"
        raise RuntimeError(
            f"einsum(): {which} operands were provided than specified in the equation: {len(operands)} for "
            f"{len(terms)} terms"
        )
    read, start = [], 0
    for number, term in enumerate(terms):
        read.append(_read_term(term, start, f"operand {number}"))
        start += len(term) + 1
    return read, _read_term(right, start + 1, "the output") if arrow else None, operands


def _read_term(text: str, start: int, where: str) -> str:
    """The letters of a term without spaces, and `_ELLIPSIS` for `...`."""
    term = text.replace("...", _ELLIPSIS, 1)
    if "." in term:
        again = _ELLIPSIS in term[: term.index(".")]
        which = "for which an ellipsis was already found" if again else "that is not part of any ellipsis"
        raise RuntimeError(f"einsum(): found '.' for {where} {which}")
    for character in term:
        if character not in _LETTERS + _ELLIPSIS + " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {start + text.index(character)} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
    return term.replace(" ", "")


def _without_ellipsis(terms: list[str], output: str | None, operands: list[Tensor]) -> tuple[list[str], str]:
    """The terms and the output with a letter for each dimension that `...` stands for."""
    covered = []
    for number, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        named = len(term.replace(_ELLIPSIS, ""))
        if named > operand.ndim or (named < operand.ndim and _ELLIPSIS not in term):
            few = " and no ellipsis was given" if _ELLIPSIS not in term else " even with an ellipsis for none"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of "
                f"dimensions ({operand.ndim}) for operand {number}{few}"
            )
        covered.append(operand.ndim - named)
    # letters beyond the alphabet, counted from the last dimension that is covered
    others = "".join(chr(192 + number) for number in range(max(covered)))[::-1]
    if output is None:
        letters = "".join(terms)
        once = sorted(letter for letter in letters if letters.count(letter) == 1 and letter != _ELLIPSIS)
        output = _ELLIPSIS + "".join(once)
    full = [term.replace(_ELLIPSIS, others[len(others) - count :]) for term, count in zip(terms, covered, strict=True)]
    out = output.replace(_ELLIPSIS, others)
    for letter in out:
        if not any(letter in term for term in full):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
        if out.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
    return full, out
