"""What each node of a graph is called, and the text that stands in its box.

All nodes of a picture get names that differ, and each box the piece of the learner's code that made it. naming.py has
the single rules; here they are applied to a whole graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from minigrad.viz.graph import naming, values
from minigrad.viz.graph.calls import Place, executions
from minigrad.viz.graph.naming import LONGEST, Variables, op_word
from minigrad.viz.graph.observer import Span, source_text
from minigrad.viz.graph.one_line import with_names
from minigrad.viz.graph.source import Node, Source, Tensor

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@", "mm": "@", "dot": "@"}


class NodeNames:
    """The names of the nodes of one graph, and their expressions.

    Args:
        nodes: all of them, inputs first.
        spans: node -> the piece of code that made it.
        consumers: node -> the nodes that use it.
        ways: node -> the calls in which it was made.
        variables: the tensors that the learner can name.
        known: node -> what another picture calls it.
        parameters: the leaf of a module that no variable holds -> its name.
    """

    def __init__(
        self,
        nodes: list[Any],
        spans: Mapping[Any, Span | None],
        consumers: Mapping[Any, list[Any]],
        ways: Mapping[Any, Sequence[Place]],
        variables: Variables,
        known: Mapping[Any, str],
        parameters: Mapping[Any, str],
    ) -> None:
        self.source = variables.source
        self.spans = {node: naming.whole_call(span) for node, span in spans.items()}
        self.consumers = consumers
        self.executions = executions({node: ways.get(node, ()) for node in nodes if not self.source.is_leaf(node)})
        self.variables = variables
        self.parameters = parameters
        self.names: dict[Any, str] = {}
        self.by_text: dict[Any, str] = {}  # leaves that are called as the code calls them
        self.plain: dict[str, Any] = {}  # a name without a number -> the one that it means of several with that name
        self.numbered: set[Any] = set()  # those that have only a number for a name
        self.nodes = nodes
        self._name_all(nodes, known)

    def _name_all(self, nodes: list[Any], known: Mapping[Any, str]) -> None:
        names = {node: known.get(node) or self._variable_name(node) for node in nodes}
        self.names |= {node: name for node, name in names.items() if name is not None}
        taken = self.variables.taken | set(self.names.values())
        self._name_by_assignments(nodes, taken)
        taken |= set(self.names.values())
        leaves = {
            node: self._text_of_leaf(node) for node in nodes if self.source.is_leaf(node) and node not in self.names
        }
        self.by_text = naming.names_by_text(leaves, taken)
        self.names |= self.by_text
        taken |= set(self.names.values())
        most = len(nodes) + len(taken) + 2
        first = (name for name in (f"t{k}" for k in range(most)) if name not in taken)
        second = (name for name in (f"g{k}" for k in range(1, most)) if name not in taken)
        for node in nodes:
            if node not in self.names:
                self.names[node] = next(second if self.source.making(node).by_rule else first)
                self.numbered.add(node)

    def _name_by_assignments(self, nodes: list[Any], taken: Collection[str]) -> None:
        """Results that the source gives a name: `h`, or h₁, h₂ ... if it gives it to several, the one that the variable
        still holds among them; `i₁, f₁` for those that are taken apart. `plain` is what the name alone means then: that
        one, or the last.
        """
        targets = {node: self._assigned_names(node) for node in nodes if not self.source.is_leaf(node)}
        claimants: dict[str, list[Any]] = {}
        for node, names in targets.items():
            for name in names if self.names.get(node, whole := ", ".join(names)) == whole else ():
                claimants.setdefault(name, []).append(node)
        labels: dict[Any, list[str]] = {}
        for name, claiming in claimants.items():
            holders = [node for node in claiming if self._is_held(node, name, targets[node])]
            if len(claiming) == 1 and (holders or name not in taken):
                labels.setdefault(claiming[0], []).append(name)
                continue
            wanted = [naming.numbered_name(name, number) for number in range(1, len(claiming) + 1)]
            if holders or name not in taken:
                self.plain[name] = (holders or claiming)[-1]
            for node, label in zip(claiming, wanted, strict=True):
                if label not in taken:
                    labels.setdefault(node, []).append(label)
        self.names |= {node: ", ".join(found) for node, found in labels.items() if len(found) == len(targets[node])}

    def _is_held(self, node: Any, name: str, names: Sequence[str]) -> bool:
        """Whether what the source calls `name`, one of the results of a node, is called so already."""
        held = self.variables.result(node, names.index(name))
        return node in self.names or (len(names) > 1 and held is not None and held[0] == name)

    def _variable_name(self, node: Any) -> str | None:
        leaf = self.source.leaf(node)
        if leaf is not None:
            return self.variables.leaf(leaf) or self.parameters.get(leaf)
        count = max(len(self.source.making(node).outputs), 1)
        found = [self.variables.result(node, output) for output in range(count)]
        names = [held[0] for held in found if held is not None]
        return ", ".join(names) if len(names) == count else None

    def _text_of_leaf(self, leaf: Any) -> str:
        """What a leaf that no variable holds any more is called where it was used: the `q` of `q * 3`."""
        for node in self.consumers[leaf]:
            slot = next(slot for slot, (child, _) in enumerate(self.source.edges(node)) if child is leaf)
            text = naming.operand_text(self.source, self.spans[node], node, slot, self.variables.frame)
            if text and "(" not in text:
                return text
        return ""

    def _assigned_names(self, node: Any) -> tuple[str, ...]:
        """The variable that the source gives a node's result to, or those that it gives its results to."""
        span = self.spans[node]
        if span is None or self._is_inside(node):
            return ()
        if (name := naming.assigned_name(span)) is not None:
            return (name,)
        names, count = naming.unpacked_names(span), len(self.source.making(node).outputs)
        is_first = count == 1 and op_word(self.source.name(node)) in naming.WITH_INDICES
        return names[:1] if is_first else names if len(names) == count > 1 else ()

    def _is_inside(self, node: Any) -> bool:
        """Whether a node is an inner step of one call of the learner's: a consumer was made by the very same text; or
        may be one whose consumer there is not in the graph, since only rules use it and the text names another op.
        """
        span, users = self.spans[node], self.consumers[node]
        if span is None or any(self._is_one_call(user, node) for user in users):
            return span is not None
        is_for_rules = bool(users) and all(self.source.making(user).by_rule for user in users)
        return is_for_rules and not naming.says_op(source_text(span), self.source.name(node))

    def _is_one_call(self, node: Any, other: Any) -> bool:
        """Whether one run of a piece of the learner's code has made both."""
        return self.spans[node] == self.spans[other] and self.executions.get(node) is self.executions.get(other)

    def expression(self, node: Any) -> str:
        """The learner's text that made a node, with names for its parts; the call of its op where there is none."""
        span = self.spans[node]
        if span is not None:
            text = with_names(span, {part: name for part, name in self._parts[node].items() if name})
            is_target = text == ", ".join(naming.unpacked_names(span))  # of `q, k, v = x`, which is taken apart
            if text and not is_target and (not self._is_inside(node) or naming.says_op(text, self.source.name(node))):
                return naming.short_code(text, self.source.name(node))
        text = call_text(self.source, node, self.name_of_result, self.name_of_saved)
        return text if len(text) <= LONGEST else op_word(self.source.name(node))

    @functools.cached_property
    def _parts(self) -> dict[Any, dict[Span, str]]:
        """For each node the nearest nodes below that were made by a proper part of the same text: place -> name; "" for
        a part that was run several times, such as the `w * w` of `sum(w * w for w in ws)`, since it is no single one.
        """
        found: dict[Any, dict[Span, str]] = {}
        for node in self.nodes:
            parts, span = found.setdefault(node, {}), self.spans[node]
            for child, _ in self.source.edges(node) if span is not None else ():
                place, named = self.spans.get(child), {}
                if span is not None and place is not None and span.contains(place):
                    named = {place: self.names[child]}
                elif place is not None and self._is_one_call(child, node):
                    named = found.get(child, {})
                for one, name in named.items():
                    parts[one] = name if parts.get(one, name) == name else ""
        return found

    def name_of_saved(self, kept: Tensor) -> str:
        """What the picture calls a tensor that a node has saved; "" where it has no name."""
        node = self.source.node(kept)
        if node is None:
            return self.variables.leaf(kept) or ""
        return self.name_of_result(node, self.source.output(kept))

    def name_of_result(self, node: Any, output: int) -> str:
        """What one of a node's results is called: of several that have no names each `parts[1]`."""
        held, name = self.variables.result(node, output), self.names.get(node, "")
        count, parts = len(self.source.making(node).outputs), name.split(", ")
        if count > 1 and len(parts) == count:
            return parts[output]
        if held is not None and (count > 1 or not name):
            return held[0]
        return f"{name}[{output}]" if name and count > 1 else name


