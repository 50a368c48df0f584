"""Random numbers: PyTorch's own for every seed, generators and their states, what filling at random does to a graph.

PyTorch's `bernoulli_(number)`, and what draws through it, comes from another stream on processors of Intel. The fixture
`same_stream` finds out; there, these few are compared with the numbers stored below.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad as mg
from minigrad.random import keep_mask
from minigrad.random import recipes as draws

SEEDS = (0, 42, 2**33 + 5)


def state(F: Any) -> list[int]:
    return F.get_rng_state().tolist()


@pytest.fixture(scope="session")
def same_stream(torch: types.ModuleType) -> bool:
    """Whether PyTorch uses up the default stream for numbers that it could draw from Intel's."""
    torch.manual_seed(0)
    torch.empty(700).bernoulli_(0.5)
    after_one = state(torch)
    torch.manual_seed(0)
    torch.rand(1)
    return after_one != state(torch)


# ---------------------------------------------------------------- the numbers are PyTorch's

Draw = Callable[[Any], Any]
EXACT: dict[str, Draw] = {
    "nothing": lambda F: F.zeros(0),
    "rand": lambda F: F.rand(3, 5),
    "rand of more than the state holds": lambda F: F.rand(1300),
    "rand of float64": lambda F: F.rand(1000, dtype=F.float64),
    "rand of float16": lambda F: F.rand(5000, dtype=F.float16),
    "rand of no numbers": lambda F: F.rand(0, 3),
    "rand, 0-d": lambda F: F.rand(()),
    "rand_like keeps the order of memory": lambda F: F.rand_like(F.ones(4, 6).t()),
    "uniform_": lambda F: F.empty(1000).uniform_(-2, 3),
    "uniform_ into a transposed tensor": lambda F: F.empty(2, 3, 4).permute(2, 0, 1).uniform_(),
    "randint": lambda F: F.randint(10, (100,)),
    "randint with both bounds": lambda F: F.randint(-5, 7, (10, 10)),
    "randint below the long words": lambda F: F.randint(2**28 - 1, (50,)),
    "randint with long words": lambda F: F.randint(2**28, (50,)),
    "randint over nearly all of int64": lambda F: F.randint(-(2**63), 2**63 - 1, (50,)),
    "randint of uint8": lambda F: F.randint(0, 256, (100,), dtype=F.uint8),
    "randint of float32": lambda F: F.randint(0, 9, (100,), dtype=F.float32),
    "randperm": lambda F: F.randperm(10),
    "randperm of many": lambda F: F.randperm(5000),
    "randperm of one": lambda F: F.randperm(1),
    "randperm of none": lambda F: F.randperm(0),
    "randperm of float32": lambda F: F.randperm(7, dtype=F.float32),
    "bernoulli of float32": lambda F: F.bernoulli(F.linspace(0, 1, 300).reshape(3, 100)),
    "bernoulli of float64": lambda F: F.bernoulli(F.linspace(0, 1, 300, dtype=F.float64)),
    "bernoulli_ with a tensor": lambda F: F.empty(3, 100).bernoulli_(F.linspace(0, 1, 100)),
    "multinomial with replacement": lambda F: F.multinomial(F.linspace(0, 1, 60).reshape(3, 20), 40, True),
    "multinomial of float64": lambda F: F.multinomial(F.linspace(0, 1, 60, dtype=F.float64), 40, True),
}
CLOSE: dict[str, Draw] = {  # equal but for the last digit or two: logarithms and sines are rounded in another way
    "randn": lambda F: F.randn(4, 8),
    "randn of one": lambda F: F.randn(1),
    "randn of 15": lambda F: F.randn(15),
    "randn of 16": lambda F: F.randn(16),
    "randn of 17": lambda F: F.randn(17),
    "randn of many": lambda F: F.randn(1003),
    "randn of float64": lambda F: F.randn(1003, dtype=F.float64),
    "randn of float16": lambda F: F.randn(1003, dtype=F.float16),
    "randn keeps the second of a pair": lambda F: F.cat([F.randn(3), F.randn(4), F.randn(20), F.randn(5), F.randn(2)]),
    "randn_like keeps the order of memory": lambda F: F.randn_like(F.ones(4, 6).t()),
    "normal_": lambda F: F.empty(500).normal_(2, 3),
    "normal_ with gaps": lambda F: F.zeros(60)[::2].normal_(),
    "normal of numbers": lambda F: F.normal(2.0, 3.0, (40,)),
    "uniform_ of float64": lambda F: F.empty(100, dtype=F.float64).uniform_(-2.2, 3.1),
}
ON_SAME_STREAM: dict[str, Draw] = {
    "bernoulli_ with a number": lambda F: F.empty(100, 400).bernoulli_(0.3),
    "bernoulli_ of bool": lambda F: F.empty(100, dtype=F.bool).bernoulli_(),
    "bernoulli_ with 0 and 1": lambda F: F.cat([F.empty(100).bernoulli_(0.0), F.empty(100).bernoulli_(1)]),
    "bernoulli with a number": lambda F: F.bernoulli(F.ones(100), 0.7),
    "multinomial of one": lambda F: F.multinomial(F.linspace(0, 1, 60).reshape(3, 20), 1),
    "multinomial of transposed weights": lambda F: F.multinomial(F.linspace(0, 1, 60).reshape(20, 3).t(), 15),
    "multinomial without replacement": lambda F: F.multinomial(F.linspace(0, 1, 60).reshape(3, 20), 15),
}


