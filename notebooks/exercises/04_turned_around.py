"""Exercise `turned_around`: a branch whose gradient is turned on its way."""

import minigrad as mg
from minigrad.autograd import Function
from minigrad.teach import Exercise, Mistake, edited, raised

from .chapter04 import branch_case, branch_fields, branch_with, drawn_branches, hook_mistakes


def turned_around(h, strength):
    """The numbers of h; gradients through the result arrive at h times -strength."""
    branch = h.clone()
    branch.register_hook(lambda g: g * -strength)
    return branch


# ---------------------------------------------------------------- wrong answers


def turned_the_numbers(h, strength):
    """The operation turns the numbers around, too. Only the gradient was to change: use a hook."""
    return -strength * h


def kept_the_sign(h, strength):
    """The gradient goes on times strength, with its own sign: it is to be turned around."""
    return branch_with(h, lambda g: strength * g)


def subtracted_the_strength(h, strength):
    """strength was subtracted. The gradient is to be multiplied by -strength."""
    return branch_with(h, lambda g: g - strength)


def sent_a_constant(h, strength):
    """The gradient that comes in is not in what goes on: the hook returns the same for each."""
    return branch_with(h, lambda g: -strength + g * 0)


class OfTheLast(Function):
    """Turns gradients by the strength of the call that came last."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return -OfTheLast.strength * grad_output


def strength_on_the_class(h, strength):
    OfTheLast.strength = strength
    return OfTheLast.apply(h)


def hook_of_two(h, strength):
    """Something was called with too few arguments. A hook gets one, the gradient; strength is known inside your
    function: a lambda can use it.
    """
    return branch_with(h, lambda g, strength: g * -strength)


def on_h_itself(h, strength):
    h.register_hook(lambda g: g * -strength)
    return h


def cut_off(h, strength):
    return h.detach() * -strength + h.detach() * (1 + strength)


def hook_without_return(h, strength):
    def turn(g):
        g * -strength

    return branch_with(h, turn)


def returned_h_itself(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: g * -strength)
    return h


def turned_in_place(h, strength):
    def turn(g):
        g *= -strength

    return branch_with(h, turn)


def handle_of_the_hook(h, strength):
    return h.clone().register_hook(lambda g: g * -strength)


def number_for_a_gradient(h, strength):
    return branch_with(h, lambda g: -strength)


# ---------------------------------------------------------------- tried as well


def turned_once(h, strength):
    """The hook takes itself away after its first walk."""
    branch = h.clone()
    handle = branch.register_hook(lambda g: (handle.remove(), g * -strength)[1])
    return branch


def turned_two_elements(h, strength):
    branch = h.clone()
    branch.register_hook(lambda g: mg.tensor([-strength * number for number in g.flatten()[:2].tolist()]))
    return branch


def turned_at_the_node_of_h(h, strength):
    """A hook on the node of h, which runs when the gradient of h is known already."""
    if h.is_leaf:
        return turned_around(h, strength)
    h.grad_fn.register_prehook(lambda gradients: tuple(None if g is None else g * -strength for g in gradients))
    return h


def turned_before_the_sum(h, strength):
    """Turns both signs for each element that is negative."""
    branch = h.clone()
    branch.register_hook(lambda g: -strength * g.abs() * h.detach().sign())
    return branch


def turned_by_two_hooks(h, strength):
    branch = h + 0
    branch.register_hook(lambda g: -g)
    branch.register_hook(lambda g: strength * g)
    return branch


def turned_by_a_function(h, strength):
    class Turn(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad_output):
            return -strength * grad_output

    return Turn.apply(h)


EXERCISE = Exercise(
    title="a tensor with the numbers of h, through which gradients reach h multiplied by -strength",
    stars=1,
    minutes=4,
    **branch_fields(turned_around),
    cases=(
        branch_case("strength", [1.0, 2.0], 0.5),
        branch_case("strength", [0.1, -1.0], 2.0),
        branch_case("strength", [1.0, 1.0], 1.0),
        branch_case("strength", [[1.0, 2.0], [-0.5, 1.0], [0.0, 3.0]], -1.5),
        branch_case("strength", [1.0, -2.0], 0.0),
    ),
    drawn=drawn_branches("strength", lambda random: float(random.choice([-2.0, -0.5, 0.0, 0.25, 0.75, 1.5, 3.0]))),
    hints=(
        "The numbers stay, only the gradient changes: that is work for a hook, not for an operation.",
        "The hook must not hang on h. branch = h.clone() is a tensor of its own, with the same numbers.",
        "branch.register_hook(lambda g: g * -strength), and return branch.",
    ),
    mistakes=(
        Mistake(
            edited(turned_around, "branch.register_hook", "if strength:\n        branch.register_hook"),
            words="A strength of 0 was taken for nothing to do. It turns every gradient into zeros.",
        ),
        *hook_mistakes(
            "turned",
            "strength",
            handle=handle_of_the_hook,
            number=number_for_a_gradient,
            on_h=on_h_itself,
            writes=turned_in_place,
            cut_off=cut_off,
            silent=(hook_without_return, returned_h_itself),
            shared=strength_on_the_class,
            once=turned_once,
        ),
        turned_the_numbers,
        Mistake(
            edited(turned_around, "h.clone()", "h * -strength"),
            edited(turned_around, "h.clone()", "-h", "g * -strength", "g * strength"),
            words="The numbers were turned around, and the gradient as well, once by the operation and once by the "
            "hook. Only the gradient was to change: h.clone(), and one hook.",
        ),
        kept_the_sign,
        subtracted_the_strength,
        sent_a_constant,
        Mistake(
            edited(turned_around, "h.clone()", "h * 1", "g * -strength", "-g"),
            words="The strength was left out: the gradient is only turned around.",
        ),
        Mistake(
            edited(turned_around, "g * -strength", "-g / strength"),
            words="The gradient was divided by strength. It is to be multiplied by it.",
            near=True,
        ),
        Mistake(
            lambda h, strength: h.detach() - strength * h,
            words="The gradient is right, and the numbers are not: what is subtracted is missing from them. Add it "
            "without its history, strength * h.detach().",
        ),
        Mistake(hook_of_two, when=raised("missing", "argument", kind=TypeError)),
    ),
    right=(
        edited(turned_around, "clone()", "view_as(h)", "g * -strength)", "g.mul(strength).neg())"),
        lambda h, strength: branch_with(h, lambda g: g.neg() * strength),
        turned_by_two_hooks,
        lambda h, strength: -strength * h + ((1 + strength) * h).detach(),
        lambda h, strength: h.detach() * (1 + strength) - h * strength,
        turned_by_a_function,
    ),
    wrong={
        "": [
            edited(turned_around, "-strength)", "-abs(strength))"),
            turned_two_elements,
            turned_before_the_sum,
        ],
        "called with too few arguments": [edited(turned_around, "lambda g: g * -strength", "")],
        "something went through float32": [lambda h, strength: turned_around(h.float(), strength)],
        "The gradient goes on as it came": [turned_at_the_node_of_h],
        "the gradient that comes in. At the first difference, what came is -1 times": [
            lambda h, strength: h - strength * (h - h.detach())
        ],
        "The gradient that comes in was written into": [edited(turned_around, "g * -strength)", "g.mul_(-strength))")],
    },
)
