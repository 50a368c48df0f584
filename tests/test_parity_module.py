"""Modules, parameters, containers, hooks and state dicts, as in torch.

After this file a reader knows what an assignment to a module does, in which order hooks run and what they are given,
and what is said when a state dict does not fit. Each function below runs on both.
"""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad
from minigrad import nn

behaviours = Behaviours()


def net(F: Any) -> Any:
    """A module with a parameter, a buffer, layers, and a layer within a layer."""

    class Net(F.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = F.nn.Parameter(F.tensor([2.0, 3.0]))
            self.register_buffer("count", F.tensor([1.0]))
            self.register_buffer("hidden", F.tensor([5.0]), persistent=False)
            self.first = linear(F, 2, 2)
            self.rest = F.nn.Sequential(F.nn.ReLU(), linear(F, 2, 1))

        def forward(self, x: Any) -> Any:
            return self.rest(self.first(x) * self.scale)

    return Net()


def linear(F: Any, inputs: int, outputs: int) -> Any:
    """A Linear with weights 0.1, 0.2, ..."""
    layer = F.nn.Linear(inputs, outputs)
    with F.no_grad():
        layer.weight.copy_(F.tensor(np.arange(1, inputs * outputs + 1, dtype=np.float32).reshape(outputs, inputs) / 10))
        layer.bias.copy_(F.tensor(np.arange(outputs, dtype=np.float32)))
    return layer


def refused(call: Any, kind: type[Exception], says: str) -> bool:
    """True if a call raises this error with a message that begins like this; otherwise the scenario fails."""
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).replace("minigrad.", "torch.").startswith(says), str(caught.value)
    return True


def kind(value: Any) -> str:
    return type(value).__name__


# ---------------------------------------------------------------- Parameter


@behaviours("A01: a Parameter requires grad, and prints as one")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    return [repr(p), p.requires_grad, p.is_leaf, isinstance(p, F.Tensor), isinstance(p, F.nn.Parameter), kind(p)]


@behaviours("A02: what is computed from it is a plain tensor")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    results = [p * 1, p.sum(), p[0], p.view(2), p.detach(), p.data, p.clone(), p.double(), -p, p @ p]
    return [kind(r) for r in results] + [kind(p.float()), kind(p.requires_grad_()), p.float() is p]


@behaviours("A03: it shares the memory of its data, and leaves its graph")
def _(F: Any) -> Any:
    x = F.tensor([1.0, 2.0], requires_grad=True)
    p = F.nn.Parameter(x * 2)
    y = F.tensor([1.0])
    q = F.nn.Parameter(y)
    y.add_(1)
    return [p.grad_fn, p.requires_grad, q, q._version, F.nn.Parameter(y, requires_grad=False)]


@behaviours(
    "A04: of ints it cannot require grad", error=RuntimeError, says="Only Tensors of floating point and complex"
)
def _(F: Any) -> Any:
    F.nn.Parameter(F.tensor([1]))


@behaviours("A05: of ints without")
def _(F: Any) -> Any:
    return F.nn.Parameter(F.tensor([1]), requires_grad=False), F.nn.Parameter().shape, F.nn.Parameter(None).dtype


@behaviours("A06: of a list it is refused", error=AttributeError, says="'list' object has no attribute 'detach'")
def _(F: Any) -> Any:
    F.nn.Parameter([1.0])


@behaviours("A07: under no_grad it requires grad nevertheless")
def _(F: Any) -> Any:
    with F.no_grad():
        return F.nn.Parameter(F.ones(1)).requires_grad


@behaviours("A08: copies are parameters of their own, without gradients")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    (p * p).sum().backward()
    deep, shallow, frozen = copy.deepcopy(p), copy.copy(p), copy.deepcopy(F.nn.Parameter(F.ones(1), False))
    with F.no_grad():
        p.add_(1)
    return [deep, kind(deep), deep.grad, deep.requires_grad, deep.is_leaf, kind(shallow), frozen.requires_grad]


@behaviours("A09: two references are copied once")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    first, second = copy.deepcopy([p, p])
    return first is second


@behaviours("A10: it can be pickled")
def _(F: Any) -> Any:
    p = pickle.loads(pickle.dumps(F.nn.Parameter(F.tensor([1.0, 2.0]))))
    q = pickle.loads(pickle.dumps(F.nn.Parameter(F.tensor([1.0]), requires_grad=False)))
    return [p, kind(p), q.requires_grad]


@behaviours("A11: gradients come to it, also in a product with itself")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([[1.0, 2.0], [3.0, 4.0]]))
    (p @ p * p + p).sum().backward()
    return p.grad, kind(p.grad)


@behaviours(
    "A12: writing to it is refused while it requires grad", error=RuntimeError, says="a leaf Variable that requires"
)
def _(F: Any) -> Any:
    F.nn.Parameter(F.ones(1)).add_(1)


