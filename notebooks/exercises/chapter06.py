"""What the exercises of chapter 06 share: a backward, run and watched."""

from minigrad.autograd import grad
from minigrad.teach import function_of, observer, walked_again

from .writes import Given


def sends(name, forward, saved, backward):
    """For `plug`: what a Function with this backward, whose forward has `saved` tensors of these names, sends to its
    first argument, and whether it has written to what it was given. The last argument of a case is grad_output.
    """

    @observer
    def run(backward, x, *others):
        *others, weights = others
        x, weights = x.detach().clone().requires_grad_(), weights.clone()  # whatever is written, it is not to the case
        y = function_of(name, forward, backward).apply(x, *others)
        given = Given(grad_output=weights, **dict(zip(saved, y.grad_fn.saved_tensors, strict=True)))
        (gradient,) = grad(y, x, weights, retain_graph=True, allow_unused=True)
        sent = None if gradient is None else gradient.detach().clone()  # a second walk may write where it lies
        return {"the answer": sent, **given.seen(), **walked_again(y, [x], weights)}

    return run(backward)
