"""Exercise `limited`: a branch whose gradient is shortened on its way."""

import numpy as np

import minigrad as mg
from minigrad.autograd import Function
from minigrad.teach import Exercise, Mistake, edited, raised, saw

from .chapter04 import RESULT, branch_case, branch_fields, branch_with, drawn_branches, hook_mistakes


def limited(h, limit):
    """The numbers of h; gradients through the result arrive at h no longer than limit."""
    branch = h.clone()
    branch.register_hook(lambda g: _shortened(g, limit))
    return branch


def _shortened(g, limit):
    length = g.norm().item()
    return g * (limit / length) if length > limit else g


def _is_smaller(mine, right):
    """Whether some of the numbers came nearer to 0, and none moved away from it."""
    if not isinstance(mine, mg.Tensor) or mine.shape != right.shape:
        return False
    before, after = right.numpy(), mine.numpy()
    return (abs(after) <= abs(before) + 1e-6).all() and (abs(after) < abs(before) - 1e-4).any()


# ---------------------------------------------------------------- wrong answers


def clipped_each_element(h, limit):
    """Each element was clipped by itself, which changes the direction. Multiply the whole gradient by one number."""
    return branch_with(h, lambda g: g.clip(-limit, limit))


def lengthened_short_ones(h, limit):
    """Every gradient gets the length of the limit, and short ones are made longer. Leave those as they are."""
    return branch_with(h, lambda g: g * limit / g.norm())


def lengthened_all_but_zeros(h, limit):
    return branch_with(h, lambda g: g * (limit / g.norm()) if g.norm() > 0 else g)


def divided_by_zero(h, limit):
    """Something is divided by 0. A gradient can be all zeros, and its length is 0: ask whether it is too long before
    you divide.
    """
    return branch_with(h, lambda g: g * min(1.0, limit / g.norm().item()))


def made_zeros_unknown(h, limit):
    """A gradient of zeros becomes nan: its length is 0, and by that something was divided. Ask whether it is too long
    before you divide.
    """
    return branch_with(h, lambda g: g / g.norm() * min(limit, g.norm().item()))


def used_the_square(h, limit):
    """This compares or divides by the length squared. The length is the square root of it, g.norm()."""

    def hook(g):
        square = (g**2).sum().item()
        return g * (limit / square) if square > limit else g

    return branch_with(h, hook)


def length_of_one(h, limit):
    """A long gradient gets the length 1, and then it is not multiplied by limit."""
    return branch_with(h, lambda g: g / g.norm() if g.norm() > limit else g)


def upside_down(h, limit):
    """The factor is upside down: a gradient that is twice too long has to be halved, limit / length."""

    def hook(g):
        length = g.norm().item()
        return g if length <= limit else g * length / limit

    return branch_with(h, hook)


def by_the_largest(h, limit):
    """The largest element was taken for the length. The length is g.norm()."""
    return branch_with(h, lambda g: g * min(1.0, limit / max(g.abs().max().item(), 1e-9)))


def by_the_sum(h, limit):
    """The sum of the absolute values was taken for the length. The length is g.norm()."""
    return branch_with(h, lambda g: g * min(1.0, limit / max(g.abs().sum().item(), 1e-9)))


def limited_each_row(h, limit):
    """Each row was shortened by itself. The length is that of the whole gradient, g.norm(), in tables too."""
    return branch_with(h, lambda g: g * (limit / g.norm(dim=-1, keepdim=True).clamp(min=1e-9)).clamp(max=1))


def shortened_the_numbers(h, limit):
    """The numbers of h were made smaller. They stay as they are; only the gradient is to be shortened, by a hook."""
    return h * (limit / (10 * h.norm().item()))


def dropped_long_ones(h, limit):
    """Long gradients become zero. They should keep their direction, and the length of the limit."""
    return branch_with(h, lambda g: g * (g.norm().item() <= limit))


def limited_h_itself(h, limit):
    h.register_hook(lambda g: _shortened(g, limit))
    return h.clone()


