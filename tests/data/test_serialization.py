"""save and load: what comes back, files that others wrote, files that are damaged, and savings that fail half way."""

from __future__ import annotations

import io
import json
import os
import pickle
import types
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad import serialization


def saved(obj: Any) -> bytes:
    stream = io.BytesIO()
    mg.save(obj, stream)
    return stream.getvalue()


def back(obj: Any) -> Any:
    return mg.load(io.BytesIO(saved(obj)))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, mg.Tensor):
        return (
            isinstance(other, mg.Tensor)
            and (one.dtype, one.shape, one.requires_grad) == (other.dtype, other.shape, other.requires_grad)
            and np.array_equal(one.detach().numpy(), other.detach().numpy(), equal_nan=one.dtype.is_floating_point)
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)


# ---------------------------------------------------------------- what comes back

VALUES: dict[str, Callable[[], Any]] = {
    "a tensor": lambda: mg.randn(3, 4),
    "0-d": lambda: mg.tensor(2.5),
    "0-d of a computation": lambda: (mg.ones(3) * 2).sum(),
    "empty": lambda: mg.zeros(0, 3),
    "each dtype": lambda: [mg.tensor([0, 1, 1], dtype=kind) for kind in mg.dtypes.dtype._by_numpy.values()],
    "nan and infinity": lambda: mg.tensor([float("nan"), float("inf"), -0.0]),
    "requires_grad": lambda: mg.ones(2, requires_grad=True),
    "a state dict": lambda: OrderedDict(weight=mg.randn(2, 2), bias=mg.zeros(2), steps=mg.tensor(3)),
    "an optimizer's": lambda: {"state": {0: {"step": 3, "exp_avg": mg.ones(2)}}, "param_groups": [{"lr": 0.1}]},
    "nested": lambda: [1, (2.5, [None, {"a": {"b": mg.ones(1)}}]), True],
    "numbers": lambda: [0, -1, 2**62, 2**63, -(2**100), 0.1, float("nan"), float("-inf"), 5e-324],
    "words": lambda: ["", "ü\n\x00"],
    "keys": lambda: {1: "int", "1": "str", (1, 2): "tuple", None: "none", False: "bool", 2.5: "float"},
    "a set": lambda: {1, 2},
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_saved_comes_back(name: str) -> None:
    value = VALUES[name]()
    assert same(back(value), value)


def test_numbers_of_numpy_become_pythons() -> None:
    assert same(back([np.float64(2.5), np.int32(3), np.bool_(True)]), [2.5, 3, True])


def test_the_same_tensors_make_the_same_bytes() -> None:
    assert saved({"a": mg.arange(3)}) == saved({"a": mg.arange(3)})


def test_views_of_one_memory_stay_so() -> None:
    x = mg.arange(20.0).reshape(4, 5)
    y, z, turned = back([x, x[1:3, ::2], x.t()])
    assert (z.stride(), turned.stride()) == ((5, 2), (1, 5))
    y[1, 2] = 99
    assert z[0, 1].item() == turned[2, 1].item() == 99


def test_a_tensor_twice_comes_back_as_one() -> None:
    x = mg.ones(2, requires_grad=True)
    first, second = back([x, x])
    assert first is second


def test_only_the_part_that_is_used_is_written() -> None:
    assert len(saved(mg.zeros(100_000)[5:8])) < 1000
    both = mg.zeros(100_000)
    assert len(saved([both[:4], both[10:14]])) < 1200


def test_an_expanded_tensor_stays_small() -> None:
    x = back(mg.ones(1).expand(1000, 1000))
    assert (x.shape, x.stride(), x.sum().item()) == ((1000, 1000), (0, 0), 1e6)
    assert len(saved(x)) < 1000
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.add_(1)


def test_parameters_stay_what_they_are() -> None:
    from minigrad.nn import Parameter

    x = mg.ones(4)
    learned, frozen = back([Parameter(x), Parameter(x[:2], requires_grad=False)])
    assert [type(each) for each in (learned, frozen)] == [Parameter, Parameter]
    assert (learned.requires_grad, frozen.requires_grad, learned.is_leaf) == (True, False, True)
    with mg.no_grad():
        learned[0] = 7
    assert frozen[0].item() == 7


def test_a_result_comes_back_as_a_leaf() -> None:
    x = back(mg.ones(2, requires_grad=True) * 2)
    assert (x.requires_grad, x.is_leaf, x.tolist()) == (True, True, [2, 2])


def test_what_was_read_can_be_written_to() -> None:
    x = back(mg.ones(3))
    x.add_(1)
    assert x.tolist() == [2, 2, 2]


def test_paths_and_files(tmp_path: Path) -> None:
    x = mg.ones(2)
    for target in (tmp_path / "a.pt", str(tmp_path / "b.pt")):
        mg.save(x, target)
        assert same(mg.load(target), x)
    with (tmp_path / "c.pt").open("wb") as stream:
        mg.save(x, stream)
    with (tmp_path / "c.pt").open("rb") as stream:
        assert same(mg.load(stream, map_location="cpu", weights_only=True), x)
    assert sorted(os.listdir(tmp_path)) == ["a.pt", "b.pt", "c.pt"]
    for place in (mg.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage):
        assert same(mg.load(tmp_path / "a.pt", map_location=place), x)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        mg.load(tmp_path / "a.pt", map_location="cuda")


def test_the_file_can_be_read_by_others() -> None:
    with zipfile.ZipFile(io.BytesIO(saved({"w": mg.arange(3.0)}))) as archive:
        assert archive.namelist() == ["minigrad.json", "memory/0"]
        assert json.loads(archive.read("minigrad.json"))["tensors"][0]["shape"] == [3]
        assert np.frombuffer(archive.read("memory/0"), "<f4").tolist() == [0, 1, 2]


# ---------------------------------------------------------------- what can't be saved


class Other:
    pass


def deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


def itself() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (Other(), TypeError, ["Other", "state_dict()"]),
        ({"a": [np.ones(2)]}, TypeError, ["numpy.ndarray", "from_numpy()"]),
        (print, TypeError, ["builtin_function_or_method"]),
        (1j, TypeError, ["complex"]),
        (b"bytes", TypeError, ["bytes"]),
        (mg.Size([2]), TypeError, ["Size"]),
        (itself(), ValueError, ["contains itself"]),
        (deep(2000), ValueError, ["deep"]),
    ],
    ids=[
        "an object",
        "an array",
        "a function",
        "a complex number",
        "bytes",
        "a Size",
        "a list in itself",
        "a deep list",
    ],
)
def test_what_cannot_be_saved_leaves_the_old_file(
    value: Any, error: type[Exception], words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "model.pt"
    mg.save(mg.ones(2), path)
    before = path.read_bytes()
    with pytest.raises(error) as caught:
        mg.save({"good": mg.zeros(2), "bad": value}, path)
    assert [word for word in words if word not in str(caught.value)] == []
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.pt"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.pt"
    mg.save(mg.ones(2), path)
    written = zipfile.ZipFile.writestr

    def full(self: zipfile.ZipFile, info: Any, data: Any) -> None:
        if info.filename == "memory/0":
            raise OSError("No space left on device")
        written(self, info, data)

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="No space left"):
        mg.save(mg.zeros(1000), path)
    assert mg.load(path).tolist() == [1, 1]
    assert os.listdir(tmp_path) == ["model.pt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.pt").symlink_to(tmp_path / "real" / "model.pt")
    mg.save(mg.ones(1), tmp_path / "link.pt")
    assert (tmp_path / "link.pt").is_symlink()
    assert mg.load(tmp_path / "real" / "model.pt").item() == 1