@behaviours("A13: it may be written to under no_grad, and that counts")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    with F.no_grad():
        result = p.add_(1)
        p -= 5
    return [p, kind(p), result is p, p._version]


@behaviours("A14: what saved it notices a write", error=RuntimeError, says="one of the variables needed for gradient")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    y = p * p
    with F.no_grad():
        p.add_(1)
    y.backward()


@behaviours("A15: a Parameter of a Parameter")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(2))
    q = F.nn.Parameter(p, requires_grad=False)
    return [q is p, q.requires_grad, kind(q), p.requires_grad]


@behaviours("A16: attributes of one's own")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(2))
    p.rate = 0.5
    return [p.rate, copy.copy(p).rate]


@behaviours("A17: a Buffer")
def _(F: Any) -> Any:
    module = F.nn.Module()
    module.kept = F.nn.Buffer(F.ones(1))
    module.dropped = F.nn.Buffer(F.ones(1), persistent=False)
    return [sorted(dict(module.named_buffers())), list(module.state_dict()), module.kept.requires_grad, module.kept * 2]


@behaviours("A18: a second derivative with respect to a parameter")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([2.0]))
    (first,) = F.autograd.grad((p**3).sum(), p, create_graph=True)
    first.sum().backward()
    return first, p.grad


# ---------------------------------------------------------------- attributes


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
        refused(lambda: m.register_module(3, child), TypeError, "module name should be a string. Got int"),
    ]  # fmt: skip


@behaviours("B15: a result as a parameter", error=ValueError, says="Cannot assign non-leaf Tensor to parameter 'x'")
def _(F: Any) -> Any:
    class Odd(F.nn.Parameter):
        grad_fn = property(lambda self: "a node")

    net(F).register_parameter("x", Odd(F.ones(1)))


@behaviours("B16: get_submodule, get_parameter, get_buffer, set_submodule")
def _(F: Any) -> Any:
    m = net(F)
    m.set_submodule("rest.0", F.nn.Tanh())
    return [
        kind(m.get_submodule("rest.1")),
        m.get_submodule("") is m,
        m.get_parameter("rest.1.weight"),
        m.get_buffer("count"),
        kind(m.rest[0]),
        refused(lambda: m.get_submodule("rest.5"), AttributeError, "Sequential has no attribute `5`"),
        refused(lambda: m.get_submodule("scale"), AttributeError, "`scale` is not an nn.Module"),
        refused(lambda: m.get_parameter("count"), AttributeError, "`count` is not an nn.Parameter"),
        refused(lambda: m.get_parameter("first.x"), AttributeError, "Linear has no attribute `x`"),
        refused(lambda: m.get_buffer("scale"), AttributeError, "`scale` is not a buffer"),
        refused(lambda: m.set_submodule("", F.nn.ReLU()), ValueError, "Cannot set the submodule without a target"),
        refused(lambda: m.set_submodule("new", F.nn.ReLU(), strict=True), AttributeError, "Net has no attribute `new`"),
    ]  # fmt: skip


@behaviours("B17: dir has the names, without numbers")
def _(F: Any) -> Any:
    names = dir(net(F))
    return [name in names for name in ("scale", "count", "first", "forward", "training")] + ["0" in dir(net(F).rest)]


@behaviours(
    "B18: no forward", error=NotImplementedError, says='Module [Sad] is missing the required "forward" function'
)
def _(F: Any) -> Any:
    type("Sad", (F.nn.Module,), {})()(1)


@behaviours(
    "B19: arguments for Module itself", error=TypeError, says="Module.__init__() got an unexpected keyword argument 'a'"
)
def _(F: Any) -> Any:
    F.nn.Module(a=1)


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


# ---------------------------------------------------------------- changing all of it


@behaviours("C01: train, eval, requires_grad_, apply")
def _(F: Any) -> Any:
    module, seen = net(F), []
    flags = [m.training for m in module.eval().modules()]
    flags += [m.training for m in module.train().modules()]
    module.apply(lambda m: seen.append(kind(m)))
    module.requires_grad_(False)
    return [flags, seen, [p.requires_grad for p in module.parameters()], module.train(False) is module]


@behaviours("C02: train takes a bool", error=ValueError, says="training mode is expected to be boolean")
def _(F: Any) -> Any:
    net(F).train(1)


@behaviours("C03: zero_grad")
def _(F: Any) -> Any:
    module = net(F)
    module(F.ones(1, 2)).sum().backward()
    module.zero_grad(set_to_none=False)
    zeros = [p.grad for p in module.parameters()]
    module(F.ones(1, 2)).sum().backward()
    module.zero_grad()
    return zeros, [p.grad for p in module.parameters()]