def call_text(
    source: Source, node: Node, name_of: Callable[[Node, int], str], of_saved: Callable[[Tensor], str] = lambda kept: ""
) -> str:
    """A node's op as one would write it, g * 3 or exp(g): with names for its inputs, with the numbers that it kept, and
    … for what it did not keep. `of_saved` gives the name of a tensor, or "".
    """
    word, inputs = op_word(source.name(node)), source.inputs(node)
    parts = []
    for slot, (child, output) in enumerate(source.edges(node)):
        kept = source.saved_value(node, inputs[slot]) if child is None and slot < len(inputs) else None
        known = source.tensor(kept)
        array = None if known is None else source.array(known)
        if child is not None:
            parts.append(name_of(child, output))
        elif known is not None and (name := of_saved(known)):
            parts.append(name)
        elif array is not None and array.ndim == 0:
            parts.append(values.in_short(array))
        elif word in SYMBOLS:
            parts.append("…")
    if len(parts) == 1 and word in ("pow", "rsub", "neg"):
        exponent = source.saved_value(node, "exponent")
        is_known = isinstance(exponent, int | float) and not isinstance(exponent, bool)
        power = f"{parts[0]} ** {values.number_in_sentence(exponent) if is_known else '…'}"
        return {"pow": power, "rsub": f"… - {parts[0]}", "neg": f"-{parts[0]}"}[word]
    if len(parts) == 2 and word in SYMBOLS:
        is_of_layer = word == "mm" and inputs[1] == "weight"  # whose weight has a row for each output
        return f" {SYMBOLS[word]} ".join(parts) + ".T" * is_of_layer
    return f"{word}({', '.join(parts)})"
