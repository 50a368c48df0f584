"""The programs whose pictures pictures.py measures, from the sketch of six boxes to ResNet-18, and the course's own.

Each is a function of the library, `minigrad` or `torch`, that returns its loss; most are in picture_samples.py. As in a
learner's notebook, its body is run as a cell, and the stepper stands in the next: so the names are those of the cell's
variables. A script of its own:

    python benchmarks/picture_programs.py FOLDER mlp     runs a program and writes its stepper's page, mlp.html
    --torchviz      writes mlp.svg, too: the graph of the same program in PyTorch, as torchviz draws it
"""

# ruff: noqa: RET504, N806 (the stepper calls a loss by its variable; matrices keep the names that they have on paper)

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import json
import os
import random
import re
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from picture_samples import FORMULAS, NETWORKS, USUAL

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
MOST_STEPS = 1_000  # a longer pass is not walked through: its page opens, and shows the first frame

# ---------------------------------------------------------------- the programs


def sketch(torch: Any) -> Any:
    """The six boxes of the design: D gets a gradient from two places."""
    A = torch.tensor(3.0, requires_grad=True)
    B = torch.tensor(2.0, requires_grad=True)
    C = A**2
    D = B**2
    E = C * D
    F = D + E
    return F


def mlp(torch: Any) -> Any:
    """Three linear layers and a cross entropy: the first network that most people write."""
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
    inputs, classes = torch.randn(8, 4), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(net(inputs), classes)
    return loss


def rnn_6(torch: Any) -> Any:
    """A recurrent network in a plain loop of six steps."""
    torch.manual_seed(0)
    W = torch.randn(4, 4, requires_grad=True)
    U = torch.randn(3, 4, requires_grad=True)
    xs = torch.randn(6, 1, 3)
    h = torch.zeros(1, 4)
    for x in xs:
        h = torch.tanh(x @ U + h @ W)
    loss = h.square().mean()
    return loss


def rnn_25(torch: Any) -> Any:
    """The same over 25 steps, with a bias."""
    torch.manual_seed(0)
    W = torch.randn(4, 4, requires_grad=True)
    U = torch.randn(3, 4, requires_grad=True)
    b = torch.zeros(4, requires_grad=True)
    xs = torch.randn(25, 1, 3)
    h = torch.zeros(1, 4)
    for x in xs:
        h = torch.tanh(x @ U + h @ W + b)
    loss = h.square().mean()
    return loss


def rnn_losses(torch: Any) -> Any:
    """The same with a prediction at each step, whose losses add up."""
    torch.manual_seed(0)
    W = torch.randn(4, 4, requires_grad=True)
    U = torch.randn(3, 4, requires_grad=True)
    b = torch.zeros(4, requires_grad=True)
    V = torch.randn(4, 1, requires_grad=True)
    xs, ys = torch.randn(25, 1, 3), torch.randn(25, 1, 1)
    h, loss = torch.zeros(1, 4), torch.zeros(())
    for t in range(25):
        h = torch.tanh(xs[t] @ U + h @ W + b)
        loss = loss + (h @ V - ys[t]).square().mean()
    return loss


def rnn_700(torch: Any) -> Any:
    """A loop that makes about 5,000 nodes."""
    torch.manual_seed(0)
    W = torch.randn(4, 4, requires_grad=True)
    U = torch.randn(3, 4, requires_grad=True)
    b = torch.zeros(4, requires_grad=True)
    xs = torch.randn(700, 1, 3)
    h = torch.zeros(1, 4)
    for t in range(700):
        h = torch.tanh(xs[t] @ U + h @ W + b)
    loss = h.square().mean()
    return loss


def micrograd(torch: Any) -> Any:
    """Karpathy's MLP(3, [4, 4, 1]), every number a tensor of its own."""

    class Neuron:
        def __init__(self, inputs):
            self.w = [torch.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(inputs)]
            self.b = torch.tensor(random.uniform(-1, 1), requires_grad=True)

        def __call__(self, x):
            act = sum((wi * xi for wi, xi in zip(self.w, x, strict=True)), self.b)
            return act.tanh()

    class Layer:
        def __init__(self, inputs, outputs):
            self.neurons = [Neuron(inputs) for _ in range(outputs)]

        def __call__(self, x):
            outs = [n(x) for n in self.neurons]
            return outs[0] if len(outs) == 1 else outs

    class MLP:
        def __init__(self, inputs, sizes):
            self.layers = [Layer(*pair) for pair in zip([inputs, *sizes], sizes, strict=False)]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    random.seed(1337)
    n = MLP(3, [4, 4, 1])
    x = [2.0, 3.0, -1.0]
    loss = (n(x) - 1.0) ** 2
    return loss


