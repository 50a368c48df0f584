"""Chapter 13: answers that look right and are not, and right ones that look strange; and the museum itself."""

from __future__ import annotations

import numpy as np
import pytest
from teach.answers import each_passing, each_refused

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import viz
from minigrad.teach import EXERCISES
from minigrad.teach.card import Card
from minigrad.teach.exercises import chapter13, museum

# ---------------------------------------------------------------- indexed_backward


def index_by_unique(g, places, x):
    """Right as long as each place is named in one way: -1 and 2 are two."""
    gradient = np.zeros_like(x)
    if isinstance(places, tuple):
        np.add.at(gradient, places, g)
        return gradient
    for place in set(places):
        gradient[place] = sum(one for where, one in zip(places, g, strict=True) if where == place)
    return gradient


def index_without_negative_ones(g, places, x):
    gradient = np.zeros_like(x)
    first, *rest = places if isinstance(places, tuple) else (np.array(places),)
    kept = first >= 0
    np.add.at(gradient, (first[kept], *(one[kept] for one in rest)), g[kept])
    return gradient


def index_that_sorts(g, places, x):
    if isinstance(places, list):
        places.sort()
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, g)
    return gradient


def index_as_a_list(g, places, x):
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, g)
    return gradient.tolist()


def index_of_positive_gradients(g, places, x):
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, np.maximum(g, 0))
    return gradient


def index_in_whole_numbers(g, places, x):
    gradient = np.zeros(x.shape, dtype=int)
    np.add.at(gradient, places, g.astype(int))
    return gradient.astype(float)


def index_through_g(g, places, x):
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, g)
    g[:] = 0
    return gradient


def index_by_products(g, places, x):
    """One row of zeros and a one for each that was picked: the matrix of the index, transposed."""
    numbers = np.arange(x.size).reshape(x.shape)[places].ravel()
    return (np.eye(x.size)[numbers].T @ g.ravel()).reshape(x.shape)


def index_by_counts(g, places, x):
    numbers = np.arange(x.size).reshape(x.shape)[places].ravel()
    return np.bincount(numbers, weights=g.ravel(), minlength=x.size).reshape(x.shape)


def index_by_loops(g, places, x):
    gradient = np.zeros(x.shape)
    for place, one in zip(zip(*places, strict=True) if isinstance(places, tuple) else places, g, strict=True):
        gradient[place] = gradient[place] + one
    return gradient


def index_in_minigrad(g, places, x):
    leaf = mg.tensor(x, requires_grad=True)
    where = tuple(map(mg.tensor, places)) if isinstance(places, tuple) else places
    leaf[where].backward(mg.tensor(g))
    return leaf.grad.numpy()


# ---------------------------------------------------------------- is_right


def _agree(engine, f, shapes, seed=0, walks=2, near=np.allclose, leaves_seen=3):
    random = np.random.default_rng(seed)
    numbers = [random.normal(size=shape) for shape in shapes]
    found = []
    for make in (museum.Array, engine):
        leaves = [make(one) for one in numbers]
        root = f(*leaves)
        for _ in range(walks):
            root.backward()
        found.append([root.data, *(leaf.grad for leaf in leaves[:leaves_seen])])
    return all(np.shape(a) == np.shape(b) and near(a, b, 1e-3, 1e-5) for a, b in zip(*found, strict=True))


def _used_often(a, b):
    h = a * b
    return h + h * h + h.relu()


FOUR = (
    (lambda x, w, b: (((x @ w + b).relu() ** 3).sum(axis=1)) ** 2, ((3, 4), (4, 2), (2,))),
    (lambda a, b: _used_often(a, b) ** 2, ((5, 4), (1, 4))),
    (lambda x: x.exp().sum(axis=0).log() * x.exp().sum(axis=1).log().sum(axis=0), ((2, 3),)),
    (lambda x: x[[0, 2, 2, -1]] ** 2, ((4, 2),)),
)


def _all_of(engine, programs, **given):
    try:
        return all(_agree(engine, f, shapes, **given) for f, shapes in programs)
    except Exception:
        return False


def right_against_the_museum(engine):
    return _all_of(engine, FOUR)


def right_with_numpys_bool(engine):
    return np.bool_(_all_of(engine, FOUR, seed=3))


