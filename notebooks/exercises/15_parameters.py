"""Exercise `parameters`: what an optimizer is given, collected from a module."""

from collections import OrderedDict, namedtuple
from types import FunctionType, SimpleNamespace
from unittest.mock import patch

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, observer, pick, raised, right_but

from .chapter15 import Module, Tensor, engine, parameters, with_classes

FOUND, MODEL = "the parameters", "the module afterwards"
LATER = "asked again, when the module has got one more and a list that came is emptied"
HOLDERS = Module, list, tuple, dict
Pair = namedtuple("Pair", "first second")


def _parts(one, name="", met=None):
    """By its id, the name of each tensor in a module, and of all that holds others."""
    met = {} if met is None else met
    if id(one) not in met:
        met[id(one)] = name
        inside = vars(one) if isinstance(one, Module) else one
        items = inside.items() if isinstance(inside, dict) else enumerate(inside) if isinstance(one, HOLDERS) else ()
        for key, item in items:
            if isinstance(item, (*HOLDERS, Tensor)):
                _parts(item, f"{name}.{key}" if isinstance(one, Module) else f"{name}[{key!r}]", met)
    return met


def _shape(self):
    """What an answer has to leave as it is: what is in a module, in which order, and what is on the parameters."""
    return list(_parts(self).values()), len(vars(self)), [(id(one.grad), len(vars(one))) for one in parameters(self)]


def _named(found, names):
    """What came back, with a tensor's name in the place of each; another kind of value as it is."""
    if not isinstance(found, (list, tuple)):
        return found
    kind = {True: "a tensor that is not in it", False: "something that is no tensor"}
    return type(found)([names.get(id(one), kind[isinstance(one, Tensor)]).lstrip(".") for one in found])


def _goes_in_circles(outcome):
    return raised("maximum recursion depth", kind=RecursionError)(outcome) and "which is self" in outcome.case.words


def _has_no_end(outcome):
    return raised("maximum recursion depth", kind=RecursionError)(outcome) and "other things" in outcome.case.words


def _does_not_look_again(outcome):
    return right_but(MODEL)(outcome) and "more" not in outcome.seen.get(LATER, "more")


@observer
@with_classes
def _collected(answer, self):
    with patch.object(Module, "parameters", answer, create=True):  # for who asks the inner modules
        names, before = _parts(self), _shape(self)
        found = answer(self)
        seen = {FOUND: _named(found, names)}
        if isinstance(found, list):
            found.clear()  # it belongs to whoever asked
        seen[MODEL] = "as it was" if _shape(self) == before else "changed"
        self.more = Tensor([7.0], requires_grad=True)
        return {**seen, LATER: _named(answer(self), {**names, id(self.more): "more"})}


def leaf(number=1.0):
    return Tensor([number], requires_grad=True)


def module(**attributes):
    made = Module()
    vars(made).update(attributes)
    return made


def linear():
    return module(weight=leaf(), bias=leaf(0.0))


def _case(words, make):
    return Case(f"self has {words}", lambda: (make(),))


def _shared():
    layer = linear()
    return module(encoder=layer, decoder=module(weight=layer.weight, bias=leaf()), again=layer)


def _other_things():
    weight = leaf()
    weight.grad = np.ones(1)
    return module(
        name="relu", rate=0.1, size=(3, 3), weight=weight, running=Tensor([0.0]), last=weight * weight, nothing=None,
        start=np.ones(3), kind=Module, words=["a", "bc"], options={"gain": leaf(), 3: "x"},
        _hidden=leaf(), moments={leaf(): 0.5, leaf(): 1.0}, beside=SimpleNamespace(weight=leaf()),
    )  # fmt: skip


def _of_all_kinds():
    """Parameters of no numbers, of one, of a derived class, and two of one array; a result that was freed; and a class
    with one of its own, which is no attribute of self.
    """
    square = Tensor([2.0], requires_grad=True) * 3.0
    square.free()
    made = type("Model", (Module,), {"shared": leaf()})()
    derived = type("Parameter", (Tensor,), {})([1.0], requires_grad=True)
    array = np.ones(2)
    tied = [Tensor(array, requires_grad=True), Tensor(array, requires_grad=True)]
    vars(made).update(
        scale=Tensor(2.0, requires_grad=True), empty=Tensor(np.zeros((0, 3)), requires_grad=True), derived=derived,
        result=square, tied=tied, several={leaf()}, waiting=iter([leaf()]), last=leaf(),
    )  # fmt: skip
    return made