class OfTheLast(Function):
    """Shortens gradients to the limit of the call that came last."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return _shortened(grad_output, OfTheLast.limit)


def limit_on_the_class(h, limit):
    OfTheLast.limit = limit
    return OfTheLast.apply(h)


def limited_once(h, limit):
    branch = h.clone()
    handle = branch.register_hook(lambda g: (handle.remove(), _shortened(g, limit))[1])
    return branch


def limited_and_cut_off(h, limit):
    return h.detach()


def limited_without_return(h, limit):
    return branch_with(h, lambda g: [_shortened(g, limit), None][1])


def shortened_in_place(h, limit):
    def hook(g):
        length = g.norm().item()
        if length > limit:
            g *= limit / length

    return branch_with(h, hook)


def handle_of_the_limit(h, limit):
    return h.clone().register_hook(lambda g: _shortened(g, limit))


def limit_for_a_gradient(h, limit):
    return branch_with(h, lambda g: limit if g.norm().item() > limit else g)


# ---------------------------------------------------------------- tried as well


def limited_each_row_too(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * (limit / g.norm(dim=-1, keepdim=True).clamp(min=1e-9)).clamp(max=1))
    return branch


def limited_by_the_first(h, limit):
    """The factor of the first gradient is kept for all to come."""
    factors = []

    def shorten(g):
        factors.append(min(1.0, limit / max(g.norm().item(), 1e-9)))
        return g * factors[0]

    branch = h.clone()
    branch.register_hook(shorten)
    return branch


def limited_to_five(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, 5.0 / max(g.norm().item(), 1e-9)) * (1 if limit == 5 else limit / 5))
    return branch


def limited_by_root_mean_square(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: g * min(1.0, limit / max((g**2).mean().sqrt().item() * 2**0.5, 1e-9)))
    return branch


def limited_by_where(h, limit):
    branch = h.clone()
    branch.register_hook(lambda g: mg.where(g.norm() > limit, g / g.norm().clamp(min=1e-12) * limit, g))
    return branch


def limited_by_the_library(h, limit):
    def shorten(g):
        leaf = mg.zeros_like(g, requires_grad=True)
        leaf.grad = g.clone()
        mg.nn.utils.clip_grad_norm_([leaf], limit)
        return leaf.grad

    branch = h * 1
    branch.register_hook(shorten)
    return branch


def limited_by_a_function(h, limit):
    class Limit(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad_output):
            length = float(np.linalg.norm(grad_output.numpy()))
            return grad_output / max(1.0, length / limit)

    return Limit.apply(h)


def limited_by_the_sum_in_double(h, limit):
    def shorten(g):
        length = sum(map(abs, g.flatten().tolist()))
        return limit * g / length if length > limit else g

    branch = h.clone()
    branch.register_hook(shorten)
    return branch


def limited_at_the_node(h, limit):
    branch = h * 1.0
    branch.grad_fn.register_prehook(lambda gradients: (gradients[0] * min(1, limit / max(gradients[0].norm(), 1e-6)),))
    return branch


def limited_without_a_branch(h, limit):
    branch = h.view(h.shape)
    branch.register_hook(lambda g: g / mg.clamp(g.norm() / limit, min=1.0))
    return branch


def limited_by_the_first_walk(h, limit):
    """All gradients go on times one number, as where the factor of the first walk is kept. Compute it anew in the hook,
    from each gradient.
    """
    factors = []
    return branch_with(h, lambda g: g * (factors.append(min(1.0, limit / (g.norm().item() or 1.0))) or factors[0]))


EXERCISE = Exercise(
    title="a tensor with the numbers of h, through which no gradient longer than limit reaches h",
    stars=2,
    minutes=8,
    **branch_fields(limited),
    cases=(
        branch_case("limit", [1.0, 2.0], 5.0),
        branch_case("limit", [0.1, -1.0], 1.0),
        branch_case("limit", [[1.0, 2.0], [-0.5, 1.0], [0.0, 3.0]], 2.5),
        branch_case("limit", [0.5, 2.0], 6.5),  # a length is shorter, and its square larger
    ),
    drawn=drawn_branches("limit", lambda random: float(random.choice([0.25, 0.75, 2.0, 6.5, 12.5, 40.0, 200.0]))),
    hints=(
        "As in the cell above: a tensor of its own, and a hook on it. This hook has to look at the length first.",
        "g.norm().item() is the length. A gradient that is short enough goes on as it is.",
        "length = g.norm().item(); return g * (limit / length) if length > limit else g.",
    ),
    mistakes=(
        *hook_mistakes(
            "shortened",
            "limit",
            handle=handle_of_the_limit,
            number=limit_for_a_gradient,
            on_h=limited_h_itself,
            writes=shortened_in_place,
            cut_off=limited_and_cut_off,
            silent=(limited_without_return,),
            shared=limit_on_the_class,
            once=limited_once,
        ),
        Mistake(clipped_each_element, near=True),
        Mistake(lengthened_short_ones, lengthened_all_but_zeros, near=True),
        Mistake(divided_by_zero, when=raised(kind=ZeroDivisionError)),
        Mistake(made_zeros_unknown, near=True),
        Mistake(used_the_square, edited(used_the_square, "limit / square)", "limit / square**0.5)"), near=True),
        Mistake(limited_by_the_first_walk, near=True),
        Mistake(length_of_one, near=True),
        Mistake(upside_down, near=True),
        Mistake(by_the_largest, near=True),
        Mistake(by_the_sum, near=True),
        Mistake(limited_each_row, near=True),
        Mistake(shortened_the_numbers, lambda h, limit: h.clip(-limit / 5, limit / 5), when=saw(RESULT, _is_smaller)),
        Mistake(dropped_long_ones, near=True),
    ),
    right=(
        lambda h, limit: branch_with(h, lambda g: g / max(1.0, g.norm().item() / limit)),
        limited_by_where,
        limited_by_the_library,
        limited_by_a_function,
        lambda h, limit: branch_with(h, lambda g: g * min(1.0, limit / (g.norm().item() + 1e-6))),
        limited_at_the_node,
        limited_without_a_branch,
    ),
    wrong={
        "Each row was shortened by itself": [limited_each_row_too],
        "something went through float32": [lambda h, limit: limited(h.float(), limit)],
        "when [0.25, -0.5] comes in[0]: yours 0.025 … times one number": [limited_by_the_first],
        "": [
            edited(limited, "_shortened(g, limit))", "g * min(1.0, int(limit) / max(g.norm().item(), 1e-9)))"),
            edited(limited, "_shortened(g, limit))", "g * (limit / g.norm()) if int(g.norm()) > limit else g)"),
            limited_to_five,
            limited_by_root_mean_square,
        ],
        "A tensor is asked for; this is a float": [lambda h, limit: limit],
        "The sum of the absolute values": [limited_by_the_sum_in_double],
        "the length squared": [
            edited(limited, "_shortened(g, limit))", "g * limit / (g * g).sum() if (g * g).sum() > limit else g)")
        ],
        "by that something was divided": [
            edited(limited, "_shortened(g, limit))", "g / g.norm() * min(limit, g.norm().item()))")
        ],
    },
)