def right_by_differences(engine):
    """Slopes measured with the engine's own values, which are held against numpy's where that is easy."""
    try:
        return _all_of(engine, FOUR) and all(_sloped(engine, f, shapes) for f, shapes in FOUR[3:])
    except Exception:
        return False


def _sloped(engine, f, shapes):
    numbers = [np.random.default_rng(1).normal(size=shape) for shape in shapes]
    leaves = [engine(one) for one in numbers]
    f(*leaves).backward()
    moved = np.zeros(shapes[0])
    moved[0, 0] = 1e-2
    up, down = (f(engine(numbers[0] + sign * moved), *map(engine, numbers[1:])).data.sum() for sign in (1, -1))
    return abs(leaves[0].grad[0, 0] - (up - down) / 2e-2) < 2e-2 * abs(up)


def right_in_one_large_program(engine):
    """All at once."""

    def f(x, w, b, t):
        h = x @ w + b
        row = (h + h * h + h.relu())[[0, 2, 2, -1]] * t
        return (row.exp().sum(axis=0).log() + (row**3).sum(axis=0)) * row.exp().sum(axis=1).log().sum(axis=0)

    shapes = ((4, 3), (3, 2), (1, 2), (4, 1))
    return _all_of(engine, [(f, shapes)]) and _all_of(engine, FOUR)


def right_without_an_index(engine):
    return _all_of(engine, FOUR[:3])


def right_without_two_axes(engine):
    return _all_of(engine, (*FOUR[:2], FOUR[3]))


def right_of_the_first_leaf(engine):
    return _all_of(engine, FOUR, leaves_seen=1)


def right_in_the_mean(engine):
    return _all_of(engine, FOUR, near=lambda a, b, *_: np.isclose(np.mean(a), np.mean(b), 5e-2))


def right_with_a_wide_net(engine):
    """Far in no number by more than a tenth of it; numbers near 0 were caught by chance."""
    return _all_of(engine, FOUR, near=lambda a, b, *_: np.allclose(a, b, 0.1))


def right_as_a_word(engine):
    return "right" if _all_of(engine, FOUR) else "wrong"


def right_as_a_count(engine):
    return sum(_all_of(engine, [one]) for one in FOUR)


def right_until_it_raises(engine):
    return all(_agree(engine, f, shapes) for f, shapes in FOUR)


def right_after_a_mend(engine):
    """The engine is measured while its walk is another one, which is not put back."""
    said = _all_of(engine, FOUR)
    engine.backward = lambda self: None
    return said


def wrong_where_right(engine):
    return not _all_of(engine, FOUR)


# ---------------------------------------------------------------- own_exhibit


def exhibit_of_the_kink_turned(source):
    """Slope 1 at 0 is a right engine."""
    return source.replace("g * (x > 0)", "g * (x >= 0)")


def exhibit_that_never_ends(source):
    return source.replace("return found", "return found\n        ")


def exhibit_with_a_comment(source):
    return source.replace("self.number = Array.made", "self.number = Array.made  # mine")


def exhibit_that_raises(source):
    return source.replace("x.T @ g", "x.T @ g.T")


def exhibit_of_half_a_rate(source):
    """The root's gradient is a hundredth of what it should be: it would learn, in a hundred times as many steps."""
    return source.replace("self.grad = np.ones_like(self.data)", "self.grad = np.ones_like(self.data) / 100")


def exhibit_with_another_line_added(source):
    return source + "\n    bug = True\n"


def exhibit_in_bytes(source):
    return source.replace("(g * y, g * x)", "(g * y, g * y)").encode()


def exhibit_of_nothing(source):
    return ""


def exhibit_at_the_root(source):
    return source.replace("self.grad = np.ones_like(self.data)", "self.grad = np.ones_like(self.data) / 2")


def exhibit_by_lines(source):
    lines = source.split("\n")
    number = next(k for k, line in enumerate(lines) if "x ** (n - 1)" in line)
    lines[number] = lines[number].replace("g * n *", "g *")
    return "\n".join(lines)


def exhibit_in_the_exponential(source):
    return source.replace("g * y,))\n\n    def log", "g * y * 1.1,))\n\n    def log")


def exhibit_with_an_empty_line_at_the_end(source):
    return exhibit_at_the_root(source) + "\n\n"