def _chain():
    one = leaf()
    for number in range(50):  # of calls within each other Python in a browser holds fewer than elsewhere
        one = module(inner=one) if number % 2 else [one]
    return module(outer=one, last=leaf())


def _circle():
    outer, inner = module(weight=leaf()), linear()
    outer.inner, inner.outer = inner, outer
    return outer


def _drawn(random):
    """Modules of modules, lists, tuples and dicts, with tensors among them that come twice or need no gradient."""
    pool = [leaf(), leaf(), Tensor([1.0])]

    def draw(depth):
        kind = pick(random, ["tensor", "new", "module", "list", "tuple", "dict"] if depth else ["tensor", "new"])
        if kind in ("tensor", "new"):
            return leaf() if kind == "new" else pool[random.integers(3)]
        parts = [draw(depth - 1) for _ in range(random.integers(1, 4))]
        if kind == "module":
            return module(**{f"part{number}": one for number, one in enumerate(parts)})
        return tuple(parts) if kind == "tuple" else dict(enumerate(parts)) if kind == "dict" else parts

    seed = int(random.integers(2**31))

    def make():
        nonlocal random, pool
        random, pool = np.random.default_rng(seed), [leaf(), leaf(), Tensor([1.0])]
        return (module(**{f"layer{number}": draw(3) for number in range(3)}),)

    yield Case("self has layers that were drawn, three deep", make)


# ---------------------------------------------------------------- wrong answers


def attributes_only(self):
    """Only attributes themselves are among them. A layer in a layer, or in a list, has parameters as well, and what is
    not collected never moves.
    """
    return [one for one in vars(self).values() if isinstance(one, Tensor) and one.requires_grad and one.rule is None]


no_lists = edited(parameters, "elif isinstance(one, (list, tuple)):", "elif False:")
no_tuples = edited(parameters, "isinstance(one, (list, tuple))", "isinstance(one, list)")
no_dicts = edited(parameters, "elif isinstance(one, dict):", "elif False:")
no_modules = edited(parameters, "elif isinstance(one, Module):", "elif one is self:")
each_use = edited(
    parameters, "        met.add(id(one))\n", "        if not isinstance(one, Tensor):\n            met.add(id(one))\n"
)


def on_each_way(self, above=()):
    if isinstance(self, Tensor):
        return parameters(module(one=self))
    inside = vars(self) if isinstance(self, Module) else self
    parts = inside.values() if isinstance(inside, dict) else inside if isinstance(inside, (list, tuple)) else ()
    met = any(one is self for one in above)
    return [one for part in ([] if met else parts) for one in on_each_way(part, (*above, self))]


all_tensors = edited(parameters, "[one] if one.requires_grad and one.rule is None else []", "[one]")
results_too = edited(parameters, " and one.rule is None", "")
constants_too = edited(parameters, "one.requires_grad and ", "")
backwards = edited(parameters, "    return found", "    return found[::-1]")
breadth_first = edited(
    parameters,
    "todo.pop()", "todo.pop(0)",
    "reversed(vars(one).values())", "vars(one).values()",
    "reversed(one)\n", "one\n",
    "reversed(one.values())", "one.values()",
)  # fmt: skip


def own_ones_first(self):
    found = parameters(self)
    of_its_own = [one for one in vars(self).values() if any(one is other for other in found)]
    return [*dict.fromkeys(of_its_own + found)]


def by_themselves(self):
    """The function calls itself, or one that asks it, without end: a module may hold one that holds it. Note which
    were met already.
    """
    found = {}

    def collect(one):
        if isinstance(one, Tensor):
            if one.requires_grad and one.rule is None:
                found[one] = None
        elif isinstance(one, (Module, list, tuple, dict)):
            for item in (
                vars(one).values() if isinstance(one, Module) else one.values() if isinstance(one, dict) else one
            ):
                collect(item)

    collect(self)
    return list(found)


def letter_by_letter(self):
    """Something in this module has no end for your function, as a word has none: its first letter is a word again.
    Only modules, lists, tuples and the values of dicts are looked into, and each call has to get a part of what the one
    before it got.
    """
    found, met = {}, []

    def collect(one):
        if isinstance(one, Tensor):
            if one.requires_grad and one.rule is None:
                found[one] = None
        elif isinstance(one, Module):
            if not any(one is other for other in met):
                met.append(one)
                collect(vars(one))
        elif hasattr(one, "__iter__"):
            for item in one.values() if isinstance(one, dict) else one:
                collect(item)

    collect(self)
    return list(found)


def kept_on_the_module(self):
    """What this call left on the module, the list or a mark, keeps the next one from looking again: a layer that comes
    later stays out.
    """
    if not hasattr(self, "collected"):
        self.collected = parameters(self)
    return list(self.collected)


