"""The backward loop: the only place where gradients move.

After this module a reader can say in which order nodes run and why, where gradients are summed, and when saved tensors
are freed.

The loop is a generator that runs one node per step. `backward()` and `grad()` exhaust it; the stepper looks at each
step. Nodes run in the order of their sequence numbers, the most recently made first. A result is always made after its
inputs, so by the time that a node's turn comes, all the nodes that use its result have run and its gradient is
complete: sorting once says the same as counting at each node how many gradients are still to come, and costs a third. A
leaf has no place in that order; it gets its gradient right after the last node that uses it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.graph import AccumulateGrad, Node, edge_node
from minigrad.tensor import Tensor, from_array

CYCLE_WARNING = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)

Step = tuple[Node, tuple[Any, ...], tuple[Any, ...]]
Key = Any  # where a gradient waits: a node (for its output 0) or a (node, output number)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Compute the gradients of `tensors` with respect to the graph's leaves, and add them to the leaves' `.grad`.

    Args:
        tensors: one or more results.
        grad_tensors: for each of them the weights of its elements, of its shape; None for a result with one element
            means 1.
        retain_graph: keep what the graph saved, so that it can be used again; by default as `create_graph`.
        create_graph: record the backward itself, so that gradients can be differentiated.
        inputs: add to the `.grad` of these only; nodes that lead to none of them do not run.
    """
    run = steps(tensors, grad_tensors, retain_graph, create_graph, inputs)
    if create_graph:
        warnings.warn(CYCLE_WARNING, UserWarning, stacklevel=_frames_to_caller())
    for _ in run:
        pass


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of `outputs` with respect to `inputs`, one for each input and of its shape. No `.grad` is
    touched.

    An input that the outputs do not depend on is an error, unless `allow_unused` (its gradient is None) or
    `materialize_grads` (zeros).
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    sought = _tensors(inputs, "inputs")
    if not sought:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    for tensor in sought:
        if not tensor.requires_grad:
            raise RuntimeError(
                "One of the differentiated Tensors does not require grad: make it with requires_grad=True before it "
                "is used"
            )
    captured: dict[Key, Any] = {}
    roots = _roots(outputs, grad_outputs, create_graph)
    for _ in _run(
        roots, {_key(tensor): None for tensor in sought}, captured, _retains(retain_graph, create_graph), create_graph
    ):
        pass
    results: list[Tensor | None] = []
    for index, tensor in enumerate(sought):
        gradient = captured.get(_key(tensor))
        if gradient is None and materialize_grads:
            gradient = np.zeros(tensor.shape, tensor._array.dtype)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        results.append(gradient if gradient is None or isinstance(gradient, Tensor) else from_array(gradient))
    return tuple(results)


