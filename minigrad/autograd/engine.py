"""The backward loop: the only place where gradients move.

After this module a reader can say in which order nodes run and why, where gradients are summed, and when saved tensors
are freed.

The loop is a generator that runs one node per step. `backward()` and `grad()` exhaust it; the stepper looks at each
step, and a profiler is told when a node begins and ends. Nodes run in the order of their sequence numbers, the most
recently made first. A result is always made after its inputs, so by the time that a node's turn comes, all the nodes
that use its result have run and its gradient is complete: sorting once says the same as counting at each node how many
gradients are still to come, and costs a third. A leaf has no place in that order; it gets its gradient right after the
last node that uses it.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd import batching
from minigrad.autograd.anomaly_mode import warn_of_failure, watched
from minigrad.autograd.arguments import Key, as_list, checked_inputs, checked_roots, sought_key
from minigrad.autograd.batching import Batched
from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.fitting import fit
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.graph import AccumulateGrad, GradientEdge, Node
from minigrad.autograd.hooks import BackwardRun
from minigrad.autograd.modes import current_state, inherit, modes, thread
from minigrad.tensor_base import TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

CYCLE_WARNING = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)

DEEPEST = 20  # how many backward runs one thread nests: each takes about ten of the thousand calls that it may nest

Step = tuple[Node, tuple[Any, ...], tuple[Any, ...]]


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
    run = _prepared(tensors, grad_tensors, retain_graph, create_graph, inputs)
    if create_graph:
        warnings.warn(CYCLE_WARNING, UserWarning, stacklevel=frames_to_learner())
    exhaust(*run)


def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge] | dict[Any, Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`, one for each input and of its shape, as a tuple; as a
    dict if the inputs are one. No `.grad` is touched.

    An input that the outputs do not depend on is an error, unless `allow_unused` (its gradient is None) or
    `materialize_grads` (zeros). (`only_inputs` does nothing; PyTorch still takes it.)

    With `is_grads_batched` each of `grad_outputs` has one dimension more, the first, which counts several gradients;
    those that come back have it, too. They go through the graph together, in one pass. (One after the other where
    somebody looks on: with create_graph, with hooks on the way, and in anomaly mode.)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use minigrad.autograd.backward.",
            FutureWarning,
            stacklevel=frames_to_learner(),
        )
    sought = checked_inputs(inputs, "grad()")
    roots = checked_roots(outputs, grad_outputs, create_graph, is_grads_batched)
    for tensor in sought:
        if isinstance(tensor, TensorBase) and not tensor.requires_grad:
            raise RuntimeError(
                "One of the differentiated Tensors does not require grad: make it with requires_grad=True before it "
                "is used"
            )
    captured: dict[Key, Any] = {}
    keys = [sought_key(tensor) for tensor in sought]
    retain = _retains(retain_graph, create_graph)
    if is_grads_batched and (create_graph or modes.anomaly is not None or _has_hooks(roots, set(keys))):
        captured = _one_by_one(roots, set(keys), retain, create_graph)
    else:
        exhaust(*_run(roots, set(keys), captured, retain, create_graph))
    given = {id(g._array): g for g in as_list(grad_outputs) if isinstance(g, TensorBase)}
    results: list[Any] = []
    for index, (tensor, key) in enumerate(zip(sought, keys, strict=True)):
        gradient = captured.get(key)
        if gradient is None and materialize_grads:
            if isinstance(tensor, GradientEdge):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            gradient = from_array(np.zeros(tensor.shape, tensor._array.dtype)).requires_grad_(create_graph)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        elif is_grads_batched and gradient is not None and not isinstance(gradient, TensorBase):
            gradient = from_array(batching.as_batch(gradient, _row_count(roots)).array)
        elif gradient is not None and not isinstance(gradient, TensorBase):
            gradient = given[id(gradient)] if id(gradient) in given else from_array(gradient)
        results.append(gradient)
    return dict(zip(inputs, results, strict=True)) if isinstance(inputs, dict) else tuple(results)


def _has_hooks(roots: list[tuple[Key, Any]], sought: Set[Key]) -> bool:
    """Whether anybody looks on while gradients pass from the roots to where they are sought."""
    order, leaves_after, _ = _plan([key for key, _ in roots], sought, True)
    leaves = [leaf for leaves in leaves_after.values() for leaf in leaves]
    return any(node._hooks is not None for node in [*order, *leaves])


def _row_count(roots: list[tuple[Key, Any]]) -> int:
    """How many gradients the batches have that a run starts from."""
    start = roots[0][1]
    return len(start.array if start.__class__ is Batched else start)


def _one_by_one(roots: list[tuple[Key, Any]], sought: Set[Key], retain: bool, recorded: bool) -> dict[Key, Any]:
    """What a run with batches captures, by a run for each row."""
    count = _row_count(roots)
    rows: list[dict[Key, Any]] = []
    for number in range(count):
        rows.append({})
        with enable_grad():
            starts = [(key, start[number] if recorded else start.array[number]) for key, start in roots]
        exhaust(*_run(starts, sought, rows[-1], retain or number < count - 1, recorded))
    found = {key for row in rows for key in row}
    return {key: batching.stacked([row.get(key) for row in rows]) for key in found}


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
    return _prepared(tensors, grad_tensors, retain_graph, create_graph, inputs)[0]


def _prepared(
    tensors: Any, grad_tensors: Any, retain_graph: bool | None, create_graph: bool, inputs: Any
) -> tuple[Iterator[Step], BackwardRun]:
    """A run of backward(), with its arguments checked."""
    roots = checked_roots(tensors, grad_tensors, create_graph)
    sought = None
    if inputs is not None:
        listed = checked_inputs(inputs, "backward()")
        for tensor in listed:
            if isinstance(tensor, TensorBase):
                tensor.retain_grad()  # results keep theirs from now on, leaves do anyway
        sought = {sought_key(tensor) for tensor in listed}
    return _run(roots, sought, None, _retains(retain_graph, create_graph), create_graph)


def exhaust(steps: Iterator[Step], this_run: BackwardRun) -> None:
    """Run all steps. Runs within runs go on in a new thread from some depth on, since Python limits the depth of each
    thread's calls.
    """
    if thread.depth < DEEPEST:
        thread.depth += 1
        try:
            with this_run:
                for _ in steps if (profiler := modes.profiler) is None else profiler.backward_run(steps):
                    pass
        finally:
            thread.depth -= 1
        return
    state = current_state()
    errors: list[BaseException] = []

    def go_on() -> None:
        inherit(state)
        try:
            exhaust(steps, this_run)
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=go_on)
    worker.start()
    worker.join()
    if errors:
        raise errors[0]


def _retains(retain_graph: bool | None, create_graph: bool) -> bool:
    return create_graph if retain_graph is None else retain_graph


# ---------------------------------------------------------------- the loop


def _run(
    roots: list[tuple[Key, Any]],
    sought: Set[Key] | None,
    captured: dict[Key, Any] | None,
    retain: bool,
    recorded: bool,
) -> tuple[Iterator[Step], BackwardRun]:
    """Run the nodes from the roots down.

    `sought` is where the gradients arrive to which the run is limited, if it is. They go to `captured` or, where that
    is None, to `.grad`.
    """
    this_run = BackwardRun(limited=sought is not None)
    steps = _loop(roots, sought, captured, retain, recorded, this_run)
    return watched(steps) if modes.anomaly else steps, this_run


def _loop(
    roots: list[tuple[Key, Any]],
    sought: Set[Key] | None,
    captured: dict[Key, Any] | None,
    retain: bool,
    recorded: bool,
    this_run: BackwardRun,
) -> Iterator[Step]:
    order, leaves_after, useful = _plan([key for key, _ in roots], sought, captured is not None)
    reached: Set[Node | None] = useful if sought is None else set(order)
    starts = [key[0] if isinstance(key, tuple) else key for key, _ in roots]
    this_run.reaches(order, leaves_after, starts[0] if len(starts) == 1 else None)
    waiting: dict[Key, Any] = {}  # gradients that have arrived, summed up so far
    owned: set[Key] = set()  # those of them that are sums of the engine's own, so that it may add to them in place
    # Sums are new values, not written to, where they are tensors or batches.
    keeps_terms = recorded or any(gradient.__class__ is Batched for _, gradient in roots)
    profiler = modes.profiler
    plain = sought is None and not recorded and profiler is None
    for key, gradient in roots:
        waiting[key] = gradient if key not in waiting else _add(waiting[key], gradient)
    for leaf in leaves_after.get(None, ()):
        gradient = waiting.pop(leaf)
        if sought is not None and leaf not in sought:
            if leaf._hooks is not None:  # a root's hooks run in any case
                with this_run:
                    leaf._hooks.run_for_tensors(leaf, (gradient,), recorded)
            continue
        leaf._shape = gradient.shape  # a root is checked against what it is now
        if _deliver(leaf, gradient, False, captured, recorded, this_run):
            yield leaf, (gradient,), ()

    for node in order:
        single = node._output_count == 1
        if single:
            gradient = waiting.pop(node, None)
            incoming: tuple[Any, ...] = (gradient,)
        else:
            incoming = tuple(
                [waiting.pop((node, number) if number else node, None) for number in range(node._output_count)]
            )
            gradient = next((gradient for gradient in incoming if gradient is not None), None)
        try:
            if plain and gradient is not None and node._hooks is None:  # the usual case
                keys = node._next_nodes if node._output_nrs is None else _keys(node, sought, reached)
                outgoing = node.apply(gradient) if single else node.apply(*incoming)
            else:
                if profiler is not None:
                    profiler.next_node(node)
                if sought is not None or node._hooks is not None:
                    incoming = _arrived(node, incoming, sought, node in useful, captured, recorded, this_run)
                    if node not in useful:
                        continue
                keys = _keys(node, sought, reached)
                with this_run:
                    incoming, outgoing = _run_node(node, incoming, recorded, keys)
        except Exception as error:
            if thread.witness is not None:
                thread.witness.failed(node)
            if modes.anomaly is not None:
                warn_of_failure(node)
            if isinstance(error, ValueError) and "broadcast" in str(error) and not node._is_custom:
                raise RuntimeError(
                    f"{node.name()} could not compute its gradient, since the sizes do not match: {error}. A tensor "
                    "that it saved was given another shape, by `.data = ...`, after the forward pass."
                ) from None
            raise
        if node._keeps_tensors and not retain:
            node._kept = None
        yield node, incoming, outgoing

        if node._targets is not None:
            outgoing = fit(node, outgoing)
        position = 0
        try:
            for passed in outgoing:
                key = keys[position]
                position += 1
                if passed is None or key is None:
                    continue
                held: Any = waiting.get(key)
                if held is None:
                    waiting[key] = passed
                elif keeps_terms:
                    waiting[key] = _add(held, passed)
                elif key in owned:
                    held += passed
                    waiting[key] = held
                else:
                    waiting[key] = held + passed
                    owned.add(key)
        except (ValueError, RuntimeError):
            if key.__class__ is AccumulateGrad and passed.shape != held.shape:
                got: Any = held if passed.shape == key._shape else passed
                raise _other_shape(node, position - 1, got.shape, key._shape) from None
            raise
        if node in leaves_after:
            for leaf in leaves_after[node]:
                gradient = waiting.pop(leaf, None)
                if gradient is not None:
                    if captured is None and gradient.shape != leaf._shape:
                        raise _other_shape(node, node._next_nodes.index(leaf), gradient.shape, leaf._shape)
                    ours = leaf in owned or _is_new(node, gradient, incoming, outgoing)
                    if _deliver(leaf, gradient, ours, captured, recorded, this_run):
                        yield leaf, (gradient,), ()


def _other_shape(node: Node, index: int, got: Sequence[int], expected: Sequence[int]) -> RuntimeError:
    return RuntimeError(
        f"Function {node.name()} returned an invalid gradient at index {index} - got {list(got)} but expected shape "
        f"compatible with {list(expected)}. It goes to a leaf whose shape was changed, by `.data = ...` or in place, "
        "between the operations that used it."
    )


def _deliver(
    leaf: AccumulateGrad,
    gradient: Any,
    owned: bool,
    captured: dict[Key, Any] | None,
    recorded: bool,
    this_run: BackwardRun,
) -> bool:
    """Hand a leaf its complete gradient; return whether that went to `.grad`."""
    if (profiler := modes.profiler) is not None:
        profiler.next_node(leaf)
    if leaf._hooks is None:
        if captured is None:
            apply = leaf.apply if profiler is None else profiler.timed(leaf, leaf.apply)
            apply(gradient, owned=owned)
        else:
            captured[leaf] = gradient
        return captured is None
    try:
        with this_run:
            incoming = leaf._hooks.run_for_tensors(leaf, (gradient,), recorded)
            if captured is None:
                _run_node(leaf, incoming, recorded)
            else:
                captured[leaf] = incoming[0]
    except Exception:
        if thread.witness is not None:
            thread.witness.failed(leaf)
        if modes.anomaly is not None:
            warn_of_failure(leaf)
        raise
    return captured is None


def _run_node(
    node: Node, incoming: tuple[Any, ...], recorded: bool, keys: Sequence[Key] = ()
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Run a node between its hooks; return the gradients that went in, and that came out: None for those that are
    wanted nowhere, which have None in `keys`.
    """
    hooks = node._hooks
    if hooks is not None:
        incoming = hooks.run_before(node, incoming, recorded)
    if all(gradient is None for gradient in incoming) and not node._is_custom:
        outgoing: tuple[Any, ...] = (None,) * len(node._next_nodes)
    else:
        apply = node.apply_recorded if recorded else node.apply
        if not recorded and Batched in map(type, incoming):
            apply = functools.partial(_run_batched, node)
        if (profiler := modes.profiler) is not None:
            apply = profiler.timed(node, apply)
        outgoing = _run_recorded(node, apply, incoming) if recorded else apply(*incoming)
    shows_all = node._is_custom or (node._gives_all and any(key is not None for key in keys))
    if not shows_all:
        outgoing = tuple([None if key is None else passed for passed, key in zip(outgoing, keys, strict=True)])
    if hooks is not None:
        if node._targets is not None:
            outgoing = fit(node, outgoing)
        if isinstance(node, AccumulateGrad):
            hooks.run_after_accumulate(node, node.variable, recorded)
        outgoing = hooks.run_after(node, outgoing, incoming, recorded)
    return incoming, outgoing