def marked(self):
    return [*_unmarked(self)]


def _unmarked(one):
    if isinstance(one, (Tensor, Module)):
        if hasattr(one, "met"):
            return
        one.met = True
    if isinstance(one, Tensor) and one.requires_grad and one.rule is None:
        yield one
    inside = [*vars(one).values()] if isinstance(one, Module) else one.values() if isinstance(one, dict) else one
    for part in inside if isinstance(one, (Module, dict, list, tuple)) else ():
        yield from _unmarked(part)


objects_too = edited(parameters, "isinstance(one, Module)", "hasattr(one, '__dict__') and not isinstance(one, type)")
keys_too = edited(parameters, "reversed(one.values())", "[part for item in one.items() for part in item][::-1]")
keys_only = edited(parameters, "reversed(one.values())", "reversed(one)")
no_subclasses = edited(
    parameters, *("isinstance(one, (list, tuple))", "type(one) in (list, tuple)"),
    *("isinstance(one, dict)", "type(one) is dict"),
)  # fmt: skip
no_private = edited(
    parameters,
    *("reversed(vars(one).values())", "[item for name, item in vars(one).items() if name[0] != '_'][::-1]"),
)


sets_too = edited(
    parameters,
    "isinstance(one, (list, tuple))",
    "isinstance(one, (list, tuple, set))",
    "reversed(one)\n",
    "reversed([*one])\n",
)
iterables_too = edited(
    parameters,
    "isinstance(one, (list, tuple))",
    "hasattr(one, '__iter__') and not isinstance(one, (dict, str, np.ndarray))",
    "reversed(one)\n",
    "reversed([*one])\n",
)
freed_too = edited(parameters, "one.rule is None", "not one.inputs")
of_the_class_too = edited(
    parameters, "reversed(vars(one).values())",
    "reversed([*vars(one).values(), *[item for item in vars(type(one)).values() if isinstance(item, Tensor)]])",
)  # fmt: skip
exact_class = edited(parameters, "isinstance(one, Tensor)", "type(one) is Tensor")
without_numbers = edited(parameters, "one.requires_grad and", "one.requires_grad and one.data.ndim and")
without_empty = edited(parameters, "one.requires_grad and", "one.requires_grad and one.data.size and")


one_list_deep = edited(
    parameters,
    "todo += reversed(one)\n",
    "todo += [item for item in one if isinstance(item, (Module, Tensor))][::-1]\n",
)
one_holder_deep = edited(
    one_list_deep,
    "reversed(one.values())",
    "[item for item in one.values() if isinstance(item, (Module, Tensor))][::-1]",
)


# ---------------------------------------------------------------- tried as well


def by_recursion(self):
    found, met = [], []

    def collect(one):
        if any(one is other for other in met):
            return
        met.append(one)
        if isinstance(one, Tensor) and one.requires_grad and not one.inputs and one.rule is None:
            found.append(one)
        if isinstance(one, Module):
            one = list(one.__dict__.values())
        for item in one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple)) else ():
            collect(item)

    collect(self)
    return found


def by_names(self):
    found = {}
    for one in parameters(self):
        found.setdefault(id(one), one)
    return [*found.values()]


def by_kinds(self, leaf=Tensor):
    met, todo = {}, [self]
    while todo:
        one = todo.pop()
        if id(one) not in met and isinstance(met.setdefault(id(one), one), HOLDERS):
            inside = vars(one) if isinstance(one, Module) else one
            todo += reversed([*inside.values()] if isinstance(inside, dict) else inside)
    return [one for one in met.values() if isinstance(one, leaf) and one.requires_grad and one.rule is None]


def _in_a_notebook(answer):
    """An answer that was defined beside classes of a notebook, and has noted them outside of its lines."""
    module, tensor = type("Module", (), {}), engine()
    names = {**globals(), "Module": module, "Tensor": tensor, "HOLDERS": (module, list, tuple, dict)}
    return FunctionType(answer.__code__, names, answer.__name__, (tensor,))


_remembered = {}


def remembered(self):
    if id(self) not in _remembered:
        _remembered[id(self)] = parameters(self)
    return [*_remembered[id(self)]]


def by_default(self, found=[]):  # noqa: B006
    found += [one for one in parameters(self) if not any(one is other for other in found)]
    return list(found)


