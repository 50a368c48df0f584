"""What the functions mean that the engine's rules call, as a formula or in words.

A rule may call a kernel or a helper whose name says nothing to a learner: `softmax_gradient(g, result, dim)`. Here
stands what it computes: `DEFINITIONS` give an expression, which is simplified and written like any other, `PHRASES` a
few words where a formula would hide what happens (something is moved, picked, put together). Both are texts only: what
a step shows as its number comes from the engine.
"""

from __future__ import annotations

from collections.abc import Mapping

# Of a layer that normalizes its input, and of one that leaves the mean where it is; with a weight, ĝ is g times that.
CENTRED, SCALED = "(ĝ - mean(ĝ) - x̂ × mean(ĝ × x̂)) / σ", "(ĝ - x̂ × mean(ĝ × x̂)) / σ"
NORMALIZED = "x̂ being the normalized {x}, σ its deviation, and each mean over what was normalized together"

# Name of a function -> its parameters, and what it computes; parameters that the text does not use are left out of it.
DEFINITIONS: Mapping[str, tuple[str, str]] = {
    # what is there for the engine alone
    "as_function_of": ("x", "x"),
    "of_one_function": ("x", "x"),
    "float": ("x", "x"),
    "cast": ("x", "x"),
    "astype": ("x", "x"),
    "unbroadcast": ("x shape", "sum_to(x, shape)"),
    "fit_gradient": ("x shape", "sum_to(x, shape)"),
    "matrix_transpose": ("x", "x.T"),
    "pow_number": ("x exponent", "x ** exponent"),
    "div_down": ("x y", "x // y"),
    "mean_dims": ("x", "mean(x)"),
    "zeros": ("", "0"),
    "expand_reduced": ("x shape", "expand(x, shape)"),
    # losses
    "element_gradient": ("x like reduction", "x / max(like.size, 1) if reduction == 'mean' else x"),
    "_huber_gradient": (
        "x self target reduction delta",
        "element_gradient(x, self, reduction) * clamp_to_numbers(self - target, -delta, delta)",
    ),
    # softmax and its kind: sums along the dimension of the probabilities
    "softmax_gradient": ("x result", "result * (x - sum(x * result))"),
    "log_softmax_gradient": ("x result", "x - exp(result) * sum(x)"),
    # activations
    "where_positive": ("x point", "where(point > 0, x, 0)"),
    "leaky_relu_gradient": ("x point slope", "where(point > 0, x, slope * x)"),
    "_leaky_gradient_from_result": ("x point slope", "where(point > 0, x, slope * x)"),
    "_silu_slope": ("x", "sigmoid(x) * (1 + x * (1 - sigmoid(x)))"),
    "_gelu_slope": (
        "x approximate",
        "(normal_cdf(x) + x * normal_density(x)) if approximate == 'none' else gelu_slope(x)",
    ),
    "_inside": (
        "x min max",
        "min <= x <= max if min != None and max != None else x >= min if max == None else x <= max",
    ),
    # reductions
    "_shared_by_equals": ("x self result", "where(self == result, x / ties(self, result), 0)"),
    "_shared_along": (
        "x self",
        "words('{g} in equal parts to the elements of {x} that were taken, 0 elsewhere', x, self)",
    ),
    "norm_gradient": (
        "x self result p",
        "0 if p == 0 else x * sign(self) if p == 1 else x * where(result == 0, 0, self / result) if p == 2 "
        "else words('{g} × sign({x}) where |{x}| is the norm, 0 elsewhere', x, self) if abs(p) == math.inf "
        "else x * sign(self) * (abs(self) / result) ** (p - 1)",
    ),
    # tables
    "add_rows": (
        "x indices padding",
        "words('the rows of {g} added up at the rows that were looked up, 0 elsewhere', x) if padding < 0 else "
        "words('the rows of {g} added up at the rows that were looked up, 0 elsewhere and in row {x}, "
        "which is padding', x, padding)",
    ),
    # matrices
    "_gradient_of_matrix": (
        "x A result vector",
        "-outer(solve(A.T, x), result) if vector else -(solve(A.T, x) @ result.T)",
    ),
    "linalg_solve_ex": ("A x", "solve(A, x)"),
}

# Name of a function -> what it gives, in words; {0} is its first argument, {shape} a shape among its arguments.
PHRASES: Mapping[str, str] = {
    "reshape": "{0} reshaped to {shape}",
    "expand": "{0} repeated to {shape}",
    "permute": "{0} with its dimensions back in order",
    "transpose": "{0} with two dimensions swapped",
    "swapaxes": "{0} with two dimensions swapped",
    "flip": "{0} flipped back",
    "squeeze_one": "{0} without the added dimension",
    "reduce": "{2} with its dimensions of size 1 again",
    "sum_to": "{0} summed to {shape}",
    "sum_dims": "{0} summed over dim {shape}",
    "sum_all": "the sum of all of {0}",
    "channel_sums": "{0} summed for each channel",
    "bias_gradient": "{0} summed over all that it was added to",
    "weight_gradient": "{0} × x̂ summed over all that it scaled, x̂ being the normalized {1}",
    "index_backward": "{0} at the places that were picked, 0 elsewhere",
    "_put_at_indices": "{0} at the places that the values came from, 0 elsewhere",
    "index_add": "{0} added up at the places that were picked, 0 elsewhere",
    "scatter_add": "{1} added up at the places that were picked, 0 elsewhere",
    "gather": "{0} at the places that were written",
    "advanced_index": "{0} at the places that were written",
    "scatter_number": "{0}, with 0 at the places that were written",
    "index_put": "{0}, with 0 at the places that were written",
    "masked_fill": "{0}, with 0 where the mask is true",
    "constant_pad": "{0} without the padding",
    "diagonal": "the diagonal of {0}",
    "diagonal_backward": "{0} on the diagonal, 0 elsewhere",
    "tril": "the lower triangle of {0}",
    "triu": "the upper triangle of {0}",
    "unbind": "its own slice of {0}",
    "part": "its own part of {0}",
    "_sum_of_copies": "{0} summed over its copies",
    "_stacked": "the gradients of the slices, stacked again",
    "_joined": "the gradients of the pieces, joined again",
    "sums_to_the_end": "{0} summed from each place to the end",
    "embedding": "the rows of {0} that were looked up",
    "max_pool_input": "{0} at the largest of each window, 0 elsewhere",
    "max_pool_pick": "{0} at the largest of each window",
    "transposed_convolution": "{0} spread back through {1}, a transposed convolution",
    "convolution": "{0} convolved with {1}",
    "convolution_weight": "{0} correlated with {1}",
    "mix": "{0} shared out over the elements that each was mixed from",
    "put_part": "{0} in its part, 0 elsewhere",
    "take_part": "the part of {0} that it became",
    "without_part": "{0}, with 0 in the part that was written",
    "nll": "{0} picked at the targets, times -1",
    "_gradient_of_cofactors": "the derivative of the cofactors, applied to {0}",
    "_cholesky_gradient": "the derivative of the Cholesky factor, applied to {0}",
    "ones_at": "{0} at each target, 0 elsewhere",
}

# Calls that a reader may skip inside a longer formula.
SKIPPED = ("reshape", "expand", "squeeze_one")
