"""The digits: what is in them, that the split is a split, and what a missing or damaged file says."""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import datasets
from minigrad.datasets import DIGITS, digits


def test_shapes_dtypes_and_ranges() -> None:
    data = digits()
    assert data.train_images.shape == (1438, 8, 8)
    assert data.test_images.shape == (359, 8, 8)
    for images, labels in ((data.train_images, data.train_labels), (data.test_images, data.test_labels)):
        assert images.dtype is mg.float32
        assert labels.dtype is mg.int64
        assert not images.requires_grad
        numbers = images.numpy()
        assert numbers.min() == 0
        assert numbers.max() == 16
        assert (numbers == numbers.round()).all()
        assert sorted(set(labels.tolist())) == list(range(10))
        assert len(images) == len(labels)


def test_a_fifth_of_each_digit_is_for_testing() -> None:
    data = digits()
    train, test = (np.unique(labels.numpy(), return_counts=True)[1] for labels in (data.train_labels, data.test_labels))
    assert (train + test).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert (np.abs(test / (train + test) - 0.2) < 0.005).all()


def test_the_images_are_the_published_ones() -> None:
    with np.load(DIGITS, allow_pickle=False) as file:
        first, images = file["images"][0], file["images"]
    assert first[0].tolist() == [0, 0, 5, 13, 9, 1, 0, 0]
    assert first.sum() == 294
    assert int(images.sum(dtype=np.int64)) == 561718
    assert len({image.tobytes() for image in images}) == 1797  # no image is both in training and in testing


def test_each_call_gives_tensors_of_its_own() -> None:
    one, other = digits(), digits()
    one.train_images.numpy()[0] = 7
    assert other.train_images.numpy()[0].max() == 15
    assert (one.test_labels == other.test_labels).all()


def test_file_is_small_and_attributed() -> None:
    assert DIGITS.stat().st_size < 100_000
    words = DIGITS.with_name("DIGITS.md").read_text(encoding="utf-8")
    for said in ("E. Alpaydin and C. Kaynak", "CC BY 4.0", "UCI Machine Learning Repository", "What was changed"):
        assert said in words


def _missing(path: Path) -> None:
    path.unlink()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _text(path: Path) -> None:
    path.write_text("<html>not found</html>")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])


def _flipped(path: Path) -> None:
    damaged = bytearray(path.read_bytes())
    for place in range(3_000, 3_200):
        damaged[place] ^= 0xFF
    path.write_bytes(bytes(damaged))


def _without_labels(path: Path) -> None:
    with np.load(path) as file:
        np.savez(path, images=file["images"], is_test=file["is_test"])


def _other_shape(path: Path) -> None:
    with np.load(path) as file:
        np.savez(path, images=file["images"][:10], labels=file["labels"], is_test=file["is_test"])


def _out_of_range(path: Path) -> None:
    with np.load(path) as file:
        np.savez(path, images=file["images"] * 2, labels=file["labels"], is_test=file["is_test"])


def _pickled(path: Path) -> None:
    np.savez(path, images=np.array([{}], dtype=object), labels=np.zeros(1), is_test=np.zeros(1))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_missing, "missing"),
        (_empty, "damaged"),
        (_text, "damaged"),
        (_cut, "damaged"),
        (_flipped, "damaged"),
        (_without_labels, "damaged"),
        (_other_shape, "images is uint8 of shape"),
        (_out_of_range, "out of range"),
        (_pickled, "damaged"),
    ],
)
def test_a_missing_or_damaged_file_says_so_and_what_to_do(
    damage, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / DIGITS.name
    shutil.copy(DIGITS, path)
    damage(path)
    monkeypatch.setattr(datasets, "DIGITS", path)
    with pytest.raises(RuntimeError, match=said) as raised:
        digits()
    assert "again" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_the_file_holds_arrays_only() -> None:
    with zipfile.ZipFile(DIGITS) as archive:
        assert sorted(archive.namelist()) == ["images.npy", "is_test.npy", "labels.npy"]