@behaviours("C04: to another dtype keeps the parameters the same objects")
def _(F: Any) -> Any:
    module = net(F)
    module(F.ones(1, 2)).sum().backward()
    before = list(module.parameters())
    returned = module.double()
    after = list(module.parameters())
    return [
        returned is module,
        [a is b for a, b in zip(before, after, strict=True)],
        [p.dtype for p in after],
        [p.grad.dtype for p in after],
        [b.dtype for b in module.buffers()],
        [kind(p) for p in after],
        module.to(F.float32).scale.dtype,
        module.to("cpu") is module,
        module.to(F.ones(1, dtype=F.float64)).scale.dtype,
        module.float().scale.dtype,
        module.type(F.float64).scale.dtype,
    ]


@behaviours("C05: ints stay ints")
def _(F: Any) -> Any:
    return F.nn.BatchNorm1d(2).double().num_batches_tracked.dtype


@behaviours(
    "C06: not to ints", error=TypeError, says="nn.Module.to only accepts floating point or complex dtypes, but got"
)
def _(F: Any) -> Any:
    net(F).to(F.int64)


@behaviours("C07: deepcopy and pickle")
def _(F: Any) -> Any:
    module = F.nn.Sequential(linear(F, 2, 2), F.nn.BatchNorm1d(2))
    module(F.ones(3, 2)).sum().backward()
    copied, read = copy.deepcopy(module), pickle.loads(pickle.dumps(module))
    with F.no_grad():
        module[0].weight.add_(1)
    return [
        [dict(m.state_dict()) for m in (copied, read)],
        [p.grad for p in copied.parameters()],
        copied.training,
        kind(copied[0].weight),
        [copied[0].weight is module[0].weight],
    ]


@behaviours("C08: a shared parameter stays shared in a copy")
def _(F: Any) -> Any:
    first, second = F.nn.Linear(2, 2), F.nn.Linear(2, 2)
    second.weight = first.weight
    copied = copy.deepcopy(F.nn.Sequential(first, second))
    return [copied[0].weight is copied[1].weight, len(list(copied.parameters()))]


# ---------------------------------------------------------------- as text


@behaviours("D01: a network prints as a tree")
def _(F: Any) -> Any:
    return repr(net(F))


@behaviours("D02: repeated blocks of a list print once")
def _(F: Any) -> Any:
    block = [F.nn.Sequential(F.nn.Linear(2, 2), F.nn.ReLU()) for _ in range(3)]
    layers = [F.nn.Linear(1, 1), F.nn.Linear(1, 2), F.nn.Linear(1, 2)]
    return [repr(F.nn.ModuleList(part)) for part in (block, layers, [], [F.nn.ReLU()])]


@behaviours("D03: extra_repr of one line and of several")
def _(F: Any) -> Any:
    class One(F.nn.Module):
        def extra_repr(self) -> str:
            return "x=1"

    class Two(One):
        def extra_repr(self) -> str:
            return "x=1\ny=2"

    outer = One()
    outer.inner = Two()
    return [repr(One()), repr(Two()), repr(outer), repr(F.nn.Module())]


@behaviours("D04: containers")
def _(F: Any) -> Any:
    nn = F.nn
    return [
        repr(nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.ReLU()})),
        repr(nn.ParameterList([F.ones(2, 3), F.nn.Parameter(F.ones(1)), 3])),
        repr(nn.ParameterDict({"w": F.ones(2, 3), "n": "text"})),
        repr(nn.Sequential(OrderedDict(hidden=nn.Linear(1, 2), output=nn.Tanh()))),
        repr(nn.Sequential()),
    ]


@behaviours("D05: an attribute of one's own with None")
def _(F: Any) -> Any:
    module = F.nn.Module()
    module.add_module("later", None)
    return repr(module)


# ---------------------------------------------------------------- containers


def numbered(F: Any, count: int) -> list[Any]:
    return [F.nn.Linear(1, number + 1) for number in range(count)]


def outs(modules: Any) -> list[int]:
    return [module.out_features for module in modules]


@behaviours("E01: Sequential runs its modules in turn")
def _(F: Any) -> Any:
    return F.nn.Sequential(linear(F, 2, 2), F.nn.ReLU(), linear(F, 2, 1))(F.tensor([[1.0, -2.0]]))


@behaviours("E02: indices and slices of Sequential")
def _(F: Any) -> Any:
    s = F.nn.Sequential(*numbered(F, 5))
    names = list(s[1:4]._modules)
    del s[1]
    after = [outs(s), list(s._modules)]
    del s[1:3]
    s[0] = F.nn.Linear(1, 9)
    return [
        names, after, outs(s), outs(s[-1:]), s[-1].out_features, len(s), kind(s[:1]), s.pop(0).out_features, outs(s),
        refused(lambda: s[5], IndexError, "index 5 is out of range"),
    ]  # fmt: skip


