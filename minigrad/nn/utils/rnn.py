"""Sequences of different lengths: padded to a common length, or packed without padding.

After this module a reader knows what a PackedSequence holds: the first time step of all sequences, then the second time
step of those that are long enough, and so on; `batch_sizes` says how many sequences each time step has. A recurrent
layer takes one such slice after the other, and spends no time on padding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes, functions
from minigrad.creation.data import full, tensor
from minigrad.tensor import Tensor, from_array


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """Sequences of different lengths without padding, the longest first. `pack_sequence` makes them.

    data: (sum of lengths, ...). batch_sizes: how many sequences each time step has. sorted_indices: the permutation
    that put the longest first, and unsorted_indices its inverse; None if the sequences came in order.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with the data in another dtype."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else PackedSequence(data, *self[1:])

    def double(self) -> PackedSequence:
        """The same with the data in float64."""
        return self.to(dtypes.float64)

    def float(self) -> PackedSequence:
        """The same with the data in float32."""
        return self.to(dtypes.float32)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The inverse of a permutation."""
    return None if permutation is None else from_array(np.argsort(permutation.numpy()))


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a batch of padded sequences.

    Args:
        input: (time, batch, ...), or (batch, time, ...) with batch_first.
        lengths: the length of each sequence.
        enforce_sorted: the sequences must come with the longest first; with False they are sorted here.

    RuntimeError if lengths are not positive, not as many as sequences, or not in order.
    """
    sizes = np.asarray(lengths.numpy() if isinstance(lengths, Tensor) else lengths, np.int64)
    order = None
    if not enforce_sorted:
        order = np.argsort(-sizes, kind="stable")
        sizes = sizes[order]
        input = input[:, tensor(order)] if not batch_first else input[tensor(order)]
    steps = input if not batch_first else input.transpose(0, 1)
    batch = steps.shape[1]
    if len(sizes) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={batch})"
        )
    if (sizes <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if sizes[0] > steps.shape[0]:
        raise RuntimeError(
            f"Expected lengths of at most {steps.shape[0]}, the padded length, but the longest is {sizes[0]}"
        )
    step, sequence = _packed_positions(sizes)
    data = steps[from_array(step), from_array(sequence)]
    batch_sizes = from_array(np.bincount(step).astype(np.int64))
    return PackedSequence(data, batch_sizes, None if order is None else from_array(order))


def _packed_positions(lengths: Any) -> tuple[Any, Any]:
    """The time step and the sequence of each row of packed data; the longest sequence comes first."""
    step, sequence = np.nonzero(np.arange(lengths[0])[:, None] < lengths)
    return step, sequence


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undo `pack_padded_sequence`: the padded batch (time, batch, ...), and the length of each sequence.

    Args:
        batch_first: give (batch, time, ...).
        padding_value: what comes after the end of a sequence.
        total_length: pad to this length instead of that of the longest sequence.

    ValueError if total_length is less than that.
    """
    counts = sequence.batch_sizes.numpy()
    length = len(counts)
    if total_length is not None:
        if total_length < length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {length}"
            )
        length = total_length
    lengths = (counts[:, None] > np.arange(counts[0])).sum(0)
    data = sequence.data
    padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype)
    rows = np.full((length, counts[0]), len(data))  # of `data`; its last row, added below, is the padding
    rows[_packed_positions(lengths)] = np.arange(len(data))
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices.numpy()
        rows, lengths = rows[:, order], lengths[order]
    padded = functions.cat([data, padding])[from_array(rows.T if batch_first else rows)]
    return padded, from_array(lengths)


def pad_sequence(
    sequences: Iterable[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences (length, ...) padded to the longest and stacked: (time, batch, ...) or (batch, time, ...).

    Args:
        padding_value: what is added to the shorter ones.
        padding_side: where it is added, "right" for the end or "left" for the beginning.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    parts = list(sequences)
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"padding_side must be one of 'left' or 'right', but got {padding_side}")
    longest = max(len(part) for part in parts)
    padded = []
    for part in parts:
        padding = full((longest - len(part), *part.shape[1:]), padding_value, dtype=part.dtype)
        padded.append(functions.cat([part, padding] if padding_side == "right" else [padding, part]))
    return functions.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Undo `pad_sequence`: the sequences of a padded batch, each cut to its length."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (length, ...) of different lengths."""
    lengths = [len(sequence) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Undo `pack_sequence`: the list of sequences."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