def steps(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> Iterator[Step]:
    """`backward()`, one node per step. Wrong arguments raise at the call, before anything has run.

    Yields `(node, gradients in, gradients out)` after a node ran and before its gradients are summed to the inputs'
    shapes and passed on: one gradient in per output of the node, one out per entry of its `next_functions`; None where
    there is none. They are arrays, or tensors under `create_graph`, and the engine goes on to use them: copy what you
    keep. Stopping half way is safe.
    """
    if inputs is None:
        sought = None
    else:
        listed = _tensors(inputs, "inputs")
        if not listed:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        for tensor in listed:
            if not tensor.requires_grad:
                raise RuntimeError(
                    "One of the differentiated Tensors does not require grad: its .grad can't be computed"
                )
        sought = {_key(tensor): tensor for tensor in listed}
    return _run(
        _roots(tensors, grad_tensors, create_graph), sought, None, _retains(retain_graph, create_graph), create_graph
    )


# ---------------------------------------------------------------- the loop


def _run(
    roots: list[tuple[Tensor, Any]],
    sought: Mapping[Key, Tensor | None] | None,
    captured: dict[Key, Any] | None,
    retain: bool,
    recorded: bool,
) -> Iterator[Step]:
    """Run the nodes from the roots down.

    `sought` are the inputs to which the run is limited, if it is. Their gradients go to `captured` or, where that is
    None, to their `.grad`.
    """
    order, leaves_after, useful = _plan([_key(root) for root, _ in roots], sought)
    waiting: dict[Key, Any] = {}  # gradients that have arrived, summed up so far
    owned: set[Key] = set()  # those of them that are sums of the engine's own, so that it may add to them in place
    for root, gradient in roots:
        key = _key(root)
        waiting[key] = gradient if key not in waiting else _add(waiting[key], gradient)
    for leaf in leaves_after.get(None, ()):
        gradient = waiting.pop(leaf)
        if captured is None:
            leaf.apply(gradient)
            yield leaf, (gradient,), ()
        else:
            captured[leaf] = gradient

    for node in order:
        single = node.output_count == 1
        if single:
            gradient = waiting.pop(node, None)
            incoming: tuple[Any, ...] = (gradient,)
        else:
            incoming = tuple(
                [waiting.pop((node, number) if number else node, None) for number in range(node.output_count)]
            )
            gradient = next((gradient for gradient in incoming if gradient is not None), None)
        if node.hooks is not None:
            for hook in node.hooks:
                hook(incoming)
        if sought is not None:
            _capture(node, incoming, sought, captured)
            if node not in useful:
                continue
        if gradient is None:
            outgoing: tuple[Any, ...] = (None,) * len(node.next_nodes)
        elif recorded:
            with enable_grad():
                outgoing = node.apply_recorded(*incoming)
        else:
            outgoing = node.apply(gradient) if single else node.apply(*incoming)
        if node.keeps_tensors and not retain:
            node.saved = None
        yield node, incoming, outgoing

        if node.targets is not None:
            outgoing = fitted(node, outgoing)
        keys = node.next_nodes if sought is None and node.output_nrs is None else _keys(node, sought, useful)
        position = 0
        for passed in outgoing:
            key = keys[position]
            position += 1
            if passed is None or key is None:
                continue
            held = waiting.get(key)
            if held is None:
                waiting[key] = passed
            elif recorded:
                waiting[key] = _add(held, passed)
            elif key in owned:
                held += passed
                waiting[key] = held
            else:
                waiting[key] = held + passed
                owned.add(key)
        if node in leaves_after:
            for leaf in leaves_after[node]:
                gradient = waiting.pop(leaf, None)
                if captured is not None:
                    captured[leaf] = gradient
                elif gradient is not None:
                    leaf.apply(gradient, owned=leaf in owned or _is_new(gradient, incoming, outgoing))
                    yield leaf, (gradient,), ()


def _is_new(gradient: Any, incoming: tuple[Any, ...], outgoing: tuple[Any, ...]) -> bool:
    """Whether a rule made this array just now, so that nothing else has seen it and it may become `.grad` without a
    copy.
    """
    return (
        gradient.__class__ is np.ndarray
        and gradient.base is None
        and all(gradient is not other for other in incoming)
        and sum(gradient is other for other in outgoing) == 1
    )


def _plan(
    roots: list[Key], sought: Mapping[Key, Any] | None
) -> tuple[list[Node], dict[Node | None, list[AccumulateGrad]], set[Node | None]]:
    """Find the nodes to run, in their order, and the leaves whose gradient is complete after each (None: after the
    roots alone).

    With `sought`, only nodes that are sought themselves or that lead there; the latter, which have to run, are the
    third result.
    """
    order: list[Node] = []
    last_uses: dict[AccumulateGrad, Node | None] = {}
    seen: set[Node] = set()
    for key in roots:
        node = key[0] if isinstance(key, tuple) else key
        if isinstance(node, AccumulateGrad):
            last_uses[node] = None
        elif node not in seen:
            seen.add(node)
            order.append(node)
    for node in order:  # which grows while we walk it
        for next_node in node.next_nodes:
            if next_node is None or next_node in seen:
                continue
            if next_node.__class__ is AccumulateGrad:
                last = last_uses.get(next_node)
                if last is None or node.sequence_nr < last.sequence_nr:
                    last_uses[next_node] = node
            else:
                seen.add(next_node)
                order.append(next_node)
    order.sort(key=attrgetter("sequence_nr"), reverse=True)

    useful: set[Node | None] = seen  # type: ignore[assignment]
    if sought is not None:
        ends = {key[0] if isinstance(key, tuple) else key for key in sought}
        useful = set()
        for node in reversed(order):  # inputs before results
            if any(next_node in ends or next_node in useful for next_node in node.next_nodes):
                useful.add(node)
        order = [node for node in order if node in useful or node in ends]
        last_uses = {leaf: use for leaf, use in last_uses.items() if leaf in ends}
    leaves_after: dict[Node | None, list[AccumulateGrad]] = {}
    for leaf, use in last_uses.items():
        leaves_after.setdefault(use, []).append(leaf)
    return order, leaves_after, useful


def _keys(node: Node, sought: Mapping[Key, Any] | None, useful: set[Key]) -> list[Key]:
    """Where a node's outgoing gradients go; None for those that nobody asked for."""
    keys: list[Key] = []
    for next_node, number in node.next_functions:
        key = (next_node, number) if number else next_node
        keys.append(key if sought is None or key in sought or next_node in useful else None)
    return keys


def _capture(
    node: Node, incoming: tuple[Any, ...], sought: Mapping[Key, Tensor | None], captured: dict[Key, Any] | None
) -> None:
    """Keep the gradients of a node's outputs that were asked for."""
    for number, gradient in enumerate(incoming):
        key = (node, number) if number else node
        if key in sought and gradient is not None:
            if captured is not None:
                captured[key] = gradient
            else:
                AccumulateGrad.accumulate(sought[key], gradient)  # type: ignore[arg-type]


def _add(held: Any, gradient: Any) -> Any:
    """Sum two gradients; recorded if they are tensors."""
    with enable_grad():
        return held + gradient


def fitted(node: Node, outgoing: tuple[Any, ...]) -> tuple[Any, ...]:
    """Bring gradients back to the shape and dtype of their inputs, where these were broadcast or promoted."""
    fitted = []
    with enable_grad():
        for gradient, target in zip(outgoing, node.targets or (), strict=True):
            fitted.append(
                gradient
                if gradient is None or target is None
                else to_dtype(sum_to_shape(gradient, target[0]), target[1])
            )
    return tuple(fitted)


def sum_to_shape(gradient: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum a gradient (array or tensor) over the dimensions along which its input was repeated."""
    return gradient if tuple(gradient.shape) == shape else _functions(gradient).sum_to(gradient, shape)


def to_dtype(gradient: Any, dtype: np.dtype[Any]) -> Any:
    """Bring a gradient (array or tensor) to its input's numpy dtype."""
    own = gradient._array.dtype if isinstance(gradient, Tensor) else gradient.dtype
    return gradient if own == dtype else _functions(gradient).cast(gradient, dtype)


def _functions(gradient: Any) -> Any:
    from minigrad.op import arrays, tensors

    return tensors if isinstance(gradient, Tensor) else arrays


# ---------------------------------------------------------------- arguments


def _frames_to_caller() -> int:
    """How many frames up the learner's own code called, so that a warning points there."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("minigrad.") and frame.f_back is not None:
        frame = frame.f_back
        level += 1
    return level


def _retains(retain_graph: bool | None, create_graph: bool) -> bool:
    return create_graph if retain_graph is None else retain_graph


def _key(tensor: Tensor) -> Key:
    """Where the gradient of a tensor arrives."""
    node = edge_node(tensor)
    return (node, tensor.output_nr) if tensor.output_nr else node


def _tensors(value: Any, name: str) -> list[Tensor]:
    """One tensor or several, as a list."""
    listed = [value] if isinstance(value, Tensor) else list(value) if isinstance(value, Iterable) else [value]
    for item in listed:
        if not isinstance(item, Tensor):
            raise TypeError(
                f"{name} must be a Tensor or a sequence of Tensors, but got {type(item).__name__}: {item!r}"
            )
    return listed


def _roots(tensors: Any, grad_tensors: Any, create_graph: bool) -> list[tuple[Tensor, Any]]:
    """Check the roots and the gradients to start from; return them in pairs, gradients as arrays unless recorded."""
    roots = _tensors(tensors, "tensors to differentiate")
    if grad_tensors is None:
        given: list[Any] = [None] * len(roots)
    elif isinstance(grad_tensors, Tensor) or not isinstance(grad_tensors, Iterable):
        given = [grad_tensors]
    else:
        given = list(grad_tensors)
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    pairs = []
    for index, (root, gradient) in enumerate(zip(roots, given, strict=True)):
        if gradient is not None and not isinstance(gradient, Tensor):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(gradient).__name__}: try tensor({gradient!r})"
            )
        if not root.requires_grad:
            raise RuntimeError(
                f"element {index} of tensors does not require grad and does not have a grad_fn. Nothing that it was "
                "computed from was "
                "made with requires_grad=True, or it was computed under no_grad() or after detach(), so there is no "
                "graph to go back through."
            )
        if gradient is None:
            if root.numel() != 1:
                raise RuntimeError(
                    "grad can be implicitly created only for scalar outputs. This output has shape "
                    f"{list(root.shape)}: reduce it first, "
                    "as in .sum().backward(), or say how much each element counts, as in "
                    ".backward(gradient=ones_like(...))."
                )
            gradient = from_array(np.ones(root.shape, root._array.dtype)[()])
        elif gradient.shape != root.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {gradient.shape} and output[{index}] has a "
                f"shape of {root.shape}."
            )
        start = gradient if create_graph else gradient._array
        pairs.append((root, to_dtype(start, root._array.dtype)))
    return pairs