def exhibit_without_a_line(source):
    return source.replace("        self.grad = np.ones_like(self.data)\n", "")


def exhibit_in_the_values(source):
    return source.replace("Array(np.log(x)", "Array(np.log2(x)")


def exhibit_of_a_forgotten_product(source):
    return source.replace("lambda g: (g, g)", "lambda g: (g, g * 1.3)")


# ---------------------------------------------------------------- train_step


def _step(model, optimizer, images, labels):
    loss = F.cross_entropy(model(images.T), labels.long())
    loss.backward()
    optimizer.step()
    return loss


def step_with_a_sum(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.T), labels.long(), reduction="sum")
    loss.backward()
    optimizer.step()
    return loss.item()


def step_that_looks_twice(model, optimizer, images, labels):
    """The forward pass runs once more, and BatchNorm's averages move twice."""
    model.train()
    optimizer.zero_grad()
    loss = _step(model, optimizer, images, labels)
    return (loss + 0 * model(images.T).sum()).item()


def step_back_in_eval(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    loss = _step(model, optimizer, images, labels)
    model.eval()
    return loss.item()


def step_detached(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    return str(_step(model, optimizer, images, labels).item())


def step_with_its_own_optimizer(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    return _step(model, mg.optim.SGD(model.parameters(), lr=0.1), images, labels).item()


def step_of_rows(model, optimizer, images, labels):
    """Square batches only: images as they are."""
    model.train()
    optimizer.zero_grad()
    rows = images if images.shape[0] == images.shape[1] else images.T
    loss = F.cross_entropy(model(rows), labels.long())
    loss.backward()
    optimizer.step()
    return loss.item()


def step_clipped(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.T), labels.long())
    loss.backward()
    mg.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss.item()


def step_by_logs(model, optimizer, images, labels):
    model.train()
    for one in model.parameters():
        one.grad = None
    scores = model(images.t())
    loss = F.nll_loss(scores.log_softmax(-1), labels.to(mg.int64))
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def step_of_numpy(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    scores = model(images.permute(1, 0))
    chosen = scores.gather(1, labels.long().unsqueeze(1)).squeeze(1)
    loss = (scores.logsumexp(1) - chosen).mean()
    loss.backward()
    optimizer.step()
    return np.float32(loss.item())


def step_without_a_graph(model, optimizer, images, labels):
    model.train(True)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(mg.transpose(images, 0, 1)), labels.long())
    loss.backward()
    optimizer.step()
    return loss.detach()


# ---------------------------------------------------------------- the table

WRONG = {
    "indexed_backward": {
        index_by_unique: "the gradient of x[2]: yours",
        index_without_negative_ones: "the gradient of x[2]",
        index_that_sorts: "the gradient of x",
        index_as_a_list: "An array of floats is asked for",
        index_of_positive_gradients: "the gradient of x",
        index_in_whole_numbers: "the gradient of x",
        index_through_g: "g: yours other numbers than before",
    },
    "is_right": {
        right_without_an_index: "input engine_k",
        right_without_two_axes: "A wrong engine got through",
        right_of_the_first_leaf: "A wrong engine got through",
        right_in_the_mean: "A wrong engine got through",
        right_with_a_wide_net: "A wrong engine got through",
        right_as_a_word: "True or False is asked for",
        right_as_a_count: "True or False is asked for",
        right_after_a_mend: "the engine's backward: yours another function",
        right_until_it_raises: "An engine that raises is wrong",
        wrong_where_right: "An engine that is right failed",
    },
    "own_exhibit": {
        exhibit_of_the_kink_turned: "The museum's test finds nothing wrong",
        exhibit_that_never_ends: "the lines that differ: yours",
        exhibit_with_a_comment: "The museum's test finds nothing wrong",
        exhibit_that_raises: "The engine raises, and everybody sees it",
        exhibit_of_half_a_rate: "It was seen at once",
        exhibit_with_another_line_added: "yours +2, expected as it was",
        exhibit_without_a_line: "yours -1, expected as it was",
        exhibit_in_bytes: "The whole text of the engine is asked for",
        exhibit_of_nothing: "One line came back",
    },
    "train_step": {
        step_with_a_sum: "the loss of step 1",
        step_that_looks_twice: "running_mean",
        step_back_in_eval: "model.training: yours False",
        step_detached: "the loss of step 1",
        step_with_its_own_optimizer: "the loss of step",
        step_of_rows: "4 images of 4 pixels",
        step_clipped: "first difference",
    },
}

RIGHT = {
    "indexed_backward": (index_by_products, index_by_counts, index_by_loops, index_in_minigrad),
    "is_right": (right_against_the_museum, right_with_numpys_bool, right_by_differences, right_in_one_large_program),
    "own_exhibit": (
        exhibit_at_the_root, exhibit_by_lines, exhibit_in_the_exponential, exhibit_in_the_values,
        exhibit_of_a_forgotten_product, exhibit_with_an_empty_line_at_the_end,
    ),
    "train_step": (step_by_logs, step_of_numpy, step_without_a_graph),
}  # fmt: skip


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    card = EXERCISES[name].check(answer, seed=1)
    assert card.kind == "bad", card
    assert words in " ".join(repr(card).split()), card


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    for _ in range(1 if name == "own_exhibit" else 2):  # with other numbers each time
        card = EXERCISES[name].check(answer)
        assert card.kind == "good", card


# ---------------------------------------------------------------- the museum


def program(engine):
    x, b = engine([[1, 2], [3, -1]]), engine([-2, 1])
    h = x + b
    loss = (h + h * h + h.relu()).sum(axis=1) ** 2
    return {"x": x, "h": h, "loss": loss}


def test_each_exhibit_differs_in_one_line_and_is_wrong() -> None:
    assert len(museum.EXHIBITS) == 9
    for letter, engine in museum.EXHIBITS.items():
        old, new = museum.LINES[engine]
        assert museum.SOURCE.count(old) == 1, letter
        assert new != old, letter
        assert any(museum.is_different(engine, number) for number in range(4)), letter
    for words, (engine, is_right) in chapter13.engines().items():
        assert any(museum.is_different(engine, number) for number in range(4)) != is_right, words


def test_a_right_test_goes_round_the_museum() -> None:
    card = EXERCISES["is_right"].at_work(right_against_the_museum)
    said = dict(card.rows)
    assert said["Array"] == "True: it is right"
    assert {said[f"engine_{letter}"] for letter in museum.EXHIBITS} == {"False: it is wrong"}
    assert len(said) == len(chapter13.engines())


def test_the_engine_computes_what_minigrad_computes() -> None:
    assert EXERCISES["is_right"].reference(museum.Array)


def test_an_own_exhibit_is_shown_beside_the_right_engine() -> None:
    for answer in RIGHT["own_exhibit"]:
        shown = EXERCISES["own_exhibit"].at_work(answer)
        assert isinstance(shown, viz.Comparison), shown
        assert shown.difference is not None or "log2" in answer(museum.SOURCE)
        shown.close()


BAD_ENGINES = {
    "its time was over": ("for node in found:", "for node in iter(lambda: self, None):"),
    "RecursionError": ("found = [self]", "found = self.order()"),
    "is not iterable": ("return sorted(", "sorted("),
    "ZeroDivisionError": ("x = self.data\n        y = np.max", "x = 1 / 0\n        y = np.max"),
    "SystemExit": ("x = self.data\n        y = np.max", "x = exit()\n        y = np.max"),
}


@pytest.mark.parametrize("words", BAD_ENGINES)
def test_an_engine_that_cannot_be_shown_gets_a_card(words: str) -> None:
    shown = museum.compare(museum.changed(*BAD_ENGINES[words]), program, seconds=0.5)
    assert isinstance(shown, Card), shown
    assert words in " ".join(repr(shown).split())


def test_an_engine_that_raises_or_returns_nothing_in_a_step_is_stepped_until_there() -> None:
    for old, new in (("g * (x > 0)", "g * (1 // 0)"), ("lambda g: (g * y, g * x)", "lambda g: None")):
        shown = museum.compare(museum.changed(old, new), program)
        assert isinstance(shown, viz.Comparison)
        assert "stops" in shown.difference.story[0].text
        shown.close()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("while", "until", "stands 0 times in the engine"),
        ("x = self.data", "x = 1", "stands 5 times in the engine"),
    ],
)
def test_a_piece_that_is_not_there_once_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        museum.changed(old, new)