def order_in_memory(x: Any) -> list[int]:
    """The strides, as far as they matter: those of dimensions with more than one element."""
    return [step for step, size in zip(x.stride(), x.shape, strict=True) if size > 1 and x.numel()]


def compare(draw: Draw, torch: types.ModuleType, exact: bool) -> None:
    for seed in SEEDS:
        mg.manual_seed(seed)
        torch.manual_seed(seed)
        ours, theirs = draw(mg), draw(torch)
        assert (ours.shape, str(ours.dtype)) == (tuple(theirs.shape), str(theirs.dtype).replace("torch", "minigrad"))
        assert order_in_memory(ours) == order_in_memory(theirs)
        if exact:
            np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
        else:
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-6, atol=2e-6)
        assert state(mg) == state(torch), "another part of the stream was used up"


@pytest.mark.parametrize("name", EXACT)
def test_numbers_are_those_of_torch(name: str, torch: types.ModuleType) -> None:
    compare(EXACT[name], torch, exact=True)


@pytest.mark.parametrize("name", CLOSE)
def test_numbers_are_those_of_torch_to_the_last_digits(name: str, torch: types.ModuleType) -> None:
    compare(CLOSE[name], torch, exact=False)


@pytest.mark.parametrize("name", ON_SAME_STREAM)
def test_numbers_are_those_of_torch_on_the_same_stream(name: str, torch: types.ModuleType, same_stream: bool) -> None:
    if same_stream:
        compare(ON_SAME_STREAM[name], torch, exact=True)
    else:  # PyTorch's own differ from machine to machine; ours do not, which the stored numbers check
        test_numbers_do_not_depend_on_the_machine()


def test_numbers_do_not_depend_on_the_machine() -> None:
    """Stored from PyTorch 2.13 on a processor of AMD."""
    mg.manual_seed(42)
    mask = mg.empty(20).bernoulli_(0.3).tolist()
    assert mask == STORED["mask"]


STORED: dict[str, Any] = {
    "mask": [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0],
}


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000])
def test_permutation_is_a_shuffle_step_by_step(size: int) -> None:
    words = mg.Generator().manual_seed(size).words(size)
    places = list(range(size))
    for i in range(size - 1):
        target = i + int(words[i]) % (size - i)
        places[i], places[target] = places[target], places[i]
    assert draws.permutation(size, mg.Generator().manual_seed(size)).tolist() == places


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.1, 0.5, 1 - 1e-12, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
def test_keep_mask_is_bernoulli(p: float, dtype: Any) -> None:
    generator = mg.Generator().manual_seed(7)
    mask = keep_mask((3, 20000), p, dtype, generator)
    after = generator.get_state()
    expected = mg.empty(3, 20000).bernoulli_(p, generator=generator.manual_seed(7))
    assert (mask.shape, mask.dtype) == ((3, 20000), dtype)
    np.testing.assert_array_equal(mask, expected.numpy().astype(dtype))
    assert (after == generator.get_state()).all()


