"""What an assignment to a module does: parameters, buffers and submodules, their names, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.side_by_side import Behaviours
from nn.module.networks import kind, net, refused

import minigrad
from minigrad import nn

behaviours = Behaviours()


@behaviours("B01: names of all parameters, buffers and modules")
def _(F: Any) -> Any:
    module = net(F)
    return {
        "parameters": [name for name, _ in module.named_parameters()],
        "own": [name for name, _ in module.named_parameters(recurse=False)],
        "prefixed": [name for name, _ in module.named_parameters("net")],
        "buffers": [name for name, _ in module.named_buffers()],
        "children": [name for name, _ in module.named_children()],
        "modules": [name for name, _ in module.named_modules()],
        "kinds": [kind(m) for m in module.modules()],
        "counts": [len(list(module.parameters())), len(list(module.buffers())), len(list(module.children()))],
    }


@behaviours("B02: what is there twice is named once, unless asked")
def _(F: Any) -> Any:
    shared = F.nn.Linear(1, 1)
    module = F.nn.Sequential(shared, F.nn.ReLU(), shared)
    return [
        [n for n, _ in module.named_parameters()],
        [n for n, _ in module.named_parameters(remove_duplicate=False)],
        [n for n, _ in module.named_modules()],
        [n for n, _ in module.named_modules(remove_duplicate=False)],
        list(module.state_dict()),
    ]


@behaviours(
    "B03: a module before __init__", error=AttributeError, says="cannot assign module before Module.__init__() call"
)
def _(F: Any) -> Any:
    class Net(F.nn.Module):
        def __init__(self) -> None:
            self.layer = F.nn.Linear(1, 1)

    Net()


@behaviours(
    "B04: a parameter before __init__", error=AttributeError, says="cannot assign parameters before Module.__init__"
)
def _(F: Any) -> Any:
    class Net(F.nn.Module):
        def __init__(self) -> None:
            self.weight = F.nn.Parameter(F.ones(1))

    Net()


@behaviours(
    "B05: a buffer before __init__", error=AttributeError, says="cannot assign buffer before Module.__init__() call"
)
def _(F: Any) -> Any:
    class Net(F.nn.Module):
        def __init__(self) -> None:
            self.register_buffer("x", F.ones(1))

    Net()


def without_init(F: Any) -> Any:
    """A module whose __init__ forgets super().__init__(), and puts nothing there that would say so."""

    class Net(F.nn.Module):
        def __init__(self) -> None:
            self.times = 2

        def forward(self, input: Any) -> Any:
            return input * self.times

    return Net()


behaviours.table(
    ("B05: the parameters of a module without __init__", lambda F: F.optim.SGD(without_init(F).parameters(), lr=0.1),
     AttributeError, "'Net' object has no attribute '_parameters'"),
    ("B05: the buffers of a module without __init__", lambda F: list(without_init(F).buffers()),
     AttributeError, "'Net' object has no attribute '_buffers'"),
    ("B05: the call of a module without __init__", lambda F: without_init(F)(F.ones(2)),
     AttributeError, "'Net' object has no attribute '_"),
)  # fmt: skip


@behaviours("B06: an attribute that is not there", error=AttributeError, says="'Net' object has no attribute 'foo'")
def _(F: Any) -> Any:
    return net(F).foo


@behaviours(
    "B07: a tensor in a parameter's place",
    error=TypeError,
    says="cannot assign 'torch.FloatTensor' as parameter 'scale'",
)
def _(F: Any) -> Any:
    net(F).scale = F.ones(2)


@behaviours(
    "B08: a number in a parameter's place", error=TypeError, says="cannot assign 'int' as parameter 'weight' (torch.nn."
)
def _(F: Any) -> Any:
    F.nn.Linear(1, 1).weight = 3


@behaviours(
    "B09: a number in a module's place", error=TypeError, says="cannot assign 'int' as child module 'first' (torch.nn."
)
def _(F: Any) -> Any:
    net(F).first = 3


@behaviours(
    "B10: a number in a buffer's place", error=TypeError, says="cannot assign 'int' as buffer 'count' (torch.nn.Buffer,"
)
def _(F: Any) -> Any:
    net(F).count = 3


@behaviours("B11: None in any place keeps the place")
def _(F: Any) -> Any:
    module = net(F)
    module.scale = module.first = module.count = None
    module.scale = F.nn.Parameter(F.zeros(1))
    module.count = F.zeros(3)
    return [list(module.state_dict()), module.first, module.count]


@behaviours("B12: a parameter takes the place of what had the name")
def _(F: Any) -> Any:
    module = net(F)
    module.first = F.nn.Parameter(F.ones(1))
    module.hidden = F.nn.Parameter(F.ones(1))
    module.plain = 3
    module.plain = F.nn.Linear(1, 1)
    return [
        [n for n, _ in module.named_parameters()],
        [n for n, _ in module.named_buffers()],
        "plain" in module.__dict__,
    ]


@behaviours("B13: deleting")
def _(F: Any) -> Any:
    module = net(F)
    del module.scale, module.count, module.first
    module.note = 1
    del module.note
    return [
        list(module.state_dict()),
        hasattr(module, "note"),
        refused(lambda: module.__delattr__("note"), AttributeError, ""),
    ]


@behaviours("B14: registering names that cannot be")
def _(F: Any) -> Any:
    m = net(F)
    p, t, child = F.nn.Parameter(F.ones(1)), F.ones(1), F.nn.ReLU()
    return [
        refused(lambda: m.register_parameter("a.b", p), KeyError, "'parameter name can\\'t contain"),
        refused(lambda: m.register_parameter("", p), KeyError, "'parameter name can\\'t be empty string"),
        refused(lambda: m.register_parameter("forward", p), KeyError, "\"attribute 'forward' already exists\""),
        refused(lambda: m.register_parameter(3, p), TypeError, "parameter name should be a string. Got int"),
        refused(lambda: m.register_parameter("x", t), TypeError, "cannot assign 'torch.FloatTensor' object to"),
        refused(lambda: m.register_parameter("x", 3), TypeError, "cannot assign 'int' object to parameter 'x'"),
        refused(lambda: m.register_buffer("a.b", t), KeyError, "'buffer name can\\'t contain"),
        refused(lambda: m.register_buffer("", t), KeyError, "'buffer name can\\'t be empty string"),
        refused(lambda: m.register_buffer("scale", t), KeyError, "\"attribute 'scale' already exists\""),
        refused(lambda: m.register_buffer("x", 3), TypeError, "cannot assign 'int' object to buffer 'x'"),
        refused(lambda: m.add_module("a.b", child), KeyError, "'module name can\\'t contain"),
        refused(lambda: m.add_module("", child), KeyError, "'module name can\\'t be empty string"),
        refused(lambda: m.add_module("scale", child), KeyError, "\"attribute 'scale' already exists\""),
        refused(lambda: m.add_module("x", 3), TypeError, "int is not a Module subclass"),
        refused(lambda: m.add_module(3, child), TypeError, "module name should be a string. Got int"),
    ]  # fmt: skip


@behaviours("B15: a result as a parameter", error=ValueError, says="Cannot assign non-leaf Tensor to parameter 'x'")
def _(F: Any) -> Any:
    class Odd(F.nn.Parameter):
        grad_fn = property(lambda self: "a node")

    net(F).register_parameter("x", Odd(F.ones(1)))


@behaviours("B17: dir has the names, without numbers")
def _(F: Any) -> Any:
    names = dir(net(F))
    return [name in names for name in ("scale", "count", "first", "forward", "training")] + ["0" in dir(net(F).rest)]


behaviours.table(
    ("B18: no forward", lambda F: type("Sad", (F.nn.Module,), {})()(1),
     NotImplementedError, 'Module [Sad] is missing the required "forward" function'),
    ("B19: arguments for Module itself", lambda F: F.nn.Module(a=1),
     TypeError, "Module.__init__() got an unexpected keyword argument 'a'"),
)  # fmt: skip


@behaviours("B20: unknown attributes of a class with its own __getattr__")
def _(F: Any) -> Any:
    class Lenient(F.nn.Module):
        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return name * 2

    module = Lenient()
    module.layer = F.nn.ReLU()
    return [module.ab, kind(module.layer)]


def test_a_missing_attribute_suggests_another() -> None:
    """The error knows the object, so that Python can say "Did you mean"."""
    module = nn.Linear(1, 1)
    with pytest.raises(AttributeError) as caught:
        _ = module.waight
    assert caught.value.name == "waight"
    assert caught.value.obj is module


def test_a_module_without_init_says_what_is_missing() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            pass

    with pytest.raises(AttributeError, match=r"begin its __init__ with super\(\)\.__init__\(\)"):
        _ = Net().anything


def test_a_module_makes_no_cycle() -> None:
    """A network and its graph go when nobody holds them, without the garbage collector."""
    import gc
    import weakref

    module = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    module.register_full_backward_hook(lambda *args: None)
    y = module(minigrad.ones(1, 2, requires_grad=True)).sum()
    y.backward()
    gone = [weakref.ref(module), weakref.ref(y)]
    gc.disable()
    try:
        del module, y
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()


test_as_in_torch = behaviours.test()
