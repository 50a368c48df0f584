"""Sums of products in the language of subscripts: `einsum("ij,jk->ik", a, b)`.

A letter that both factors have and the result has not is summed over, all others are loops. Two factors at a time
become one batched matrix product. The gradient of such a sum is such a sum again, with the letters in other roles: that
is the whole rule of `contract`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.matrices.matmul import check_dtypes
from minigrad.ops.reductions.sums import sum as sum_over
from minigrad.ops.shapes.diagonals import diagonal
from minigrad.ops.shapes.expanding import expand
from minigrad.ops.shapes.transposing import permute
from minigrad.public import as_str, as_tensors, public
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ELLIPSIS = "…"  # in a term that has been read: all dimensions without a letter


@op(
    self=lambda F, g, other, first, second, out: F.contract(g, other, out, second, first),
    other=lambda F, g, self, first, second, out: F.contract(g, self, out, first, second),
)
def contract(self: Array, other: Array, first: str, second: str, out: str) -> Array:
    """The sum of products whose factors have the dimensions `first` and `second`, and the result `out`, a letter each.

    No letter stands twice in one of them, and each of the three has only letters that one of the others has.
    """
    sizes = dict(zip(first + second, np.shape(self) + np.shape(other), strict=True))
    summed = [letter for letter in (first if self.size > other.size else second) if letter not in out]
    if not summed:
        places = [[out.index(letter) for letter in term] for term in (first, second)]
        return np.einsum(self, places[0], other, places[1], range(len(out)))[()]
    batch = [letter for letter in first if letter in second and letter in out]
    left, right = ([letter for letter in out if letter in term and letter not in batch] for term in (first, second))
    count, rows, columns = (math.prod(sizes[letter] for letter in group) for group in (summed, left, right))
    many = [sizes[letter] for letter in batch]
    # numpy's matmul takes transposed matrices as they are: only what the reshapes cannot merge is copied
    a = self.transpose([first.index(letter) for letter in batch + left + summed]).reshape(*many, rows, count)
    b = other.transpose([second.index(letter) for letter in batch + summed + right]).reshape(*many, count, columns)
    made = batch + left + right
    product = (a @ b).reshape([sizes[letter] for letter in made])
    return product.transpose([made.index(letter) for letter in out])[()]


@public(method=False)
def einsum(*arguments: Any) -> Tensor:
    """The sum of products that an equation of subscripts describes: `einsum("bij,bjk->bik", x, y)`.

    Each operand's dimensions are named by letters, `...` stands for any number more, which broadcast; after `->` come
    those of the result. Letters that are not there are summed over. A letter twice in one operand means its diagonal.
    Without `->` the result has the letters that occur once, in alphabetical order, after `...`.

    RuntimeError if subscripts do not fit the operands' dimensions or sizes; ValueError or TypeError for what is no
    equation.
    """
    if len(arguments) < 2:
        raise ValueError("einsum(): must specify the equation string and at least one operand")
    equation, *operands = arguments
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = list(operands[0])
    as_str("einsum", "equation", 1, equation)
    as_tensors("einsum", "operands", 2, operands)
    terms, out = _read(equation, operands)
    for number, operand in enumerate(operands):
        operands[number], terms[number] = _diagonals(operand, terms[number], number)
    operands = _expanded(operands, terms)
    for number, (operand, term) in enumerate(zip(operands, terms, strict=True)):
        elsewhere = out + "".join(terms[:number] + terms[number + 1 :])
        alone = tuple([dim for dim, letter in enumerate(term) if letter not in elsewhere])
        if alone:
            operands[number] = sum_over(operand, alone)
            terms[number] = "".join(letter for letter in term if letter in elsewhere)
    product, letters = operands[0], terms[0]
    for number, (operand, term) in enumerate(zip(operands[1:], terms[1:], strict=True), 2):
        needed = out + "".join(terms[number:])
        kept = "".join(letter for letter in dict.fromkeys(needed) if letter in letters + term)
        if product.dtype is not operand.dtype or not set(letters + term) <= set(kept):
            check_dtypes("bmm", product, operand)
        product, letters = contract(product, operand, letters, term, kept), kept
    if len(operands) > 1:
        return product  # whose letters are in the order of the output
    return permute(product, tuple([letters.index(letter) for letter in out]))


def _diagonals(operand: Tensor, term: str, number: int) -> tuple[Tensor, str]:
    """The operand without repeated letters: the diagonal for each."""
    while repeated := [letter for letter in term if term.count(letter) > 1]:
        letter = repeated[0]
        first = term.index(letter)
        second = term.index(letter, first + 1)
        if operand.shape[first] != operand.shape[second]:
            raise RuntimeError(
                f"einsum(): subscript {letter} is repeated for operand {number} but the sizes don't match, "
                f"{operand.shape[second]} != {operand.shape[first]}"
            )
        operand = diagonal(operand, 0, first, second)
        term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return operand, term


def _expanded(operands: list[Tensor], terms: list[str]) -> list[Tensor]:
    """The operands with each letter's size, repeated along those where they have 1."""
    sizes: dict[str, int] = {}
    for number, (operand, term) in enumerate(zip(operands, terms, strict=True)):
        for dim, (letter, size) in enumerate(zip(term, operand.shape, strict=True)):
            before = sizes.get(letter, 1)
            if 1 not in (size, before) and size != before:
                which, other = f"subscript {letter} has size {size} for operand {number} which", f"size {before}"
                if letter not in _LETTERS:
                    which = f"dimension {dim} covered by ellipsis in operand {number}has size {size} which"
                    other = f"ellipsis with size {before} for the respective dimension"
                raise RuntimeError(f"einsum(): {which} does not broadcast with previously seen {other}")
            sizes[letter] = size if before == 1 else before
    shapes = [tuple([sizes[letter] for letter in term]) for term in terms]
    return [x if x.shape == shape else expand(x, shape) for x, shape in zip(operands, shapes, strict=True)]