def moons(torch: Any) -> Any:
    """Micrograd's demo: a hinge loss over a few points of two moons, with a penalty on the weights."""

    class Neuron:
        def __init__(self, inputs, nonlin):
            self.w = [torch.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(inputs)]
            self.b = torch.tensor(0.0, requires_grad=True)
            self.nonlin = nonlin

        def __call__(self, x):
            act = sum((wi * xi for wi, xi in zip(self.w, x, strict=True)), self.b)
            return act.relu() if self.nonlin else act

    class Layer:
        def __init__(self, inputs, outputs, nonlin):
            self.neurons = [Neuron(inputs, nonlin) for _ in range(outputs)]

        def __call__(self, x):
            return [n(x) for n in self.neurons]

    class MLP:
        def __init__(self, inputs, sizes):
            pairs = list(zip([inputs, *sizes], sizes, strict=False))
            self.layers = [Layer(*pair, nonlin=pair != pairs[-1]) for pair in pairs]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x[0]

        def parameters(self):
            return [p for layer in self.layers for n in layer.neurons for p in [*n.w, n.b]]

    random.seed(1337)
    X, y = [(0.9, 0.4), (-0.8, 0.6), (1.9, 0.2), (0.3, -0.4)], [-1, -1, 1, 1]
    model = MLP(2, [4, 4, 1])
    scores = [model(point) for point in X]
    losses = [(1 + -yi * score).relu() for yi, score in zip(y, scores, strict=True)]
    data_loss = sum(losses) * (1.0 / len(losses))
    reg_loss = 1e-4 * sum(p * p for p in model.parameters())
    total_loss = data_loss + reg_loss
    return total_loss


def transformer(torch: Any) -> Any:
    """A transformer block as nanoGPT writes it: causal self-attention and an MLP, each with a norm before it."""
    nn = torch.nn
    F = nn.functional

    class CausalSelfAttention(nn.Module):
        def __init__(self, n_embd, n_head):
            super().__init__()
            self.c_attn = nn.Linear(n_embd, 3 * n_embd)
            self.c_proj = nn.Linear(n_embd, n_embd)
            self.n_head, self.n_embd = n_head, n_embd

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / (C // self.n_head) ** 0.5)
            att = att.masked_fill(torch.tril(torch.ones(T, T)) == 0, float("-inf"))
            att = F.softmax(att, dim=-1)
            y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
            return self.c_proj(y)

    class MLP(nn.Module):
        def __init__(self, n_embd):
            super().__init__()
            self.c_fc = nn.Linear(n_embd, 4 * n_embd)
            self.gelu = nn.GELU()
            self.c_proj = nn.Linear(4 * n_embd, n_embd)

        def forward(self, x):
            return self.c_proj(self.gelu(self.c_fc(x)))

    class Block(nn.Module):
        def __init__(self, n_embd, n_head):
            super().__init__()
            self.ln_1 = nn.LayerNorm(n_embd)
            self.attn = CausalSelfAttention(n_embd, n_head)
            self.ln_2 = nn.LayerNorm(n_embd)
            self.mlp = MLP(n_embd)

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    torch.manual_seed(0)
    block = Block(n_embd=16, n_head=4)
    x = torch.randn(2, 8, 16)
    loss = block(x).square().mean()
    return loss


def resnet_18(torch: Any) -> Any:
    """ResNet-18 on two small images."""
    from models import resnet18

    torch.manual_seed(0)
    net = resnet18(torch, 10)
    images, labels = torch.randn(2, 3, 64, 64), torch.tensor([3, 7])
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    return loss


def unet(torch: Any) -> Any:
    """A small U-Net: two levels down, two up, and what was seen on the way down led across."""
    nn = torch.nn

    def two_convolutions(inputs, outputs):
        first, second = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Conv2d(outputs, outputs, 3, padding=1)
        return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2 = two_convolutions(1, 4), two_convolutions(4, 8)
            self.bottom = two_convolutions(8, 16)
            self.up2, self.up1 = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.ConvTranspose2d(8, 4, 2, stride=2)
            self.merge2, self.merge1 = two_convolutions(16, 8), two_convolutions(8, 4)
            self.pool = nn.MaxPool2d(2)
            self.head = nn.Conv2d(4, 1, 1)

        def forward(self, x):
            fine = self.down1(x)
            coarse = self.down2(self.pool(fine))
            x = self.bottom(self.pool(coarse))
            x = self.merge2(torch.cat([coarse, self.up2(x)], dim=1))
            x = self.merge1(torch.cat([fine, self.up1(x)], dim=1))
            return self.head(x)

    torch.manual_seed(0)
    net = UNet()
    image, mask = torch.randn(1, 1, 16, 16), (torch.rand(1, 1, 16, 16) > 0.5).float()
    loss = nn.functional.binary_cross_entropy_with_logits(net(image), mask)
    return loss


def gan(torch: Any) -> Any:
    """The generator's step: its loss goes back through the discriminator."""
    nn = torch.nn
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh())
    discriminator = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    noise = torch.randn(16, 2)
    fake = generator(noise)
    verdict = discriminator(fake)
    loss = nn.functional.binary_cross_entropy_with_logits(verdict, torch.ones(16, 1))
    return loss