def test_no_such_place(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        mg.save(mg.ones(1), tmp_path / "nowhere" / "a.pt")
    with pytest.raises(FileNotFoundError):
        mg.load(tmp_path / "nothing.pt")
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
        mg.save(mg.ones(1), 3)
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
        mg.load(3)
    with pytest.raises(TypeError, match="reading bytes"):
        mg.load(io.StringIO("text"))


# ---------------------------------------------------------------- files of others


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


FOREIGN: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["is empty", "never written to the end"]),
    "a text": (b"hello, world\n", ["begins with b'hello, world"]),
    "a pickle": (pickle.dumps({"a": 1}), ["a pickle", "numpy.savez"]),
    # The time is among its first bytes, and may hold a quote, so that repr chooses the other kind around all.
    "a zip file": (zipped(readme=b"hi"), ["no file of minigrad.save", "begins with b", "PK"]),
    "an array of numpy": (b"\x93NUMPY\x01\x00", ["NUMPY"]),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_named(name: str, tmp_path: Path) -> None:
    data, words = FOREIGN[name]
    (tmp_path / "file.pt").write_bytes(data)
    with pytest.raises(RuntimeError, match=r"minigrad\.load can't read") as error:
        mg.load(tmp_path / "file.pt")
    assert [word for word in [*words, "file.pt"] if word not in str(error.value)] == []


