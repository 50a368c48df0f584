"""The backward loop: the only place where gradients move.

The loop is a generator that runs one node per step, sums the gradients that come out where they arrive, and frees what
the node saved. `backward()` and `grad()` exhaust it; the stepper looks at each step, and a profiler is told when a node
begins and ends. In which order nodes run, and which, is told in run.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd import batching
from minigrad.autograd.anomaly_mode import Step, steps_until_nan
from minigrad.autograd.arguments import as_list, key_of, listed_inputs, roots_of
from minigrad.autograd.blame import keep_silent, warn
from minigrad.autograd.fitting import fit, invalid_gradient
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.modes import modes, thread
from minigrad.autograd.node import AccumulateGrad, GradientEdge, Node
from minigrad.autograd.run import BackwardRun, Gradients, Key, key_at
from minigrad.stopping import call_in_new_thread
from minigrad.tensor_base import TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

DEEPEST = 20  # how many backward runs one thread nests: each takes about ten of the thousand calls that it may nest

CYCLE_MESSAGE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)

Steps = Iterator[Step]
TensorsOrEdges = Any  # Tensor | GradientEdge, or a sequence of these; of inputs also a dict


def backward(
    tensors: TensorsOrEdges,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: TensorsOrEdges | None = None,
) -> None:
    """Compute the gradients of `tensors` with respect to the graph's leaves, and add them to the leaves' `.grad`.

    Args:
        tensors: one or more results, or edges that stand for them.
        grad_tensors: for each of them the weights of its elements, of its shape; None for a result with one element
            means 1. (`grad_variables` is an older name of it.)
        retain_graph: keep what the graph saved, so that it can be used again; by default as `create_graph`.
        create_graph: record the backward itself, so that gradients can be differentiated.
        inputs: add to the `.grad` of these only; nodes that lead to none of them do not run.
    """
    weights = grad_tensors if grad_variables is None else _under_older_name(grad_variables, grad_tensors)
    run = _prepare_run(tensors, weights, retain_graph, create_graph, inputs)
    if create_graph:
        warn(CYCLE_MESSAGE)
    exhaust(run)


def _under_older_name(grad_variables: Any, grad_tensors: Any) -> Any:
    """The gradients that backward() was given as `grad_variables`."""
    warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
    if grad_tensors is not None:
        both = "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`."
        raise RuntimeError(f"{both} Please only use `grad_tensors`.")
    return grad_variables


def grad(
    outputs: TensorsOrEdges,
    inputs: TensorsOrEdges,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`, one for each input and of its shape, as a tuple, or
    as a dict if `inputs` is one. No `.grad` is touched.

    An input that the outputs do not depend on is an error, unless `allow_unused` (its gradient is None) or
    `materialize_grads` (zeros). (`only_inputs` does nothing; PyTorch still takes it, and warns of False.)

    With `is_grads_batched` each of `grad_outputs` has one dimension more, the first, which counts several gradients;
    those that come back have it, too. They go through the graph together, in one pass. (One after the other with
    create_graph, with hooks on the way, and in anomaly mode.)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use minigrad.autograd.backward.",
            FutureWarning,
        )
    input_list, output_list = listed_inputs(inputs, "grad()"), as_list(outputs)
    weights: list[Any] = [None] * len(output_list) if grad_outputs is None else as_list(grad_outputs)
    roots = roots_of(output_list, weights, create_graph, is_grads_batched)
    captured: dict[Key, Any] = {}
    keys = [key_of(input) for input in input_list]
    run = BackwardRun(roots, set(keys), captured, retain_graph, create_graph)
    watched = create_graph or modes.anomaly is not None or any(node._hooks is not None for node in run.nodes())
    if is_grads_batched and watched:
        rows = _rows(output_list, input_list, weights, run.retain, create_graph)
        captured = dict(zip(keys, batching.stack_results(rows), strict=True))
    else:
        exhaust(run)
    results = [captured.get(key) for key in keys]
    for index, (input, gradient) in enumerate(zip(input_list, results, strict=True)):
        if gradient is None and materialize_grads:
            if isinstance(input, GradientEdge):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            results[index] = from_array(np.zeros(input.shape, input._array.dtype)).requires_grad_(create_graph)
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        elif gradient is not None and not isinstance(gradient, TensorBase):
            array = batching.as_batch(gradient, len(weights[0])).array if is_grads_batched else gradient
            same = [weight for weight in weights if weight is not None and weight._array is array]
            results[index] = same[0] if same else from_array(array)
    return dict(zip(inputs, results, strict=True)) if isinstance(inputs, dict) else tuple(results)


def _rows(outputs: list[Any], inputs: list[Any], batches: list[Any], retain: bool, create_graph: bool) -> list[Any]:
    """What grad() gives for each row of a batch of gradients, by a run for each."""
    with enable_grad():
        rows = list(zip(*batches, strict=True))
    return [grad(outputs, inputs, row, retain or row is not rows[-1], create_graph, allow_unused=True) for row in rows]


def steps(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> Steps:
    """`backward()`, with its arguments, one node per step. Wrong arguments raise at the call, before anything has run.

    Yields `(node, gradients in, gradients out)` after a node ran and before its gradients are summed to the inputs'
    shapes and passed on: one gradient in per output of the node, one out per entry of its `next_functions`; None where
    there is none. They are arrays, or tensors under `create_graph`, and the engine goes on to use them: copy what you
    keep. Stopping half way is safe.
    """
    return _steps(_prepare_run(tensors, grad_tensors, retain_graph, create_graph, inputs))


def _steps(run: BackwardRun) -> Steps:
    return steps_until_nan(_loop(run)) if modes.anomaly else _loop(run)


def _prepare_run(tensors: Any, grad_tensors: Any, retain_graph: Any, create_graph: bool, inputs: Any) -> BackwardRun:
    """A run of backward(), with its arguments checked."""
    outputs = as_list(tensors)
    weights = [None] * len(outputs) if grad_tensors is None else as_list(grad_tensors)
    roots = roots_of(outputs, weights, create_graph)
    input_list = None if inputs is None else listed_inputs(inputs, "backward()")
    keys = set[Key]()
    for input in input_list or ():
        input.retain_grad()  # results keep theirs from now on, leaves do anyway
        keys.add(key_of(input))
    return BackwardRun(roots, None if inputs is None else keys, None, retain_graph, create_graph)


def exhaust(run: BackwardRun, in_new_thread: bool = False) -> None:
    """Run all steps. Runs within runs go on in a new thread from some depth on, since Python limits the depth of each
    thread's calls.
    """
    if run.depth % DEEPEST == 0 and not in_new_thread:
        _exhaust_in_new_thread(run)
        return
    with run:
        for _ in _steps(run) if (profiler := modes.profiler) is None else profiler.backward_run(_steps(run)):
            pass


def _exhaust_in_new_thread(run: BackwardRun) -> None:
    """Run all steps in a thread of their own, with this one's modes, and wait for it."""
    state = dict(vars(thread))

    def go_on() -> None:
        vars(thread).update(state)  # also the count of what is unusual, since this thread waits
        exhaust(run, in_new_thread=True)

    call_in_new_thread(go_on)