@behaviours("E03: append, insert, extend, +, *")
def _(F: Any) -> Any:
    a, b = F.nn.Sequential(*numbered(F, 2)), F.nn.Sequential(*numbered(F, 1))
    a.append(F.nn.Linear(1, 7)).insert(1, F.nn.Linear(1, 8)).extend(b)
    joined, twice, other_way = a + b, b * 2, 2 * b
    lengths = [outs(m) for m in (a, joined, twice, other_way)]
    b *= 3
    a += b
    a.insert(-1, F.nn.Linear(1, 6))
    return [lengths, outs(a), list(a._modules)]


@behaviours("E04: what Sequential refuses")
def _(F: Any) -> Any:
    s = F.nn.Sequential(F.nn.ReLU())
    return [
        refused(lambda: s + [1], ValueError, "add operator supports only objects of Sequential class, but"),
        refused(lambda: s * 0, ValueError, "Non-positive multiplication factor 0 for"),
        refused(lambda: s * 1.5, TypeError, "unsupported operand type(s) for *:"),
        refused(lambda: s.insert(3, F.nn.ReLU()), IndexError, "Index out of range: 3"),
        refused(lambda: s.insert(0, 3), AssertionError, "module should be of type:"),
        refused(lambda: F.nn.Sequential(1), TypeError, "int is not a Module subclass"),
        refused(lambda: F.nn.Sequential([F.nn.ReLU()]), TypeError, "list is not a Module subclass"),
        refused(lambda: F.nn.Sequential(F.relu), TypeError, ""),
    ]


@behaviours("E05: ModuleList")
def _(F: Any) -> Any:
    m = F.nn.ModuleList(numbered(F, 3))
    m.append(F.nn.Linear(1, 7))
    m.insert(0, F.nn.Linear(1, 8))
    m += [F.nn.Linear(1, 9)]
    m[1] = F.nn.Linear(1, 5)
    both = m + m[:2]
    del m[0]
    del m[1:3]
    return [
        outs(m), outs(both), kind(m[:2]), m[-1].out_features, list(m._modules), outs([m.pop(0)]), len(m),
        refused(lambda: m[9], IndexError, "index 9 is out of range"),
        refused(lambda: m.extend(3), TypeError, "ModuleList.extend should be called with an iterable, but got int"),
        refused(lambda: m(1), NotImplementedError, 'Module [ModuleList] is missing the required "forward" function'),
        [name for name, _ in m.named_parameters()],
    ]  # fmt: skip


@behaviours("E06: ModuleDict")
def _(F: Any) -> Any:
    m = F.nn.ModuleDict({"a": F.nn.ReLU(), "b": F.nn.Tanh()})
    m["c"] = F.nn.Linear(1, 2)
    m.update([("d", F.nn.ELU())])
    m.update({"a": F.nn.SiLU()})
    del m["b"]
    popped = m.pop("d")
    return [
        list(m), list(m.keys()), [kind(v) for v in m.values()], [k for k, _ in m.items()], "a" in m, len(m),
        kind(popped), kind(m["a"]), kind(m.a),
        refused(lambda: m.update(3), TypeError, "ModuleDict.update should be called with an iterable of key/value"),
        refused(lambda: m.update([("x",)]), ValueError, "ModuleDict update sequence element #0 has length 1; 2 is"),
        refused(lambda: m.update([3]), TypeError, "ModuleDict update sequence element #0 should be Iterable; isint"),
        refused(lambda: m["zz"], KeyError, "'zz'"),
    ]  # fmt: skip


@behaviours("E07: ParameterList")
def _(F: Any) -> Any:
    p = F.nn.ParameterList([F.ones(1), F.nn.Parameter(F.zeros(2))])
    p.append(F.ones(3)).extend([F.ones(4), 5])
    p[0] = F.zeros(7)
    return [
        [n for n, _ in p.named_parameters()], [kind(v) for v in p], len(p), list(p)[-1], [kind(v) for v in p[1:3]],
        kind(p[1:3]), p[-2].shape,
        refused(lambda: p.extend(F.ones(2)), TypeError, "ParameterList.extend should be called with an iterable, but"),
        refused(lambda: p(1), RuntimeError, "ParameterList should not be called."),
    ]  # fmt: skip


@behaviours("E08: ParameterDict")
def _(F: Any) -> Any:
    p = F.nn.ParameterDict({"b": F.ones(1), "a": F.ones(2)})
    p["c"] = F.zeros(3)
    p.update([("d", F.ones(4))])
    default = p.setdefault("e", F.ones(5))
    order = list(p)
    last = p.popitem()[0]
    return [
        order, [n for n, _ in p.named_parameters()], kind(default), last, "c" in p, len(p), p.get("zz", 3),
        list(reversed(p)), list(p | {"y": F.ones(1)}), list(p.copy()), p.pop("c").shape, list(p.fromkeys(["u"], 1)),
        refused(lambda: p[3], TypeError, "Index given to ParameterDict cannot be used as a key as it is not a string"),
        refused(lambda: p.update(3), TypeError, "ParametersDict.update should be called with an iterable of key/value"),
        refused(lambda: p(1), RuntimeError, "ParameterDict should not be called."),
    ]  # fmt: skip


