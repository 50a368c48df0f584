"""Sequential, ModuleList, ModuleDict."""

from __future__ import annotations

from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind, linear, refused

behaviours = Behaviours()


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
        names, after, outs(s), outs(s[-1:]), s[-1].out_features, len(s), kind(s[:1]),
        refused(lambda: s[5], IndexError, "index 5 is out of range"),
    ]  # fmt: skip


@behaviours("E03: append and extend")
def _(F: Any) -> Any:
    a, b = F.nn.Sequential(*numbered(F, 2)), F.nn.Sequential(*numbered(F, 1))
    a.append(F.nn.Linear(1, 7)).extend(b)
    return [outs(a), list(a._modules)]


@behaviours("E04: what Sequential refuses")
def _(F: Any) -> Any:
    return [
        refused(lambda: F.nn.Sequential(1), TypeError, "int is not a Module subclass"),
        refused(lambda: F.nn.Sequential([F.nn.ReLU()]), TypeError, "list is not a Module subclass"),
        refused(lambda: F.nn.Sequential(F.relu), TypeError, ""),
    ]


@behaviours("E05: ModuleList")
def _(F: Any) -> Any:
    m = F.nn.ModuleList(numbered(F, 3))
    m.append(F.nn.Linear(1, 7))
    m.extend([F.nn.Linear(1, 8), F.nn.Linear(1, 9)])
    m[1] = F.nn.Linear(1, 5)
    del m[0]
    del m[1:3]
    return [
        outs(m), kind(m[:2]), m[-1].out_features, list(m._modules), len(m),
        refused(lambda: m[9], IndexError, "index 9 is out of range"),
        refused(lambda: m.extend(3), TypeError, "ModuleList.extend should be called with an iterable, but got int"),
        refused(lambda: m(1), NotImplementedError, 'Module [ModuleList] is missing the required "forward" function'),
        [name for name, _ in m.named_parameters()],
    ]  # fmt: skip


@behaviours("E06: ModuleDict")
def _(F: Any) -> Any:
    m = F.nn.ModuleDict({"a": F.nn.ReLU(), "b": F.nn.Tanh()})
    m["c"] = F.nn.Linear(1, 2)
    m["a"] = F.nn.SiLU()
    del m["b"]
    return [
        list(m), list(m.keys()), [kind(v) for v in m.values()], [k for k, _ in m.items()], "a" in m, len(m),
        kind(m["a"]), kind(m.a), m == m, m == F.nn.ModuleDict(m), len({m, m}), kind(m.pop("c")), list(m),
        m.clear(), list(m), refused(lambda: m["zz"], KeyError, "'zz'"), refused(lambda: m.pop("zz"), KeyError, "'zz'"),
    ]  # fmt: skip


@behaviours("E07: ParameterList")
def _(F: Any) -> Any:
    p = F.nn.ParameterList([F.ones(2), F.nn.Parameter(F.ones(2, 3))])
    p.append(F.zeros(1))
    p += [F.ones(1)]
    p[0] = F.ones(4)
    return [
        repr(p), repr(F.nn.ParameterList()), len(p), p[-1], p[0].shape, kind(p[0]), [q.requires_grad for q in p],
        [name for name, _ in p.named_parameters()], list(p.state_dict()), kind(p[:2]), len(p[:2]),
        refused(lambda: p[9], IndexError, "index 9 is out of range"),
        refused(lambda: F.nn.ParameterList().extend(3), TypeError, "ParameterList.extend should be called with"),
    ]  # fmt: skip


@behaviours("E08: ParameterDict")
def _(F: Any) -> Any:
    p = F.nn.ParameterDict({"a": F.ones(2), "b": F.nn.Parameter(F.ones(1))})
    p["c"] = F.zeros(3)
    p.update({"a": F.ones(5)})
    del p["b"]
    return [
        list(p), list(p.keys()), [v.shape for v in p.values()], [k for k, _ in p.items()], "a" in p, "b" in p, len(p),
        kind(p["c"]), p.a.shape, [name for name, _ in p.named_parameters()], list(p.state_dict()),
        p.get("zz"), kind(p.setdefault("d", F.ones(2))), p.pop("a").shape, list(p), p.clear(), len(p),
    ]  # fmt: skip


test_as_in_torch = behaviours.test()