def lstm_10(torch: Any) -> Any:
    """An LSTM cell, called ten times."""
    nn = torch.nn
    torch.manual_seed(0)
    cell, head = nn.LSTMCell(3, 5), nn.Linear(5, 1)
    xs, target = torch.randn(10, 2, 3), torch.randn(2, 1)
    h, c = torch.zeros(2, 5), torch.zeros(2, 5)
    for x in xs:
        h, c = cell(x, (h, c))
    loss = nn.functional.mse_loss(head(h), target)
    return loss


def vit(torch: Any) -> Any:
    """A vision transformer with one block: patches, a class token, places, attention and an MLP."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
            self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

        def forward(self, x):
            normed = self.norm1(x)
            x = x + self.attention(normed, normed, normed, need_weights=False)[0]
            return x + self.mlp(self.norm2(x))

    class ViT(nn.Module):
        def __init__(self, width=8):
            super().__init__()
            self.patches = nn.Conv2d(1, width, kernel_size=4, stride=4)
            self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
            self.pos_embed = nn.Parameter(torch.randn(1, 5, width) * 0.02)
            self.block, self.norm, self.head = Block(width), nn.LayerNorm(width), nn.Linear(width, 10)

        def forward(self, images):
            x = self.patches(images).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1) + self.pos_embed
            return self.head(self.norm(self.block(x))[:, 0])

    torch.manual_seed(0)
    net = ViT()
    images, digits = torch.randn(2, 1, 8, 8), torch.tensor([3, 7])
    loss = nn.functional.cross_entropy(net(images), digits)
    return loss


def digits(torch: Any) -> Any:
    """Two convolutions on images of digits, each followed by a pool, and a linear layer."""
    from models import cnn

    torch.manual_seed(0)
    net = cnn(torch)
    images, labels = torch.randn(4, 1, 8, 8), torch.tensor([3, 1, 4, 1])
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    return loss


def penalty(torch: Any) -> Any:
    """A gradient penalty: the loss holds the norm of a gradient, so backward goes through a backward."""
    nn = torch.nn
    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    real, fake = torch.randn(3, 2), torch.randn(3, 2)
    mixed = (0.5 * real + 0.5 * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).square().mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    return loss


def encoder_layer(torch: Any) -> Any:
    """`nn.TransformerEncoderLayer` as it comes."""
    nn = torch.nn
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, dim_feedforward=32, dropout=0.0, batch_first=True)
    x = torch.randn(2, 5, 16)
    loss = layer(x).square().mean()
    return loss


# ---------------------------------------------------------------- as cells


class Program(NamedTuple):
    """Code cells of a notebook; what the last one shows is the stepper."""

    name: str
    cells: tuple[str, ...]
    build: Callable[[Any], Any] | None = None  # None for the course's

    @property
    def is_course(self) -> bool:
        return self.build is None


BUILDERS: tuple[Callable[[Any], Any], ...] = (sketch, mlp, rnn_6, rnn_25, rnn_losses, micrograd, moons)
BUILDERS += (transformer, resnet_18, unet, gan, lstm_10, vit, digits, penalty, *FORMULAS, *NETWORKS, rnn_700)
TORCH: tuple[Callable[[Any], Any], ...] = (mlp, resnet_18, encoder_layer, *USUAL)  # these in PyTorch
QUICK = ("sketch", "mlp", "rnn_6", "micrograd", "transformer", "gan", "digits", "penalty")  # for the tests
STEPPER_CALL = "BackwardStepper("


def body_of(build: Callable[[Any], Any]) -> tuple[str, str]:
    """A function's body as the code of a cell, and the name of what it returns."""
    text = textwrap.dedent(inspect.getsource(build))
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Name)
    body = text.splitlines()[function.body[1].lineno - 1 : last.lineno - 1]  # the docstring comes first
    return textwrap.dedent("\n".join(body)), last.value.id