# ---------------------------------------------------------------- state dicts


@behaviours("F01: state_dict has parameters and persistent buffers")
def _(F: Any) -> Any:
    state = net(F).state_dict()
    return [dict(state), kind(state["scale"]), [(k, dict(v)) for k, v in state._metadata.items()]]


@behaviours("F02: prefix, destination and keep_vars")
def _(F: Any) -> Any:
    module, given = net(F), OrderedDict()
    state = module.state_dict(destination=given, prefix="net.", keep_vars=True)
    return [state is given, list(state), state["net.scale"] is module.scale]


@behaviours("F03: it shares memory with the module")
def _(F: Any) -> Any:
    module = net(F)
    module.state_dict()["scale"].zero_()
    return module.scale


@behaviours("F04: loading copies values, and leaves gradients alone")
def _(F: Any) -> Any:
    module, other = net(F), net(F)
    with F.no_grad():
        other.scale.fill_(9)
    result = module.load_state_dict(other.state_dict())
    scale = module.scale
    return [repr(result), result.missing_keys, scale, scale.requires_grad, scale._version, kind(scale), kind(result)]


@behaviours("F05: what does not fit is listed")
def _(F: Any) -> Any:
    module = net(F)
    state = module.state_dict()
    del state["scale"], state["rest.1.bias"]
    state["extra"] = F.ones(1)
    state["first.more"] = F.ones(1)
    state["count"] = F.ones(3)
    with pytest.raises(RuntimeError) as caught:
        module.load_state_dict(state)
    lenient = dict(state)
    del lenient["count"]
    result = module.load_state_dict(lenient, strict=False)
    return [str(caught.value), result.missing_keys, result.unexpected_keys, repr(result)]


@behaviours(
    "F06: a size mismatch is an error without strict, too",
    error=RuntimeError,
    says="Error(s) in loading state_dict for Net:\n\tsize mismatch for scale: copying a param with shape torch.Size(",
)
def _(F: Any) -> Any:
    net(F).load_state_dict({"scale": F.ones(3)}, strict=False)


@behaviours(
    "F07: not a tensor",
    error=RuntimeError,
    says='Error(s) in loading state_dict for Linear:\n\tWhile copying the parameter named "bias", expected torch.Ten',
)
def _(F: Any) -> Any:
    F.nn.Linear(1, 1, dtype=F.float32).load_state_dict({"bias": [1.0], "weight": F.ones(1, 1)})


@behaviours("F08: not a dictionary", error=TypeError, says="Expected state_dict to be dict-like, got <class 'list'>.")
def _(F: Any) -> Any:
    net(F).load_state_dict([])


@behaviours("F09: assign takes the tensors themselves")
def _(F: Any) -> Any:
    layer = F.nn.Linear(1, 1)
    layer.bias.requires_grad_(False)
    state = {"weight": F.zeros(1, 1, dtype=F.float64), "bias": F.ones(1)}
    layer.load_state_dict(state, assign=True)
    return [
        layer.weight,
        kind(layer.weight),
        layer.bias.requires_grad,
        layer.weight.data_ptr() == state["weight"].data_ptr(),
    ]


@behaviours("F10: loading converts to the module's dtype")
def _(F: Any) -> Any:
    layer = F.nn.Linear(1, 1)
    layer.load_state_dict({"weight": F.ones(1, 1, dtype=F.float64), "bias": F.ones(1, dtype=F.int64)})
    return list(layer.parameters())


@behaviours("F11: extra state")
def _(F: Any) -> Any:
    class Counting(F.nn.Module):
        steps = 3

        def get_extra_state(self) -> Any:
            return {"steps": self.steps}

        def set_extra_state(self, state: Any) -> None:
            self.steps = state["steps"]

    module, outer = Counting(), F.nn.Sequential(Counting())
    state = module.state_dict()
    state["_extra_state"] = {"steps": 8}
    module.load_state_dict(state)
    return [
        dict(state), module.steps, dict(outer.state_dict()),
        refused(
            lambda: outer.load_state_dict({}), RuntimeError,
            "Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: \"0._extra_state\"",
        ),
        refused(
            lambda: net(F).load_state_dict({**net(F).state_dict(), "_extra_state": 1}), RuntimeError,
            "Error(s) in loading state_dict for Net:\n\tUnexpected key(s)",
        ),
    ]  # fmt: skip