def _read(equation: str, operands: list[Tensor]) -> tuple[list[str], str]:
    """An equation's terms and its output, with a letter for each dimension, those that `...` stands for among them."""
    left, arrow, right = equation.partition("->")
    texts = left.split(",")
    if len(operands) != len(texts):
        which = "fewer" if len(operands) < len(texts) else "more"
        raise RuntimeError(
            f"einsum(): {which} operands were provided than specified in the equation: {len(operands)} for "
            f"{len(texts)} terms"
        )
    for index, character in enumerate(left + " " * len(arrow) + right):
        if character not in _LETTERS + ". " and (character != "," or index >= len(left)):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {index} in the equation string, subscripts must be in "
                "[a-zA-Z]"
            )
    terms = [_read_term(text, f"operand {number}") for number, text in enumerate(texts)]
    once = [letter for letter in sorted("".join(terms)) if letter in _LETTERS and "".join(terms).count(letter) == 1]
    out = _read_term(right, "the output") if arrow else _ELLIPSIS + "".join(once)
    covered = [operand.ndim - len(term.replace(_ELLIPSIS, "")) for operand, term in zip(operands, terms, strict=True)]
    for number, (term, operand, count) in enumerate(zip(terms, operands, covered, strict=True)):
        if count < 0 or (count and _ELLIPSIS not in term):
            few = "even with an ellipsis for none" if _ELLIPSIS in term else "and no ellipsis was given"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({operand.ndim - count}) does not match the "
                f"number of dimensions ({operand.ndim}) for operand {number} {few}"
            )
    others = "".join(chr(192 + number) for number in range(max(covered)))[::-1]  # letters beyond the alphabet
    terms = [term.replace(_ELLIPSIS, others[len(others) - count :]) for term, count in zip(terms, covered, strict=True)]
    out = out.replace(_ELLIPSIS, others)
    for letter in out:
        if out.count(letter) > 1 or letter not in "".join(terms):
            fault = "appears more than once in the output"
            if letter not in "".join(terms):
                fault = "does not appear in the equation for any input operand"
            raise RuntimeError(f"einsum(): output subscript {letter} {fault}")
    return terms, out


def _read_term(text: str, where: str) -> str:
    """The letters of a term without spaces, and `_ELLIPSIS` for `...`."""
    term = text.replace("...", _ELLIPSIS, 1).replace(" ", "")
    if "." in term:
        again = _ELLIPSIS in term[: term.index(".")]
        which = "for which an ellipsis was already found" if again else "that is not part of any ellipsis"
        raise RuntimeError(f"einsum(): found '.' for {where} {which}")
    return term