@pytest.mark.parametrize("zip_format", [True, False])
def test_a_file_of_torch_is_named_and_not_run(zip_format: bool, torch: types.ModuleType, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (tmp_path / "ran").touch, ()

    path = tmp_path / "torch.pt"
    torch.save({"a": torch.ones(2), "b": Bomb()}, path, _use_new_zipfile_serialization=zip_format)
    with pytest.raises(RuntimeError, match=r"torch\.save.*numpy\.savez"):
        mg.load(path)
    assert not (tmp_path / "ran").exists()


def rewritten(change: Callable[[dict[str, Any]], Any], data: bytes | None = None) -> bytes:
    """A file whose description was changed, with its checksum put right."""
    stream, source = (
        io.BytesIO(),
        zipfile.ZipFile(io.BytesIO(data or saved({"w": mg.arange(6.0), "b": mg.ones(1) > 0}))),
    )
    with source, zipfile.ZipFile(stream, "w") as archive:
        for name in source.namelist():
            content = source.read(name)
            if name == "minigrad.json":
                description = json.loads(content)
                change(description)
                content = json.dumps(description).encode()
            archive.writestr(name, content)
    return stream.getvalue()


DAMAGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a huge shape": lambda d: d["tensors"][0].update(shape=[10**12]),
    "a shape beyond all bounds": lambda d: d["tensors"][0].update(shape=[2**40, 2**40], strides=[0, 0]),
    "strides out of the memory": lambda d: d["tensors"][0].update(strides=[4000]),
    "negative strides": lambda d: d["tensors"][0].update(strides=[-4]),
    "a start out of the memory": lambda d: d["tensors"][0].update(start=21),
    "a negative start": lambda d: d["tensors"][0].update(start=-4),
    "a negative size": lambda d: d["tensors"][0].update(shape=[-1]),
    "fewer strides than sizes": lambda d: d["tensors"][0].update(strides=[]),
    "an unknown dtype": lambda d: d["tensors"][0].update(dtype="object"),
    "another memory": lambda d: d["tensors"][0].update(memory=7),
    "a memory by its end": lambda d: d["tensors"][1].update(memory=-1),
    "a class for a flag": lambda d: d["tensors"][0].update(parameter="os.system"),
    "no flag": lambda d: d["tensors"][0].pop("parameter"),
    "a flag that is none": lambda d: d["tensors"][0].update(parameter=True, requires_grad=1),
    "another order of bytes": lambda d: d["tensors"][0].update(dtype=">f4", strides=[5]),
    "bools that require grad": lambda d: d["tensors"][1].update(requires_grad=True),
    "bools that are none": lambda d: d["tensors"][0].update(dtype="bool", strides=[1], shape=[24]),
    "bytes that are missing": lambda d: d["memory"].__setitem__(0, 23),
    "a version to come": lambda d: d.update(format=["minigrad", 3, "little"]),
    "another format": lambda d: d.update(format="other"),
    "no value": lambda d: d.pop("value"),
    "an unknown kind": lambda d: d.update(value=["call", "print"]),
    "a kind that cannot be looked up": lambda d: d.update(value=[["list"], []]),
    "a number for a list": lambda d: d.update(value=["list", 3]),
    "a dict with odd pairs": lambda d: d.update(value=["dict", [[1, 2, 3]]]),
    "a dict with a key twice": lambda d: d.update(value=["dict", [[1, 2], [1, 3]]]),
    "a key that is a list": lambda d: d.update(value=["dict", [[["list", []], 3]]]),
    "a deep value": lambda d: d.update(value=json.loads('["list", [' * 150 + "]]" * 150)),
    "a tensor that is not there": lambda d: d.update(value=["tensor", 9]),
    "tensors that are no list": lambda d: d.update(tensors={}),
    "a description that is no dict": lambda d: d.clear(),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_description_is_a_clear_error(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"minigrad\.load can't read .* it is damaged .* get it again"):
        mg.load(io.BytesIO(rewritten(DAMAGED[name])))


def test_rewriting_alone_changes_nothing() -> None:
    assert mg.load(io.BytesIO(rewritten(lambda description: None)))["w"].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_description_too_deep_for_the_reader_is_a_clear_error() -> None:
    data = zipped(**{"minigrad.json": b"[" * 200_000})
    with pytest.raises(RuntimeError, match="it is damaged"):
        mg.load(io.BytesIO(data))


def test_a_small_file_cannot_fill_the_memory() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("minigrad.json", b" " * 10_000_000)
    with pytest.raises(RuntimeError, match="its members are compressed"):
        mg.load(io.BytesIO(stream.getvalue()))
    data = bytearray(saved(mg.ones(3)))
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (10**9).to_bytes(4, "little")  # how large the member says that it is
    with pytest.raises(RuntimeError, match="larger than the file"):
        mg.load(io.BytesIO(bytes(data)))


def rezipped(name_of_first: str, compression: int) -> bytes:
    """A file with other zip settings."""
    stream, source = io.BytesIO(), zipfile.ZipFile(io.BytesIO(saved({"w": mg.arange(6.0)})))
    with source, zipfile.ZipFile(stream, "w", compression) as archive:
        for number, name in enumerate(source.namelist()):
            archive.writestr(name if number else name_of_first, source.read(name))
    return stream.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_members_are_not_unpacked(compression: int) -> None:
    """So that neither their size nor damage within them matters."""
    with pytest.raises(RuntimeError, match=r"it is damaged \(ValueError: its members are compressed\)"):
        mg.load(io.BytesIO(rezipped("minigrad.json", compression)))


def test_the_error_stays_short_whatever_stands_where_a_name_should() -> None:
    data = bytearray(saved({f"a parameter {number}": mg.ones(1) for number in range(300)}))
    data[26:28] = (60000).to_bytes(2, "little")  # the length of the first member's name
    with pytest.raises(RuntimeError, match="it is damaged") as caught:
        mg.load(io.BytesIO(bytes(data)))
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_a_clear_error(part: float) -> None:
    data = saved({"w": mg.arange(100.0)})
    with pytest.raises(RuntimeError, match=r"minigrad\.load can't read this file"):
        mg.load(io.BytesIO(data[: int(len(data) * part)]))


ORIGINAL = {"w": mg.arange(6.0).reshape(2, 3), "b": mg.tensor([True, False]), "n": [1, 2.5, "word"]}
BYTES = saved(ORIGINAL)
REFUSED = "a clear error"


def loaded(data: bytes) -> Any:
    """What is in a file, or that it was refused with an error that says so; any other error is raised."""
    try:
        return mg.load(io.BytesIO(data))
    except RuntimeError as error:
        if not str(error).startswith("minigrad.load can't read"):
            raise
        return REFUSED


@given(st.lists(st.tuples(st.integers(0, len(BYTES) - 1), st.integers(0, 255)), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_changed_bytes_give_a_clear_error_or_the_right_result(changes: list[tuple[int, int]]) -> None:
    data = bytearray(BYTES)
    for place, byte in changes:
        data[place] = byte
    result = loaded(bytes(data))
    assert result == REFUSED or same(result, ORIGINAL)


TOKENS = st.sampled_from(
    [0, 1, -1, 2**70, 3.5, "tensor", "float32", "list", None, True, [], {}, ["dict", []], "Parameter"]
)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_changed_description_gives_a_clear_error_or_plain_values(data: st.DataObject) -> None:
    """The checksum is put right here, so that the change gets further than one that chance makes."""

    def change(description: dict[str, Any]) -> None:
        part: Any = description
        while isinstance(part, dict | list) and part:
            key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
            if not isinstance(part[key], dict | list) or not part[key] or data.draw(st.integers(0, 4)) == 0:
                part[key] = data.draw(TOKENS)
                return
            part = part[key]

    result = loaded(rewritten(change, BYTES))
    assert isinstance(result, dict | list | tuple | set | str | int | float | mg.Tensor | mg.dtype | None)


def test_only_these_modules_are_reached() -> None:
    """Nothing in the reader can import, call by name, or evaluate."""
    text = Path(serialization.__file__).read_text(encoding="utf-8")
    for word in ("pickle.load", "import pickle", "eval(", "exec(", "getattr(", "import_module", "__import__"):
        assert word not in text.replace('getattr(f, "name", "this file")', "")


def test_a_module_comes_back_from_its_file(tmp_path: Path) -> None:
    module = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.BatchNorm1d(3))
    mg.save(module.state_dict(), tmp_path / "net.pt")
    state = mg.load(tmp_path / "net.pt")
    assert state._metadata == module.state_dict()._metadata
    again = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.BatchNorm1d(3))
    assert repr(again.load_state_dict(state)) == "<All keys matched successfully>"
    x = mg.randn(4, 2)
    assert again.eval()(x).tolist() == module.eval()(x).tolist()


def test_an_optimizer_comes_back_from_its_file(tmp_path: Path) -> None:
    weight = mg.ones(3, requires_grad=True)
    optimizer = mg.optim.Adam([weight], lr=0.1)
    weight.grad = mg.ones(3)
    optimizer.step()
    mg.save({"optimizer": optimizer.state_dict(), "epoch": 3}, tmp_path / "checkpoint.pt")
    saved = mg.load(tmp_path / "checkpoint.pt")
    assert saved["epoch"] == 3
    other = mg.optim.Adam([mg.ones(3, requires_grad=True)], lr=1.0)
    other.load_state_dict(saved["optimizer"])
    assert other.param_groups[0]["lr"] == 0.1
    assert other.state_dict()["state"][0]["exp_avg"].tolist() == optimizer.state_dict()["state"][0]["exp_avg"].tolist()