@behaviours("F12: hooks around writing out and reading back")
def _(F: Any) -> Any:
    log: list[Any] = []
    layer = F.nn.Linear(1, 1)
    handles = [
        layer.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("before", kind(m), prefix, keep))),
        layer.register_state_dict_post_hook(lambda m, state, prefix, meta: log.append(("after", list(state), prefix))),
        layer.register_load_state_dict_pre_hook(
            lambda m, state, prefix, meta, strict, missing, unexpected, errors: log.append(
                (kind(m), sorted(state), prefix, strict, missing, unexpected, errors)
            )
        ),
        layer.register_load_state_dict_post_hook(lambda m, keys: log.append((kind(m), list(keys.missing_keys)))),
    ]
    outer = F.nn.Sequential(layer)
    outer.load_state_dict(outer.state_dict())
    for handle in handles:
        handle.remove()
    outer.load_state_dict(outer.state_dict())
    return log


@behaviours("F13: a hook may rename what is read back, and forgive what is missing")
def _(F: Any) -> Any:
    layer = F.nn.Linear(1, 1)

    def rename(module: Any, state: Any, prefix: str, *others: Any) -> None:
        state[f"{prefix}weight"] = state.pop(f"{prefix}old")

    layer.register_load_state_dict_pre_hook(rename)
    layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    return [repr(layer.load_state_dict({"old": F.ones(1, 1) * 7})), layer.weight]


@behaviours("F14: a post hook that returns something", error=RuntimeError, says="state_dict post-hook must return None")
def _(F: Any) -> Any:
    layer = F.nn.Linear(1, 1)
    layer.register_state_dict_post_hook(lambda *args: 1)
    layer.state_dict()


@behaviours("F15: an older state without a count of batches")
def _(F: Any) -> Any:
    norm = F.nn.BatchNorm1d(2)
    state = dict(norm.state_dict())
    del state["num_batches_tracked"]
    return repr(norm.load_state_dict(state))


@behaviours("F16: a number where a tensor of one element was kept")
def _(F: Any) -> Any:
    module = F.nn.Module()
    module.register_buffer("n", F.tensor(1.0))
    module.load_state_dict({"n": F.tensor([4.0])})
    return module.n


# ---------------------------------------------------------------- forward hooks


def log_of(F: Any, register: Any, *args: Any) -> Any:
    log: list[Any] = []
    module = linear(F, 2, 2)
    register(module, log)
    return module, log


@behaviours("G01: hooks before and after forward, in order")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_pre_hook(lambda module, args: log.append(("before", kind(module), args)))
    m.register_forward_hook(lambda module, args, output: log.append(("after", args, output)))
    m.register_forward_hook(lambda module, args, output: log.append("second"))
    m.register_forward_hook(lambda module, args, output: log.append("first"), prepend=True)
    m.register_forward_pre_hook(lambda module, args: log.append("very first"), prepend=True)
    return [m(F.ones(1, 2)), log]


@behaviours("G02: hooks may replace arguments and results")
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_forward_pre_hook(lambda module, args: args[0] * 2)
    m.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    m.register_forward_hook(lambda module, args, output: output * 10)
    return m(F.ones(1, 2))


@behaviours("G03: hooks with kwargs")
def _(F: Any) -> Any:
    log: list[Any] = []

    class Scaled(F.nn.Module):
        def forward(self, x: Any, *, factor: float = 1) -> Any:
            return x * factor

    def before(module: Any, args: Any, kwargs: Any) -> Any:
        log.append((args, kwargs))
        return args, {"factor": 3}

    m = Scaled()
    m.register_forward_pre_hook(before, with_kwargs=True)
    m.register_forward_pre_hook(lambda module, args, kwargs: log.append(kwargs), with_kwargs=True)
    m.register_forward_hook(lambda module, args, kwargs, out: log.append((kwargs, out)), with_kwargs=True)
    return [m(F.ones(2), factor=2), log]


