"""The graphs of the gallery: programs that are run, and whose backward pass is recorded step by step.

Programs of minigrad are run as the site is built. Those of PyTorch, which the lock does not have, are recorded once,
with `python tools/site/graphs.py`, and kept in recorded/: so every machine builds the same site. A test runs them again
where torch is, and compares.
"""

from __future__ import annotations

import ast
import base64
import importlib
import json
import linecache
import sys
import textwrap
import zlib
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS, RECORDED = HERE / "programs", HERE / "recorded"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from minigrad import viz  # noqa: E402
from minigrad.viz.page import packing  # noqa: E402
from minigrad.viz.page.widget_picture import still_of  # noqa: E402

NAMES = [
    "line",
    "shared",
    "logistic_regression",
    "softmax",
    "mlp",
    "scalars",
    "rnn",
    "attention",
    "batch_norm",
    "own_function",
    "in_place",
    "learning_rate",
    "conv_net",
    "resnet_18",
    "unet",
    "lstm",
    "encoder_layer",
    "vae",
    "gan",
    "gradient_penalty",
]


@dataclass(frozen=True)
class Recording:
    """A pass that was run: what the stepper's page needs of it, and a picture of its end."""

    program: str  # what was run
    kept: str
    still: str
    boxes: int
    steps: int


@dataclass(frozen=True)
class Graph:
    """A program of the gallery, with its words."""

    name: str
    title: str
    words: str
    code: str
    library: str
    recording: Recording

    @property
    def result(self) -> str:
        """The name of what is stepped through."""
        return result_of(self.code)

    @property
    def values(self) -> dict[str, Any]:
        """What the page gives the stepper's model."""
        return {"kept": self.recording.kept, "index": 0, "finished": False, "follows": True, "live": False}


class NotRecordedError(Exception):
    """A program of PyTorch that was changed since it was recorded."""


def graph_of(name: str) -> Graph:
    """A program and its pass. Raises NotRecordedError."""
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    heading, _, words = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")
    code = code_of(text)
    is_torch = "import torch" in code
    recording = recorded(name, code) if is_torch else record(code)
    return Graph(name, heading, " ".join(words.split()), code, "PyTorch" if is_torch else "minigrad", recording)


def code_of(text: str) -> str:
    """A program without its words."""
    return text.split('"""\n', 2)[1].strip() + "\n"


def result_of(code: str) -> str:
    """The name of the result in which a program ends."""
    last = ast.parse(code).body[-1]
    assert isinstance(last, ast.Assign)
    return ast.unparse(last.targets[0])


def record(code: str) -> Recording:
    """Run a program and its backward pass. The graph is that of its result."""
    linecache.cache["<your code>"] = (len(code), None, code.splitlines(True), "<your code>")
    variables: dict[str, Any] = {"__name__": "__main__"}
    is_torch = "import torch" in code
    if is_torch:
        importlib.import_module("torch")  # before what watches it
    with viz.watch() if is_torch else nullcontext():
        exec(compile(code, "<your code>", "exec"), variables)
    variables["BackwardStepper"] = viz.BackwardStepper
    stepper = eval(f"BackwardStepper({result_of(code)})", variables)  # its names are the program's variables
    stepper.last()
    graph, shown = stepper.session.graph, stepper.picture["open"]
    still = still_of(graph, stepper.session.groups, shown, stepper.frame)
    kept = packing.pack({"picture": stepper.picture, "frames": stepper.recorded, "problem": stepper.problem})
    return Recording(code, kept, still, len(graph.boxes), stepper.frames[0].total)


def recorded(name: str, code: str) -> Recording:
    """The recording of a program of PyTorch's. Raises NotRecordedError where there is none of this code."""
    path = RECORDED / f"{name}.json"
    values = json.loads(path.read_text("utf-8")) if path.is_file() else {"program": ""}
    if values["program"] != code:
        raise NotRecordedError(
            f"{path.relative_to(ROOT)} is not of the program as it is now. Where torch is installed, run:  "
            f"python tools/site/graphs.py {name}"
        )
    return Recording(**values | {"still": json.loads(zlib.decompress(base64.b64decode(values["still"])))})


def main(names: list[str]) -> int:
    """Record the programs of PyTorch's, or some of them."""
    RECORDED.mkdir(exist_ok=True)
    for name in names or NAMES:
        code = code_of((PROGRAMS / f"{name}.py").read_text("utf-8"))
        if "import torch" in code:
            recording = record(code)
            values = asdict(recording) | {"still": packing.pack(recording.still)}
            (RECORDED / f"{name}.json").write_text(json.dumps(values, indent=0) + "\n", "utf-8")
            print(textwrap.shorten(f"{name}: {recording.steps} steps", 80))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