# ---------------------------------------------------------------- the loop


class Sums:
    """The gradients that have arrived and wait for their node's turn, summed up."""

    def __init__(self, run: BackwardRun) -> None:
        self.run, self.arrived = run, dict[Key, Any]()
        self.owned: set[Key] = set()  # where it is a sum of the engine's own, which may be added to in place
        # Tensors and batches are not written to: each sum is a new value.
        self.keeps_terms = run.recorded or any(gradient.__class__ is batching.Batched for _, gradient in run.roots)
        for key, gradient in run.roots:
            if key in self.arrived:
                self.add(key, gradient)
            else:
                self.arrived[key] = gradient

    def add(self, key: Key, gradient: Any) -> None:
        """Add a gradient to what arrived there before. The first that arrives is borrowed, and kept as it is; the sum
        with the second is our own, and from the third on it is added to in place.
        """
        if self.keeps_terms:
            with self.run:
                self.arrived[key] = self.arrived[key] + gradient
        elif key in self.owned:
            self.arrived[key] += gradient
        else:
            self.arrived[key] = self.arrived[key] + gradient
            self.owned.add(key)

    def take(self, node: Node) -> Gradients:
        """The gradients of a node's outputs, which are complete now."""
        return tuple([self.arrived.pop(key_at(node, number), None) for number in range(node._output_count)])