def as_program(build: Callable[[Any], Any], library: str) -> Program:
    """A function's body as one cell, and a stepper through what it returns as the next."""
    body, loss = body_of(build)
    first = f"import random\n\nimport {library} as torch\nfrom minigrad import viz"
    name = build.__name__ if library == "minigrad" else f"{library}_{build.__name__}"
    return Program(name, (first, body, f"viz.{STEPPER_CALL}{loss})"), build)


def course() -> list[Program]:
    """Every stepper that a chapter shows: its cells up to that one."""
    programs = []
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        shown = [count for count, text in enumerate(code, 1) if STEPPER_CALL in text]
        for number, count in enumerate(shown, 1):
            programs.append(Program(f"{path.stem[:2]}_{number}", tuple(code[:count])))
    return programs


def programs() -> dict[str, Program]:
    """All, by name."""
    ours = [as_program(build, "minigrad") for build in BUILDERS]
    theirs = [as_program(build, "torch") for build in TORCH]
    return {program.name: program for program in [*ours, *theirs, *course()]}


# ---------------------------------------------------------------- which names are the code's

# Behind a name.
NUMBERS = re.compile(
    r"(: ×\d+)?( ×\d+)?(\[\d+(…\d+)?\])?( ×\d+)?(,? (call )?\d+( of \d+|…\d+)?)?(: \d+ inputs(, \d+ of \d+)?)?$"
)
ROUNDS = re.compile(r"iterations? \d+(…\d+| of \d+)$")
COUNTED = re.compile(r"for .+? in (.+): ×(\d+)$")
PATH = re.compile(r"\w+(\.\w+)*")
SUBSCRIPTS = str.maketrans("", "", "₀₁₂₃₄₅₆₇₈₉")


def names_in(code: str) -> tuple[set[str], set[str]]:
    """What code gives a name to (variables, attributes, functions, classes), and how its loops begin."""
    names, heads = set(), set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.For | ast.comprehension):
            heads.add(f"for {ast.unparse(node.target).strip('()')} in {ast.unparse(node.iter)}")
        elif isinstance(node, ast.While):
            heads.add(f"while {ast.unparse(node.test)}")
    return names, heads


def is_named_by_code(group: Any, names: set[str], heads: set[str]) -> bool:
    """Whether a part of a picture is called what the code calls it: the path of a module, a function, how a loop begins
    or which of its rounds, variables; and what `create_graph=True` asks for is what it says.
    """
    if group.is_module or group.kind in ("function", "create_graph"):
        return True

    def is_known(part: str) -> bool:
        if ROUNDS.fullmatch(part):
            return True
        name = NUMBERS.sub("", part)
        cut = name.removesuffix("…")
        if any(head == name or (cut != name and head.startswith(cut)) for head in heads):
            return True
        paths = [path.translate(SUBSCRIPTS) for path in re.split(", | … ", name.split(" = ")[0])]
        paths = [re.sub(r"\['?\w+'?\]", "", path) for path in paths]
        return all(PATH.fullmatch(path) and path.split(".")[0] in names for path in paths)

    return all(map(is_known, group.name.split(" · ")))


def miscounted(name: str, variables: dict[str, Any]) -> bool:
    """Whether a part is called a loop that makes so many rounds, `for step in range(2): ×8`, and it makes others."""
    match = COUNTED.search(name)
    if match is None:
        return False
    try:
        rounds = len(list(eval(match[1], dict(variables))))
    except Exception:  # of a function's own variables, or cut
        return False
    return rounds != int(match[2])


# ---------------------------------------------------------------- as torchviz draws it

LOOK = "style=filled shape=box fontname=Courier fontsize=10 height=0.2 fillcolor=lightgrey"


