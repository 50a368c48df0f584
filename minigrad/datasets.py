"""Data to learn from: images that come with the package, so that a chapter needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile
from zlib import error as ZlibError

import numpy as np

from minigrad.creation import tensor
from minigrad.tensor import Tensor

DIGITS = Path(__file__).parent / "data" / "digits.npz"
ADVICE = "Get it again with `git checkout -- minigrad/data/digits.npz`, or install minigrad again."


class Digits(NamedTuple):
    """Handwritten digits: images of shape [N, 8, 8], float32 from 0 (paper) to 16 (ink), and labels of shape [N],
    int64 from 0 to 9.
    """

    train_images: Tensor
    train_labels: Tensor
    test_images: Tensor
    test_labels: Tensor


def digits() -> Digits:
    """The 1,797 handwritten digits of E. Alpaydin and C. Kaynak (UCI repository, CC BY 4.0; see data/DIGITS.md).

    The split is part of the file and always the same: 1,438 images to train on, 359 to test with, a fifth of each
    digit. New tensors at each call. RuntimeError if the file is missing or damaged, with what to do about it.
    """
    images, labels, is_test = _read(DIGITS)
    whole = (images.astype(np.float32), labels.astype(np.int64))
    return Digits(*[tensor(array[part]) for part in (~is_test, is_test) for array in whole])


def _read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read the three arrays and check that they are what they should be."""
    try:
        # Opened here, because np.load leaves a damaged file open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            images, labels, is_test = file["images"], file["labels"], file["is_test"]
    except FileNotFoundError:
        raise RuntimeError(f"the digits are missing: there is no {path.name} in minigrad/data. {ADVICE}") from None
    except (OSError, ValueError, KeyError, EOFError, AttributeError, BadZipFile, ZlibError) as error:
        raise _damage_error(path, f"{type(error).__name__}: {error}") from None
    for name, array, shape, kind in (
        ("images", images, (1797, 8, 8), "uint8"),
        ("labels", labels, (1797,), "uint8"),
        ("is_test", is_test, (1797,), "bool"),
    ):
        if array.shape != shape or array.dtype != kind:
            expected = f"expected {kind} of shape {shape}"
            raise _damage_error(path, f"{name} is {array.dtype} of shape {array.shape}, {expected}")
    if images.max() > 16 or labels.max() > 9 or is_test.sum() != 359:
        raise _damage_error(path, "its numbers are out of range")
    return images, labels, is_test


def _damage_error(path: Path, reason: str) -> RuntimeError:
    return RuntimeError(f"the digits cannot be read: {path.name} is damaged ({reason}). {ADVICE}")