@behaviours(
    "G04: a pre hook with kwargs must return both",
    error=RuntimeError,
    says="forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 3.",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    m(F.ones(1, 2))


@behaviours("G05: removing a hook")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    handle = m.register_forward_hook(lambda *args: log.append(1))
    with m.register_forward_pre_hook(lambda *args: log.append(2)):
        m(F.ones(1, 2))
    handle.remove()
    handle.remove()
    m(F.ones(1, 2))
    return [log, len(m._forward_hooks), len(m._forward_pre_hooks)]


@behaviours("G06: hooks that are always called see an error through", error=ValueError, says="broken")
def _(F: Any) -> Any:
    class Broken(F.nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("broken")

    m, log = Broken(), []
    m.register_forward_hook(lambda *args: log.append("never"))
    m.register_forward_hook(lambda module, args, output: log.append(output), always_call=True)
    try:
        m(1)
    finally:
        assert log == [None]


@behaviours(
    "G07: an error in a hook that is always called is a warning",
    error=ValueError,
    says="broken",
    warns=("UserWarning: module forward hook with ``always_call=True`` raised an exception that was silenced",),
)
def _(F: Any) -> Any:
    class Broken(F.nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("broken")

    def bad(*args: Any) -> Any:
        raise KeyError("another")

    m = Broken()
    m.register_forward_hook(bad, always_call=True)
    m(1)


@behaviours("G08: a hook that is always called is called once")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_hook(lambda *args: log.append(1), always_call=True)
    m.register_forward_hook(lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        m(F.ones(1, 2))
    return log


@behaviours("G09: hooks for all modules run first")
def _(F: Any) -> Any:
    everywhere = F.nn.modules.module
    log: list[Any] = []
    m = F.nn.Sequential(linear(F, 2, 2), F.nn.ReLU())
    m[0].register_forward_pre_hook(lambda *args: log.append("own before"))
    m[0].register_forward_hook(lambda *args: log.append("own after"))
    with (
        everywhere.register_module_forward_pre_hook(lambda module, args: log.append(f"before {kind(module)}")),
        everywhere.register_module_forward_hook(lambda module, args, out: log.append(f"after {kind(module)}")),
        everywhere.register_module_full_backward_hook(lambda module, i, o: log.append(f"backward {kind(module)}")),
    ):
        m(F.ones(1, 2, requires_grad=True)).sum().backward()
    m(F.ones(1, 2))
    return log


@behaviours("G10: hooks go with a copy")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_hook(lambda *args: log.append(1))
    copy.deepcopy(m)(F.ones(1, 2))
    return [len(copy.deepcopy(m)._forward_hooks)]


@behaviours("G11: calling forward itself runs no hooks")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_hook(lambda *args: log.append(1))
    m.forward(F.ones(1, 2))
    return log


# ---------------------------------------------------------------- backward hooks


@behaviours("H01: a full backward hook sees gradients of inputs and outputs")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((kind(module), grad_in, grad_out)))
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    y = m(x)
    (y**2).sum().backward()
    return [log, x.grad, m.weight.grad, y.grad_fn, x.is_leaf]


@behaviours("H02: what it returns takes the gradient's place")
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] * 10,))
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] + 1,))
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] + 5,), prepend=True)
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    m(x).sum().backward()
    return x.grad, m.weight.grad


@behaviours("H03: a pre hook changes the gradient of the outputs")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_pre_hook(lambda module, grad_out: (grad_out[0] * 2,))
    m.register_full_backward_pre_hook(lambda module, grad_out: log.append(grad_out))
    m.register_full_backward_pre_hook(lambda module, grad_out: log.append("first"), prepend=True)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    m(x).sum().backward()
    return [log, x.grad, m.bias.grad]


def two(F: Any) -> Any:
    class Two(F.nn.Module):
        def forward(self, x: Any, n: int, y: Any) -> Any:
            return x * n, "text", y * x

    return Two()


@behaviours("H04: several inputs and outputs, with None for what is not a tensor")
def _(F: Any) -> Any:
    m, log = two(F), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.tensor([1.0], requires_grad=True), F.tensor([2.0])
    first, text, second = m(x, 3, y)
    (first + second).sum().backward()
    return [log, x.grad, text]


@behaviours("H05: an output that is not used has None")
def _(F: Any) -> Any:
    m, log = two(F), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.tensor([1.0], requires_grad=True), F.tensor([2.0], requires_grad=True)
    m(x, 3, y)[0].sum().backward()
    return [log, x.grad, y.grad]


@behaviours(
    "H06: without inputs that need a gradient it fires at the outputs",
    warns=(
        "UserWarning: Full backward hook is firing when gradients are computed with respect to module outputs since ",
    ),
)
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    m(F.ones(1, 2)).sum().backward()
    return [log, m.bias.grad]


@behaviours(
    "H07: there it may return None only",
    error=RuntimeError,
    says="Backward hook for Modules where no input requires gradient should always return None",
    warns=("UserWarning: Full backward hook is firing",),
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (F.ones(1),))
    m(F.ones(1, 2)).sum().backward()


@behaviours("H08: without any gradient it does not fire")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda *args: log.append(1))
    with F.no_grad():
        y = m(F.ones(1, 2, requires_grad=True))
    return [log, y.requires_grad]


@behaviours(
    "H09: a wrong number of gradients",
    error=RuntimeError,
    says="Backward hook returned an invalid number of grad_input, got 2, but expected 1",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (F.ones(1), F.ones(1)))
    m(F.ones(1, 2, requires_grad=True)).sum().backward()