def _run_batched(node: Node, *incoming: Any) -> tuple[Any, ...]:
    return batching.run(node, incoming)


def _run_recorded(node: Node, apply: Callable[..., Any], incoming: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run a node on tensors, by its `apply_recorded`, with what it does recorded."""
    previous, thread.evaluating = thread.evaluating, node
    try:
        with enable_grad():
            return apply(*incoming)
    finally:
        thread.evaluating = previous


def _is_new(node: Node, gradient: Any, incoming: tuple[Any, ...], outgoing: tuple[Any, ...]) -> bool:
    """Whether a rule made this array just now, so that nothing else has seen it and it may become `.grad` without a
    copy.
    """
    return (
        gradient.__class__ is np.ndarray
        and gradient.base is None
        and node._hooks is None
        and not node._is_custom
        and all(gradient is not other for other in incoming)
        and sum(gradient is other for other in outgoing) == 1
    )


def _plan(
    roots: list[Key], sought: Set[Key] | None, captures: bool
) -> tuple[list[Node], dict[Node | None, list[AccumulateGrad]], set[Node | None]]:
    """Find the nodes to run, in their order, and the leaves whose gradient is complete after each (None: after the
    roots alone).

    With `sought`, only nodes that are sought themselves or that lead there. The third result are those that have to
    run: if gradients are only to be captured, a node that is sought itself need not.
    """
    starts = {key[0] if isinstance(key, tuple) else key for key in roots}  # their tensors' hooks run in any case
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
        for next_node in node._next_nodes:
            if next_node is None or next_node in seen:
                continue
            if next_node.__class__ is AccumulateGrad:
                last = last_uses.get(next_node)
                if last is None or node._sequence < last._sequence:
                    last_uses[next_node] = node
            else:
                seen.add(next_node)
                order.append(next_node)
    order.sort(key=attrgetter("_sequence"), reverse=True)

    useful: set[Node | None] = seen  # type: ignore[assignment]
    if sought is not None:
        ends = {key[0] if isinstance(key, tuple) else key for key in sought if key is not None}
        useful = set() if captures else {node for node in order if node in ends}
        for node in reversed(order):  # inputs before results
            if any(next_node in ends or next_node in useful for next_node in node._next_nodes):
                useful.add(node)
        order = [node for node in order if node in useful or node in ends or node in starts]
        last_uses = {leaf: use for leaf, use in last_uses.items() if leaf in ends or leaf in starts}
    leaves_after: dict[Node | None, list[AccumulateGrad]] = {}
    for leaf, use in last_uses.items():
        leaves_after.setdefault(use, []).append(leaf)
    return order, leaves_after, useful


def _keys(node: Node, sought: Set[Key] | None, reached: Set[Node | None]) -> list[Key]:
    """Where a node's outgoing gradients go; None for those that nobody asked for.

    A node that is sought for one of its outputs gets the gradients of all: they may have hooks.
    """
    keys: list[Key] = []
    for next_node, number in node.next_functions:
        key = (next_node, number) if number else next_node
        keys.append(key if sought is None or key in sought or next_node in reached else None)
    return keys


def _arrived(
    node: Node,
    incoming: tuple[Any, ...],
    sought: Set[Key] | None,
    runs: bool,
    captured: dict[Key, Any] | None,
    recorded: bool,
    this_run: BackwardRun,
) -> tuple[Any, ...]:
    """The gradients of a node's outputs are complete: show them to the hooks there, and keep those that were sought.

    Like PyTorch, grad() gets them from after the hooks, but from before them if the node is to run as well.
    """
    before = incoming
    if node._hooks is not None:
        with this_run:
            incoming = node._hooks.run_for_tensors(node, incoming, recorded)
    if captured is not None and sought is not None:
        for number, gradient in enumerate(before if runs else incoming):
            key = (node, number) if number else node
            if key in sought and gradient is not None:
                captured[key] = gradient
    return incoming


def _add(held: Any, gradient: Any) -> Any:
    """Sum two gradients; recorded if they are tensors."""
    with enable_grad():
        return held + gradient