def torchviz_dot(loss: Any, names: dict[int, str]) -> str:
    """A graph of PyTorch's as torchviz writes it: a box for each node with its class, and leaves with their shapes;
    `names` are those of the leaves by id().
    """
    keys, lines = {loss.grad_fn: "n0"}, [f"node [{LOOK}]", "n0 -> loss"]
    lines.append(f'loss [label="{tuple(loss.shape)}" fillcolor=darkolivegreen1]')
    found = [loss.grad_fn]
    for node in found:  # which grows while it is walked
        key = keys[node]
        lines.append(f'{key} [label="{type(node).__name__}"]')
        if (leaf := getattr(node, "variable", None)) is not None:
            words = f"{names.get(id(leaf), '')}\\n {tuple(leaf.shape)}"
            lines += [f'{key}_leaf [label="{words}" fillcolor=lightblue]', f"{key}_leaf -> {key}"]
        for child, _ in node.next_functions:
            if child is not None:
                if child not in keys:
                    keys[child] = f"n{len(keys)}"
                    found.append(child)
                lines.append(f"{keys[child]} -> {key}")
    return "digraph { " + "; ".join(lines) + " }"


def torchviz_svg(build: Callable[[Any], Any]) -> str:
    """The same of a program, laid out. LayoutError where it is too large for that."""
    import torch

    from minigrad.viz.dot import run

    body, loss = body_of(build)
    names: dict[str, Any] = {"torch": torch, "random": random}
    exec(compile(body, f"<{build.__name__}>", "exec"), names)
    called = {id(value): name for name, value in names.items()}
    for name, value in names.items():
        if isinstance(value, torch.nn.Module):
            called |= {id(parameter): f"{name}.{path}" for path, parameter in value.named_parameters()}
    return run(torchviz_dot(names[loss], called), "svg").decode()


# ---------------------------------------------------------------- run in a process of its own


def page_of(program: Program) -> tuple[str, dict[str, Any]]:
    """Run a program's cells as JupyterLab would; returns the stepper's page, and what was found out on the way."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.io import capture_output

    from minigrad.viz.page.standalone import stepper_page
    from minigrad.viz.stepper import BackwardStepper

    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    with capture_output():
        for cell in program.cells:
            began = time.perf_counter()
            result = shell.run_cell(cell, store_history=True)
            made = time.perf_counter() - began
            if result.error_in_exec is not None and not (program.is_course and cell != program.cells[-1]):
                raise result.error_in_exec  # cells of the course may fail on purpose
        stepper = result.result
        assert isinstance(stepper, BackwardStepper), "the last cell of a program shows a stepper"
        stepper._repr_mimebundle_()  # once more, for what it raises: IPython only prints that
        facts = {"made": made, "nodes": len(stepper.picture["boxes"]), "steps": stepper.frames[0].total}
        facts["runs"] = stepper.picture["runs"]
        words = names_in("\n".join(program.cells))
        groups = stepper.session.groups
        facts["groups"] = {one.id: [one.name, is_named_by_code(one, *words)] for one in groups}
        facts["miscounted"] = [one.name for one in groups if miscounted(one.name, shell.user_ns)]
        began = time.perf_counter()
        if facts["steps"] <= MOST_STEPS:
            with contextlib.suppress(Exception):  # a pass of the course that fails on purpose
                stepper.last()
            stepper.first()
        facts["stepped"] = time.perf_counter() - began
        return stepper_page(stepper), facts


def main() -> None:
    parser = argparse.ArgumentParser(description="Run programs and write the pages of their steppers.")
    parser.add_argument("folder", type=Path, help="where NAME.html and NAME.json are put")
    parser.add_argument("names", nargs="+", choices=programs(), metavar="NAME")
    parser.add_argument("--torchviz", action="store_true", help="and NAME.svg, as torchviz draws it")
    options = parser.parse_args()
    from minigrad.viz.dot import LayoutError

    folder, every = options.folder.resolve(), programs()
    with tempfile.TemporaryDirectory() as copy:  # nobody's progress counts, and nobody's is changed
        os.chdir(shutil.copytree(NOTEBOOKS, Path(copy) / "notebooks", ignore=shutil.ignore_patterns(".*", "*.ipynb")))
        for name in options.names:
            try:
                html, facts = page_of(every[name])
                (folder / f"{name}.html").write_text(html, encoding="utf-8")
            except Exception as error:  # told in the table
                facts = {"error": f"{type(error).__name__}: {error}"}
            if options.torchviz and (build := every[name].build) is not None:
                try:
                    (folder / f"{name}.svg").write_text(torchviz_svg(build), encoding="utf-8")
                except LayoutError as error:  # a graph of thousands
                    print(f"{name}: {error}", file=sys.stderr)
            facts_are = folder / f"{name}.json.part"
            facts_are.write_text(json.dumps(facts), encoding="utf-8")
            facts_are.replace(folder / f"{name}.json")  # when it is there, all is
        os.chdir(ROOT)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
    main()
