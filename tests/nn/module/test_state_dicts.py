"""state_dict and load_state_dict, and what is said where they do not fit."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.side_by_side import Behaviours
from nn.module.networks import kind, net

behaviours = Behaviours()


@behaviours("F01: state_dict has parameters and persistent buffers")
def _(F: Any) -> Any:
    state = net(F).state_dict()
    return [dict(state), kind(state["scale"]), [(k, dict(v)) for k, v in state._metadata.items()]]


@behaviours("F02: prefix and keep_vars")
def _(F: Any) -> Any:
    module = net(F)
    state = module.state_dict(prefix="net.", keep_vars=True)
    return [list(state), state["net.scale"] is module.scale]


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


@behaviours("F10: loading converts to the module's dtype")
def _(F: Any) -> Any:
    layer = F.nn.Linear(1, 1)
    layer.load_state_dict({"weight": F.ones(1, 1, dtype=F.float64), "bias": F.ones(1, dtype=F.int64)})
    return list(layer.parameters())


@behaviours("F16: a number where a tensor of one element was kept")
def _(F: Any) -> Any:
    module = F.nn.Module()
    module.register_buffer("n", F.tensor(1.0))
    module.load_state_dict({"n": F.tensor([4.0])})
    return module.n


test_as_in_torch = behaviours.test()