def found_and_met_by_default(self, found=[], met=[]):  # noqa: B006
    if not any(one is self for one in met):
        met.append(self)
        inside = vars(self) if isinstance(self, Module) else self
        if isinstance(self, Tensor):
            found += parameters(module(one=self))
        elif isinstance(self, HOLDERS):
            for one in inside.values() if isinstance(inside, dict) else inside:
                found_and_met_by_default(one)
    return found


def turned_when_there_is_more(self):
    return parameters(self)[:: -1 if hasattr(self, "more") else 1]


def first_of_equal_numbers(self):
    found = parameters(self)
    return [
        one for place, one in enumerate(found) if [o.data.tolist() for o in found].index(one.data.tolist()) == place
    ]


def cut_short(self):
    return parameters(self)[:4]


def thirteen_deep(self, depth=0):
    inside = vars(self) if isinstance(self, Module) else self
    items = inside.values() if isinstance(inside, dict) else inside if isinstance(self, (list, tuple)) else ()
    found = parameters(module(one=self)) if isinstance(self, Tensor) else []
    for one in items if depth < 13 else ():
        found += [item for item in thirteen_deep(one, depth + 1) if all(item is not other for other in found)]
    return found


def unlinked(self):
    found = parameters(self)
    for key, one in list(vars(self).items()):
        if isinstance(one, str):
            delattr(self, key)
    return found


def marked_alone(self):
    for one in (found := parameters(self)):
        one.met = True
    return found


def without_gradients(self):
    for one in (found := parameters(self)):
        one.grad = None
    return found


def turned_in_place(self):
    for one in vars(self).values():
        if isinstance(one, list):
            one.reverse()
    return parameters(self)


def one_of_each_array(self):
    """Two parameters that begin with one array are two, of which each gets its step."""
    return list({id(one.data): one for one in reversed(parameters(self))}.values())[::-1]