@behaviours(
    "H10: a wrong number from a pre hook",
    error=RuntimeError,
    says="Backward pre hook returned an invalid number of grad_output, got 2, but expected 1",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_pre_hook(lambda module, grad_out: (F.ones(1), F.ones(1)))
    m(F.ones(1, 2, requires_grad=True)).sum().backward()


@behaviours(
    "H11: an output that is no tensor",
    warns=(
        "UserWarning: For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but re",
    ),
)
def _(F: Any) -> Any:
    class Named(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"y": x * 2}

    m, log = Named(), []
    m.register_full_backward_hook(lambda *args: log.append(1))
    x = F.ones(1, requires_grad=True)
    m(x)["y"].sum().backward()
    return [log, x.grad]


@behaviours(
    "H12: the output must not be written to",
    error=RuntimeError,
    says="Output 0 of BackwardHookFunction",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda *args: None)
    m(F.ones(1, 2, requires_grad=True)).add_(1)


@behaviours(
    "H13: nor may the input",
    error=RuntimeError,
    says="Output 0 of BackwardHookFunction",
)
def _(F: Any) -> Any:
    m = F.nn.ReLU(inplace=True)
    m.register_full_backward_hook(lambda *args: None)
    m(F.ones(1, 2, requires_grad=True) * 1)


@behaviours("H14: hooks of modules within modules")
def _(F: Any) -> Any:
    m, log = F.nn.Sequential(linear(F, 2, 2), F.nn.Tanh(), linear(F, 2, 1)), []
    for name, module in m.named_modules():
        module.register_full_backward_pre_hook(lambda module, grad_out, name=name: log.append(f"before {name}"))
        module.register_full_backward_hook(lambda module, i, o, name=name: log.append((name, i, o)))
    m(F.ones(3, 2, requires_grad=True)).sum().backward()
    return log


@behaviours("H15: twice through the same module")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.ones(1, 2, requires_grad=True)
    m(m(x)).sum().backward()
    return log, x.grad


@behaviours("H16: with create_graph, the gradients can be differentiated")
def _(F: Any) -> Any:
    m, log = F.nn.Tanh(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append(grad_in[0].requires_grad))
    x = F.tensor([0.5], requires_grad=True)
    (first,) = F.autograd.grad(m(x).sum(), x, create_graph=True)
    (second,) = F.autograd.grad(first.sum(), x)
    return [first, second, log[:1]]


@behaviours("H17: full hooks and older ones do not go together")
def _(F: Any) -> Any:
    a, b = linear(F, 2, 2), linear(F, 2, 2)
    a.register_full_backward_hook(lambda *args: None)
    b.register_backward_hook(lambda *args: None)
    says = "Cannot use both regular backward hooks and full backward hooks on a single Module."
    return [
        refused(lambda: a.register_backward_hook(lambda *args: None), RuntimeError, says),
        refused(lambda: b.register_full_backward_hook(lambda *args: None), RuntimeError, says),
    ]


@behaviours("H18: the older hook, on a single node")
def _(F: Any) -> Any:
    class Double(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.exp()

    m, log = Double(), []
    m.register_backward_hook(lambda module, grad_in, grad_out: log.append((kind(module), grad_in, grad_out)))
    x = F.tensor([1.0], requires_grad=True)
    m(x * 1).sum().backward()
    return log, x.grad


@behaviours(
    "H19: the older hook, on several nodes",
    warns=("FutureWarning: Using a non-full backward hook when the forward contains multiple autograd Nodes",),
)
def _(F: Any) -> Any:
    class Chain(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.exp().sin()

    m, log = Chain(), []
    m.register_backward_hook(lambda module, grad_in, grad_out: log.append(grad_out))
    m(F.tensor([1.0], requires_grad=True)).sum().backward()
    return log


@behaviours("H20: keyword arguments have no gradient in the hook")
def _(F: Any) -> Any:
    class Sum(F.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    m, log = Sum(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.ones(1, requires_grad=True), F.ones(1, requires_grad=True)
    m(x, y=y).sum().backward()
    return log, x.grad, y.grad


@behaviours("H21: a second derivative, which does not pass the outputs, calls it no second time")
def _(F: Any) -> Any:
    class Square(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * x

    m, log = Square(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.tensor([0.5], requires_grad=True)
    (first,) = F.autograd.grad(m(x).sum(), x, create_graph=True)
    count = len(log)
    (second,) = F.autograd.grad(first.sum(), x)
    return [first, second, count, len(log)]


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- of our own


def test_registration_hooks_change_what_is_registered() -> None:
    """Hooks for all modules see each parameter, buffer and module, and may replace it."""
    from minigrad.nn.modules import hooks

    log: list[str] = []
    with (
        hooks.register_module_parameter_registration_hook(lambda m, name, p: log.append(name)),
        hooks.register_module_buffer_registration_hook(lambda m, name, b: minigrad.zeros(1)),
        hooks.register_module_module_registration_hook(lambda m, name, child: nn.Tanh()),
    ):
        module = nn.Module()
        module.weight = nn.Parameter(minigrad.ones(1))
        module.register_buffer("count", minigrad.ones(1))
        module.child = nn.ReLU()
    assert log == ["weight"]
    assert module.count.tolist() == [0]
    assert isinstance(module.child, nn.Tanh)


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


def test_compile_is_refused() -> None:
    with pytest.raises(RuntimeError, match="not available"):
        nn.ReLU().compile()


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