# ---------------------------------------------------------------- generators


def test_a_state_of_torch_can_be_taken_over(torch: types.ModuleType) -> None:
    torch.manual_seed(5)
    torch.rand(77), torch.randn(3)
    taken = mg.from_numpy(torch.get_rng_state().numpy())
    expected = torch.cat([torch.randn(2), torch.rand(9)])
    mg.set_rng_state(taken)
    np.testing.assert_allclose(mg.cat([mg.randn(2), mg.rand(9)]).numpy(), expected.numpy(), rtol=1e-6)
    torch.set_rng_state(torch.from_numpy(mg.get_rng_state().numpy()))
    assert torch.rand(3).tolist() == mg.rand(3).tolist()


def test_a_state_that_contradicts_itself_is_refused() -> None:
    state = mg.Generator().get_state()
    state[16] = 200  # the place of the next word, while no word is left
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        mg.Generator().set_state(state)


def test_generators_do_not_disturb_each_other() -> None:
    one, other = mg.Generator().manual_seed(1), mg.Generator().manual_seed(1)
    mg.manual_seed(3)
    before = state(mg)
    first = [mg.rand(3, generator=one).tolist(), mg.randn(3, generator=one).tolist()]
    second = [mg.rand(3, generator=other).tolist(), mg.randn(3, generator=other).tolist()]
    assert first == second
    assert state(mg) == before


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_goes_on_with_the_same_numbers(copied: Callable[[Any], Any]) -> None:
    generator = mg.Generator().manual_seed(3)
    mg.randn(3, generator=generator)
    other = copied(generator)
    assert other is not generator
    assert mg.randn(5, generator=other).tolist() == mg.randn(5, generator=generator).tolist()
    assert other.initial_seed() == 3


def test_seed_is_another_each_time() -> None:
    first, second = mg.seed(), mg.seed()
    assert first != second
    assert mg.initial_seed() == second


def test_without_a_seed_each_program_draws_other_numbers() -> None:
    program = "import minigrad as mg; print(mg.rand(3).tolist())"
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert runs[0].stdout.startswith("["), runs[0].stderr
    assert runs[0].stdout != runs[1].stdout