EXERCISE = Exercise(
    title="a list of all leaves that require a gradient, in self and in what it holds, each once",
    stars=2,
    minutes=10,
    reference=parameters,
    plug=_collected,
    cases=(
        _case("weight and bias", linear),
        _case(
            "body, a module that has first and second, which are layers, and scale",
            lambda: module(body=module(first=linear(), second=linear()), scale=leaf()),
        ),
        _case(
            "hidden, a list of two layers, and head, a layer",
            lambda: module(hidden=[linear(), linear()], head=linear()),
        ),
        _case("nothing at all", module),
        _case("encoder and again, the same layer, and decoder, another one with the same weight", _shared),
        _case(
            "parameters, one with a gradient and one with a private name, tensors that are none, and other things: one "
            "holds a tensor and is no module, and one is a dict whose keys are tensors",
            _other_things,
        ),
        _case(
            "blocks, a list of a tuple (a layer and a word) and a namedtuple of layers, and heads, an OrderedDict of "
            "lists",
            lambda: module(
                blocks=[(linear(), "relu"), Pair(linear(), linear())],
                heads=OrderedDict(b=[linear()], a=[leaf(), leaf()]),
                last=leaf(),
            ),
        ),
        _case("a tensor in 50 lists and modules, each in the next one, and last, another tensor", _chain),
        _case(
            "parameters, of which one is a number, one is empty, one is of a class derived from Tensor and two have "
            "one array; a result that was freed, a set and an iterator, and a class that has a tensor itself",
            _of_all_kinds,
        ),
        _case("weight and inner, a layer that has outer, which is self", _circle),
    ),
    drawn=_drawn,
    notes={
        MODEL: "The list is right, but the module, or a parameter, was changed on the way, or the list is one that the "
        "module holds. Make a new one, and leave no mark.",
        LATER: "The first list is right, and the second one, with one more in the module, is not. It may be that "
        "something of the first call is left, such as the list itself, or that the id of what is gone was taken for "
        "that of something new.",
    },
    hints=(
        "What can stand in an attribute? A tensor, a module, a list, a tuple, a dict, or something that does "
        "not count.",
        "Each of them that holds others is looked into in the same way. Keep a list of what is still to be "
        "looked at, "
        "and note what was met already: vars(module).values() gives a module's attributes.",
        "Take the last from the list; if it is a Tensor, keep it; if it holds others, put those on the list, "
        "reversed, "
        "so that the first of them comes next.",
    ),
    mistakes=(
        attributes_only,
        Mistake(
            no_lists,
            words="What stands in lists is missing: it is used forward, gets its gradient, and never moves.",
        ),
        Mistake(no_tuples, words="What stands in tuples is missing: look into them as into lists."),
        Mistake(no_dicts, words="What stands in dicts is missing: look into their values()."),
        Mistake(
            objects_too,
            near=True,
            words="What is no module was looked into: whatever has attributes would give its tensors to the optimizer.",
        ),
        Mistake(
            keys_only,
            words="Of a dict its keys were looked into: a loop over it gives them. What counts are its values().",
        ),
        Mistake(keys_too, words="The keys of a dict were looked into as well. What counts are its values()."),
        Mistake(
            no_subclasses,
            words="A namedtuple is a tuple, and an OrderedDict a dict: isinstance(...) knows that, and type(...) does "
            "not.",
        ),
        Mistake(
            sets_too,
            iterables_too,
            words="A set or an iterator was looked into. What is looked into are lists, tuples, the values of dicts, "
            "and modules; other objects are not, even if one can go through them.",
            near=True,
        ),
        Mistake(
            thirteen_deep,
            words="What lies 50 deep is missing: lists and modules were followed only so far. A circle ends where "
            "something is met again, and not at a depth: note what was met.",
            when=lambda outcome: "50 lists" in outcome.case.words and outcome.seen.get(FOUND) == ["last"],
        ),
        Mistake(
            freed_too,
            words="A result that was freed is among them. It has no inputs any more, and is no leaf all the same: its "
            "rule, which raises, is not None.",
            near=True,
        ),
        Mistake(
            of_the_class_too,
            words="What the class has is no attribute of self: vars(self) holds those of the module alone.",
            near=True,
        ),
        Mistake(
            exact_class,
            words="A tensor of a class derived from Tensor is one as well: isinstance(one, Tensor).",
            near=True,
        ),
        Mistake(no_private, words="An attribute whose name begins with _ was left out. It is one like all others."),
        Mistake(
            one_list_deep,
            one_holder_deep,
            words="What stands in a list in a list, or in a tuple or dict in it, is missing.",
        ),
        Mistake(no_modules, words="What modules in the module hold is missing."),
        Mistake(
            each_use,
            on_each_way,
            words="A parameter that is used in several places is there more than once. An optimizer would take several "
            "steps with it.",
            near=True,
        ),
        Mistake(
            all_tensors,
            words="These are all tensors. One that requires no gradient, as a running mean, is not trained; and a "
            "result, which has a rule, is no leaf.",
        ),
        Mistake(
            results_too,
            words="A result is among them: it requires a gradient, but an operation made it. A parameter is a leaf; "
            "its rule is None.",
        ),
        Mistake(
            constants_too,
            words="A tensor that requires no gradient is among them, such as a running mean. An optimizer has nothing "
            "to do there.",
        ),
        Mistake(
            breadth_first,
            backwards,
            own_ones_first,
            words="The right ones, in another order: all of the first attribute, however deep, come before those of "
            "the second. (A set keeps no order.)",
            when=right_but("*", lambda mine, right: isinstance(mine, list) and sorted(map(str, mine)) == sorted(right)),
        ),
        Mistake(by_themselves, when=_goes_in_circles),
        Mistake(letter_by_letter, when=_has_no_end),
        Mistake(
            first_of_equal_numbers,
            words="Two parameters with equal numbers were taken for one. They are one where they are the same object: "
            "compare with `is`, or note id(one).",
        ),
        Mistake(kept_on_the_module, marked, when=_does_not_look_again),
    ),
    right=(by_recursion, by_names, by_kinds, _in_a_notebook(by_kinds)),
    wrong={
        "Does a function call itself, and does that end?": [lambda self: [*self.parameters()]],
        "something of the first call is left": [remembered],
        "for that of something new.": [found_and_met_by_default],  # and no word of an order: the second list is empty
        "The right ones, in another order": [
            turned_when_there_is_more,
            lambda self: sorted(parameters(self), key=lambda one: -one.data.sum()),  # a set's order, but each time
            edited(parameters, "reversed(one.values())", "[item for _, item in sorted(one.items(), key=str)][::-1]"),
        ],
        "a tensor that is not in it": [by_default],
        "first difference": [
            one_of_each_array,
            edited(
                parameters,
                *(
                    "todo += reversed(one)\n",
                    "todo += reversed([] if any(isinstance(part, str) for part in one) else one)\n",
                ),
            ),
            cut_short,
            without_numbers,
            without_empty,
            edited(parameters, "one.requires_grad and", "one.requires_grad and one.grad is None and"),
            lambda self: [*parameters(self), None],
            lambda self: [],
        ],
        "the module afterwards": [unlinked, without_gradients, marked_alone],
        "in another order": [turned_in_place],
        "a list is asked for": [lambda self: tuple(parameters(self))],
        "are asked for, in a list": [lambda self: iter(parameters(self)), lambda self: set(parameters(self))],
    },
)