def _loop(run: BackwardRun) -> Steps:
    sums = Sums(run)
    arrived, owned, leaves_after = sums.arrived, sums.owned, run.leaves_after
    plain = run.limits is None and not run.recorded and modes.profiler is None
    keep_silent()
    yield from _leaf_steps(run, sums, None, (), ())

    for node in run.order:
        single = node._output_count == 1
        incoming = (arrived.pop(node, None),) if single else sums.take(node)
        keys = node._next_nodes if plain and node._output_nrs is None else run.keys(node)
        try:
            if plain and single and node._hooks is None and incoming[0] is not None:  # the usual case
                outgoing: Gradients | None = node.apply(incoming[0])
            else:
                incoming, outgoing = run.run_node(node, incoming, keys)
        except Exception as error:
            run.explain(node, error)
            raise
        if outgoing is None:
            continue
        if node._keeps_tensors and not run.retain:
            node._kept = None
        yield node, incoming, outgoing

        if node._targets is not None:
            outgoing = fit(node, outgoing)
        position = 0  # zip() would take longer
        try:
            for gradient in outgoing:
                key = keys[position]
                position += 1
                if gradient is None or key is None:
                    continue
                held = arrived.get(key)
                if held is None:
                    arrived[key] = gradient
                elif key in owned:  # as sums.add() does: most sums have many terms
                    held += gradient
                    arrived[key] = held
                else:
                    sums.add(key, gradient)
        except (ValueError, RuntimeError):
            if key.__class__ is AccumulateGrad and held is not None and gradient.shape != held.shape:
                raise other_shape(node, key, held if gradient.shape == key._shape else gradient) from None
            raise
        if node in leaves_after:
            yield from _leaf_steps(run, sums, node, incoming, outgoing)


def _leaf_steps(run: BackwardRun, sums: Sums, node: Node | None, incoming: Gradients, outgoing: Gradients) -> Steps:
    """Deliver the gradients that are complete after a node, or after the roots alone."""
    for leaf in run.leaves_after.get(node, ()):
        gradient = sums.arrived.pop(leaf, None)
        if gradient is None:
            continue
        if node is not None and gradient.shape != leaf._shape and run.captured is None:
            raise other_shape(node, leaf, gradient)
        owned = node is not None and (leaf in sums.owned or _is_new(node, gradient, incoming, outgoing))
        added: Gradients | None = ()
        if leaf._hooks is None and run.limits is None:  # the usual case
            apply = leaf.apply if modes.profiler is None else modes.profiler.apply_of_leaf(leaf)
            apply(gradient, owned=owned)
        else:
            added = run.run_leaf(leaf, gradient)
        if added is not None:
            yield leaf, (gradient,), ()


def other_shape(node: Node, leaf: AccumulateGrad, gradient: Any) -> RuntimeError:
    """The error for a gradient that has another shape than its leaf had when it was first used."""
    error = invalid_gradient(node, node._next_nodes.index(leaf), gradient.shape, leaf._shape)
    return RuntimeError(f"{error}. It goes to a leaf whose shape was changed, by .data or in place, between two uses.")


def _is_new(node: Node, gradient: Any, incoming: Gradients, outgoing: Gradients) -> bool:
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