def test_numpy_random_is_imported_at_first_use() -> None:
    program = (
        "import sys, minigrad as mg; mg.manual_seed(0); before = 'numpy.random' in sys.modules; mg.rand(1); "
        "print(before, 'numpy.random' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "False True\n", run.stderr


def test_threads_share_the_default_generator() -> None:
    mg.manual_seed(11)
    expected = sorted(mg.rand(8 * 50 * 101).tolist())
    mg.manual_seed(11)
    drawn: list[float] = []

    def draw() -> None:
        for _ in range(50):
            drawn.extend(mg.rand(101).tolist())

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == expected  # none is drawn twice, none is lost


# ---------------------------------------------------------------- arguments, errors, graphs

behaviours = Behaviours()
IN_PLACE = ("uniform_", "normal_", "bernoulli_")


for _name in IN_PLACE:

    @behaviours(f"{_name} returns the tensor itself, and counts as a write")
    def _(F, name=_name):
        x = F.ones(3)
        return getattr(x, name)() is x, x._version

    @behaviours(f"{_name} of a leaf that requires grad", error=RuntimeError, says="a leaf Variable that requires grad")
    def _(F, name=_name):
        getattr(F.ones(3, requires_grad=True), name)()

    @behaviours(f"{_name} of a leaf under no_grad")
    def _(F, name=_name):
        x = F.ones(3, requires_grad=True)
        with F.no_grad():
            getattr(x, name)()
        return x.requires_grad, x.is_leaf, x._version

    @behaviours(f"{_name} of a result: no gradient for the old numbers")
    def _(F, name=_name):
        x = F.ones(3, requires_grad=True)
        y = getattr(x * 2, name)()
        y.sum().backward()
        return y.grad_fn, [node for node, _ in y.grad_fn.next_functions], x.grad

    @behaviours(f"{_name} of a view")
    def _(F, name=_name):
        x = F.ones(3, requires_grad=True)
        y = x * 2
        getattr(y[:2], name)()
        y.sum().backward()
        return y.grad_fn, x.grad, y._version

    @behaviours(f"{_name} makes a saved tensor stale", error=RuntimeError, says="one of the variables needed for grad")
    def _(F, name=_name):
        x = F.ones(3, requires_grad=True)
        y = x * 2
        z = y * y
        getattr(y, name)()
        z.sum().backward()

    @behaviours(f"{_name} of an expanded tensor", error=RuntimeError, says="unsupported operation: more than one elem")
    def _(F, name=_name):
        getattr(F.ones(1).expand(3), name)()

    @behaviours(f"{_name} of no elements leaves the random numbers alone")
    def _(F, name=_name):
        F.manual_seed(0)
        before = F.get_rng_state().tolist()
        getattr(F.ones(0), name)()
        return before == F.get_rng_state().tolist()

    @behaviours(f"{_name} takes a generator")
    def _(F, name=_name):
        drawn = []
        for _ in range(2):
            generator = F.Generator().manual_seed(3)
            x = F.empty(5)
            getattr(x, name)(generator=generator)
            drawn.append(x.tolist())
        return drawn[0] == drawn[1]


ERRORS: list[tuple[str, type[Exception], str]] = [
    ("F.ones(3, dtype=F.int64).uniform_()", NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
    ("F.ones(3, dtype=F.int64).normal_()", NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
    ("F.ones(3).uniform_('a')", TypeError, "uniform_(): argument 'from' (position 1) must be float, not str"),
    ("F.ones(3).uniform_(2, 1)", RuntimeError, "uniform_ expects to return a [from, to) range, but found from=2 > to"),
    ("F.ones(3).uniform_(0, float('inf'))", RuntimeError, "to is out of bounds for float"),
    ("F.ones(3).uniform_(float('nan'))", RuntimeError, "from is out of bounds for float"),
    ("F.ones(3).uniform_(a=1)", TypeError, "uniform_() got an unexpected keyword argument 'a'"),
    ("F.ones(3).normal_(0, -1)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("F.ones(3).bernoulli_(2.)", RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2"),
    ("F.ones(3).bernoulli_('a')", TypeError, "bernoulli_() received an invalid combination of arguments - got (str)"),
    ("F.ones(2).bernoulli_(F.tensor([.5, 3.]))", RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true"),
    ("F.ones(2).bernoulli_(F.tensor([1, 0]))", NotImplementedError, '"bernoulli_tensor_cpu_p_" not implemented for'),
    ("F.bernoulli(F.ones(3, dtype=F.int64))", NotImplementedError, '"bernoulli_tensor_cpu_p_" not implemented for'),
    ("F.bernoulli(F.tensor([2.]))", RuntimeError, "Expected p_in >= 0 && p_in <= 1 to be true"),
    ("F.multinomial(F.tensor([1., -1.]), 1)", RuntimeError, "probability tensor contains either `inf`, `nan` or elem"),
    ("F.multinomial(F.tensor([0., 0.]), 1)", RuntimeError, "invalid multinomial distribution (sum of probabilities"),
    ("F.multinomial(F.ones(2), 3)", RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without"),
    ("F.multinomial(F.ones(2), 0)", RuntimeError, "cannot sample n_sample <= 0 samples"),
    ("F.multinomial(F.ones(2, 2, 2), 1)", RuntimeError, "prob_dist must be 1 or 2 dim"),
    ("F.multinomial(F.ones(2, dtype=F.int64), 1)", RuntimeError, "multinomial only supports floating-point dtypes"),
    ("F.randint(5, 5, (2,))", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
    ("F.randint(5)", TypeError, "randint() received an invalid combination of arguments - got (int)"),
    ("F.randint(5, 3)", TypeError, "randint(): argument 'size' (position 2) must be tuple of ints, not int"),
    ("F.randint(0.5, 3, (2,))", TypeError, "randint() received an invalid combination of arguments - got (float, int"),
    ("F.randint(0, 5, (2,), dtype=F.bool)", RuntimeError, "to - 1 is out of bounds for bool"),
    ("F.randint(0, 300, (2,), dtype=F.uint8)", RuntimeError, "to - 1 is out of bounds for unsigned char"),
    ("F.randint(-300, 0, (2,), dtype=F.int8)", RuntimeError, "from is out of bounds for signed char"),
    ("F.randint(0, 2**16, (2,), dtype=F.int16)", RuntimeError, "to - 1 is out of bounds for short int"),
    ("F.randperm(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("F.randperm(3, dtype=F.bool)", NotImplementedError, "\"randperm\" not implemented for 'Bool'"),
    ("F.randperm(3.5)", TypeError, "randperm(): argument 'n' (position 1) must be int, not float"),
    ("F.randperm(300, dtype=F.uint8)", RuntimeError, "value cannot be converted to type uint8_t without overflow"),
    ("F.normal(0., -1., (2,))", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("F.normal(0., 1.)", TypeError, "normal() received an invalid combination of arguments - got (float, float)"),
    ("F.rand(2, dtype=F.int64)", NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
    ("F.rand(2, generator=3)", TypeError, "rand() received an invalid combination of arguments - got ("),
    ("F.rand('a')", TypeError, "rand(): argument 'size' (position 1) must be tuple of ints, not str"),
    ("F.rand(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("F.randn_like(3)", TypeError, "randn_like(): argument 'input' (position 1) must be Tensor, not int"),
    ("F.manual_seed('a')", ValueError, "invalid literal for int() with base 10: 'a'"),
    ("F.manual_seed(2**64)", ValueError, "Overflow when unpacking long long"),
    ("F.manual_seed(-2**63 - 1)", ValueError, "Overflow when unpacking long long"),
    ("F.Generator().manual_seed(1.5)", RuntimeError, "manual_seed expected a long, but got float"),
    ("F.Generator().set_state(3)", TypeError, "expected a torch.ByteTensor, but got int"),
    ("F.Generator().set_state(F.zeros(3))", TypeError, "RNG state must be a torch.ByteTensor"),
    ("F.Generator().set_state(F.zeros(3, dtype=F.uint8))", RuntimeError, "Expected a CPUGeneratorImplState of size"),
    ("F.set_rng_state(F.zeros(5056, dtype=F.uint8))", RuntimeError, "Invalid mt19937 state"),
]
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F, expression=_expression):
        eval(expression, {"F": F})


VALUES = [
    "F.manual_seed(1.7).initial_seed()",
    "F.manual_seed(-1).initial_seed()",
    "F.manual_seed(-2**63).initial_seed()",
    "F.manual_seed(2**64 - 1).initial_seed()",
    "F.manual_seed(F.tensor(3)).initial_seed()",
    "F.manual_seed(3) is F.default_generator",
    "F.Generator().initial_seed()",
    "F.Generator(device='cpu').manual_seed(2).initial_seed()",
    "F.normal(0, 1, size=(2,), dtype=F.float64).dtype",
    "F.normal(0, 1, (2,), requires_grad=True).requires_grad",
    "str(F.Generator().device)",
    "F.get_rng_state().shape, F.get_rng_state().dtype",
    "F.rand(2, requires_grad=True).requires_grad",
    "F.randint(high=5, size=(2, 3)).shape",
    "F.randint(low=3, high=4, size=(2,))",
    "F.randint(3, 4, size=(2,))",
    "F.ones(3).bernoulli().tolist()",
    "F.multinomial(F.ones(0, 2), 1)",
    "F.multinomial(F.ones(2, requires_grad=True), 1).requires_grad",
    "F.ones(3).multinomial(2).dtype",
    "F.ones(3).bernoulli(1.0).tolist()",
    "F.bernoulli(F.ones(3, requires_grad=True)).grad_fn",
    "F.rand(2, device='cpu', dtype=F.float64).dtype",
    "F.ones(3).uniform_(to=0.0)",
]
for _expression in VALUES:

    @behaviours(f"value: {_expression}")
    def _(F, expression=_expression):
        F.manual_seed(0)
        return eval(expression, {"F": F})


@behaviours("bernoulli has gradient zero")
def _(F):
    x = F.ones(3, requires_grad=True)
    F.bernoulli(x).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()


def test_tensors_of_means_are_refused_with_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"got \(Tensor, Tensor\): .*mean \+ std \* randn_like\(mean\)"):
        mg.normal(mg.zeros(3), mg.ones(3))
