"""Exercise `convolution_rule`: the backward of a convolution, with its stride."""

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw

from .chapter14 import WRITTEN, drawn_array
from .chapter15 import MADE_BY, convolution_rule, convolved, has_another_default, rule_by_hand


def _case(x, weight, stride=1, g=None, words=""):
    x, weight = np.asarray(x, float), np.asarray(weight, float)
    y = convolved(x, weight, stride)
    g = np.asarray(g, float).reshape(y.shape) if g is not None else drawn_array(np.random.default_rng(1), y.shape)
    given = words or f"x = {x.tolist()}, weight = {weight.tolist()}, g = {g.tolist()}"
    return Case(f"{given}, stride = {stride}", lambda: (g, y, x, weight, stride))


def _by_default():
    """As the engine calls a rule: the stride is not given."""
    x, weight, g = np.array([[[[1.0, -2.0, 3.0]]]]), np.array([[[[2.0, 0.5]]]]), np.array([[[[1.0, 3.0]]]])
    words = f"x = {x.tolist()}, weight = {weight.tolist()}, g = {g.tolist()}; stride is not given, so it is the default"
    return Case(words, lambda: (g, convolved(x, weight), x, weight))


def _turned():
    """Arrays of which the last axis is not the one that lies together in memory, as of a layer below, or of .T."""
    random = np.random.default_rng(5)
    x, weight, g = (drawn_array(random, shape).T for shape in ((3, 4, 2, 2), (2, 3, 2, 3), (2, 2, 3, 2)))
    return _case(x, weight, g=g, words="x, weight and g are transposes, x of shape [2, 2, 4, 3]")


def _of_shapes(x, weight, stride, random=None):
    random = random or np.random.default_rng(sum(x) + stride)
    images, kernel = drawn_array(random, x), drawn_array(random, weight)
    return _case(images, kernel, stride, words=f"x of shape {list(x)}, weight of shape {list(weight)}")


def _drawn(random):
    """Two images of one to three channels, all sizes different."""
    k, m = random.integers(1, 4, 2).tolist()
    height, width = k + random.integers(4), m + random.integers(4)
    shapes = (2, int(random.integers(1, 4)), int(height), int(width)), (int(random.integers(1, 3)), 0, k, m)
    yield _of_shapes(shapes[0], (shapes[1][0], shapes[0][1], k, m), int(random.integers(1, 4)), random)


def _evidence(outcome):
    """Each number of x and weight moved, and what that does to the sum of g * y."""
    g, _, x, weight, *stride = outcome.arguments
    if x.size + weight.size > 14 or not np.isfinite([*g.flat, *x.flat]).all():
        return ""
    found = []
    for name, array in (("x", x), ("weight", weight)):
        slopes = np.zeros_like(array)
        if not all(np.isfinite(one).all() for one in (g, x, weight)):
            return ""  # nothing can be measured there
        for place in np.ndindex(array.shape):
            up, down = array.copy(), array.copy()
            up[place] += 0.5
            down[place] -= 0.5
            pairs = [(one, weight) if name == "x" else (x, one) for one in (up, down)]
            one, other = [(g * convolved(*pair, *stride)).sum() for pair in pairs]
            slopes[place] = one - other
        found.append(f"  each element of {name} moved by 0.5 to both sides: {(slopes + 0.0).round(4).tolist()}")
    return "\n".join(found)


# ---------------------------------------------------------------- wrong answers

TO_X = "to_x[met] += np.tensordot(g, weight[:, :, i, j], (1, 0)).transpose(0, 3, 1, 2)"
overwritten = edited(convolution_rule, "to_x[met] +=", "to_x[met] =")
turned_kernel = edited(convolution_rule, "g, weight[:, :, i, j]", "g, weight[:, :, -1 - i, -1 - j]")
turned_weight = edited(convolution_rule, "to_weight[:, :, i, j]", "to_weight[:, :, -1 - i, -1 - j]")
averaged = edited(convolution_rule, "return to_x, to_weight", "return to_x, to_weight / len(x)")
times_0 = edited(convolution_rule, "np.zeros_like(x), np.zeros_like(weight)", "0 * x, 0 * weight")
times_0_for_x = edited(convolution_rule, "np.zeros_like(x)", "0 * x")
first_image = edited(convolution_rule, "np.tensordot(g, x[met]", "np.tensordot(g[:1], x[met][:1]")
last_image = edited(convolution_rule, "np.tensordot(g, x[met]", "np.tensordot(g[-1:], x[met][-1:]")
first_channel = edited(convolution_rule, TO_X, "to_x[met] += g[:, :1] * weight[:1, :, i, j, None, None]")
all_images = edited(convolution_rule, "np.tensordot(g, weight", "np.tensordot(g.sum(0, keepdims=True), weight")
nan_to_num_in_place = edited(
    convolution_rule, "    to_x, to_weight = np", "    np.nan_to_num(g, copy=False)\n    to_x, to_weight = np"
)
swapped = edited(convolution_rule, "return to_x, to_weight", "return to_weight, to_x")
no_x = edited(convolution_rule, TO_X, "pass")
with_y = edited(convolution_rule, "np.tensordot(g, x[met]", "np.tensordot(y, x[met]")
whole_weight = edited(convolution_rule, "weight[:, :, i, j], (1, 0)", "weight.sum((2, 3)), (1, 0)")


def no_stride(g, y, x, weight, stride=1):
    """The stride is not in it. In the forward the kernel moved by `stride` pixels, so place p of the result looked at
    the pixels from p * stride on, and that is where its gradient goes.
    """
    return convolution_rule(g, y, x, weight)


def one_off(g, y, x, weight, stride=1):
    """The gradients lie one pixel too far, wherever the stride is not 1: place p looked at the pixels from p * stride
    on, and the first place looked at the first pixel.
    """
    to_x, to_weight = np.zeros_like(x), np.zeros_like(weight)
    first = stride - 1
    for p, q in np.ndindex(g.shape[2:]):
        k, m = (
            min(p * stride + first, x.shape[2] - weight.shape[2]),
            min(q * stride + first, x.shape[3] - weight.shape[3]),
        )
        met = np.s_[:, :, k : k + weight.shape[2], m : m + weight.shape[3]]
        to_x[met] += np.tensordot(g[:, :, p, q], weight, (1, 0))
        to_weight += np.tensordot(g[:, :, p, q], x[met], (0, 0))
    return to_x, to_weight


def no_stride_for_weight(g, y, x, weight, stride=1):
    return convolution_rule(g, y, x, weight, stride)[0], convolution_rule(g, y, x, weight)[1]


def no_stride_for_x(g, y, x, weight, stride=1):
    return convolution_rule(g, y, x, weight)[0], convolution_rule(g, y, x, weight, stride)[1]


def cut_off(g, y, x, weight, stride=1):
    rows, columns = ((places - 1) * stride + size for places, size in zip(g.shape[2:], weight.shape[2:], strict=True))
    to_x, to_weight = convolution_rule(g, y, x, weight, stride)
    return to_x[:, :, :rows, :columns], to_weight


rows_only = edited(convolution_rule, "j : j + stride * columns : stride]", "j * 1 : j + columns]")
square = edited(convolution_rule, "rows, columns = g.shape[2:]", "rows = columns = g.shape[2]")
square_kernel = edited(
    convolution_rule, "np.ndindex(weight.shape[2:])", "np.ndindex(weight.shape[2], min(weight.shape[2:]))"
)
to_the_end = edited(
    convolution_rule, "i : i + stride * rows : stride, j : j + stride * columns : stride", "i::stride, j::stride"
)


def written_to(g, y, x, weight, stride=1):
    """One of the arrays that the rule is given holds other numbers now. They belong to others: write into arrays of
    your own.
    """
    right = convolution_rule(g, y, x, weight, stride)
    x.fill(0.0)
    return right


def added_at_once(g, y, x, weight, stride=1):
    to_x = np.zeros_like(x)
    view = np.lib.stride_tricks.sliding_window_view(to_x, weight.shape[2:], axis=(2, 3), writeable=True)
    view[:, :, ::stride, ::stride] += np.einsum("nopq,ockl->ncpqkl", g, weight)
    return to_x, convolution_rule(g, y, x, weight, stride)[1]


def added_by_indices(g, y, x, weight, stride=1):
    to_x = np.zeros_like(x)
    p, q, k, m = np.ogrid[tuple(map(slice, (*g.shape[2:], *weight.shape[2:])))]
    to_x[:, :, p * stride + k, q * stride + m] += np.einsum("nopq,ockl->ncpqkl", g, weight)
    return to_x, convolution_rule(g, y, x, weight, stride)[1]


# ---------------------------------------------------------------- tried as well


def by_places(g, y, x, weight, stride=1):
    to_x, to_weight = np.zeros_like(x), np.zeros_like(weight)
    high, wide = weight.shape[2:]
    for p, q in np.ndindex(g.shape[2:]):
        top, left = p * stride, q * stride
        to_x[:, :, top : top + high, left : left + wide] += np.einsum("no,ockl->nckl", g[:, :, p, q], weight)
        to_weight += np.einsum("no,nckl->ockl", g[:, :, p, q], x[:, :, top : top + high, left : left + wide])
    return to_x, to_weight


of_the_last_place = edited(by_places, "to_weight += np", "to_weight[...] = np")
of_the_sum = edited(convolution_rule, "    rows, columns = g", "    g = np.ones_like(g)\n    rows, columns = g")
overwritten_by_places = edited(
    by_places, 'left + wide] += np.einsum("no,ockl->nckl', 'left + wide] = np.einsum("no,ockl->nckl'
)


square_by_places = edited(by_places, "np.ndindex(g.shape[2:])", "np.ndindex(g.shape[2], g.shape[2])")
without_g = edited(
    by_places, 'np.einsum("no,nckl->ockl", g[:, :, p, q], x', 'np.einsum("no,nckl->ockl", g[:, :, p, q] ** 0, x'
)
mean_over_places = edited(by_places, "return to_x, to_weight", "return to_x, to_weight / (g.shape[2] * g.shape[3])")


def by_numbers(g, y, x, weight, stride=1):
    to_x, to_weight = np.zeros(x.shape), np.zeros(weight.shape)
    for n, o, p, q in np.ndindex(g.shape):
        for c, k, m in np.ndindex(weight.shape[1:]):
            to_x[n, c, p * stride + k, q * stride + m] += g[n, o, p, q] * weight[o, c, k, m]
            to_weight[o, c, k, m] += g[n, o, p, q] * x[n, c, p * stride + k, q * stride + m]
    return to_x, to_weight


def by_windows(g, y, x, weight, stride=1):
    """The gradient of x as a convolution of g, spread out and with a border, with the kernel turned around."""
    (n, o, rows, columns), (high, wide) = g.shape, weight.shape[2:]
    spread = np.zeros((n, o, x.shape[2] + high - 1, x.shape[3] + wide - 1))
    spread[:, :, high - 1 :: stride, wide - 1 :: stride][:, :, :rows, :columns] = g
    to_x = convolved(spread, weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
    seen = np.lib.stride_tricks.sliding_window_view(x, (high, wide), axis=(2, 3))[:, :, ::stride, ::stride]
    return to_x, np.einsum("nopq,ncpqkl->ockl", g, seen)


def between_zeros(g, y, x, weight, stride=1):
    """Both gradients as convolutions whose stride is 1, with zeros between the numbers of g."""
    high, wide = weight.shape[2:]
    spread = np.zeros((*g.shape[:2], x.shape[2] - high + 1, x.shape[3] - wide + 1))
    spread[:, :, ::stride, ::stride] = g
    seen = np.lib.stride_tricks.sliding_window_view(x, spread.shape[2:], axis=(2, 3))
    with_border = np.pad(spread, ((0, 0), (0, 0), (high - 1, high - 1), (wide - 1, wide - 1)))
    to_x = convolved(with_border, weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
    return to_x, np.einsum("nopq,ncklpq->ockl", spread, seen)


def by_matrices(g, y, x, weight, stride=1):
    """Which pixel place p of the result meets with place k of the kernel, as a 1 among zeros."""
    sizes = zip(x.shape[2:], weight.shape[2:], g.shape[2:], strict=True)
    rows, columns = (np.arange(n) == np.add.outer(np.arange(p) * stride, np.arange(k))[..., None] for n, k, p in sizes)
    to_x = np.einsum("nopq,ockl,pkh,qlw->nchw", g, weight, rows, columns, optimize=True)
    return to_x, np.einsum("nopq,nchw,pkh,qlw->ockl", g, x, rows, columns, optimize=True)


def in_rows(g, y, x, weight, stride=1):
    """As if the numbers of x lay in memory row by row."""
    (rows, columns), size = weight.shape[2:], x.itemsize
    images, channels, height, width = x.shape
    steps = (channels * height * width, height * width, width * stride, stride, width, 1)
    shape = (images, channels, *g.shape[2:], rows, columns)
    seen = np.lib.stride_tricks.as_strided(x, shape, [size * step for step in steps])
    return convolution_rule(g, y, x, weight, stride)[0], np.einsum("nopq,ncpqkl->ockl", g, seen)


def by_minigrad(g, y, x, weight, stride=1):
    leaves = [mg.tensor(one, requires_grad=True) for one in (x, weight)]
    out = mg.nn.functional.conv2d(*leaves, stride=stride)
    return tuple(one.numpy() for one in mg.autograd.grad(out, leaves, mg.tensor(g)))


_buffers = {}


def into_buffers(g, y, x, weight, stride=1):
    found = convolution_rule(g, y, x, weight, stride)
    kept = _buffers.setdefault(tuple(one.shape for one in found), found)
    for buffer, one in zip(kept, found, strict=True):
        buffer[...] = one
    return kept


_strides = {}


def by_an_earlier_stride(g, y, x, weight, stride=1):
    """What the shapes decide is kept for them, and the stride with it."""
    kept = _strides.setdefault((x.shape, weight.shape), stride)
    rows, columns = ((size - kernel) // kept + 1 for size, kernel in zip(x.shape[2:], weight.shape[2:], strict=True))
    return convolution_rule(g[:, :, :rows, :columns], y, x, weight, kept)


EXERCISE = Exercise(
    title="the gradients of x and weight, where y is a convolution, in a tuple",
    stars=3,
    minutes=18,
    reference=convolution_rule,
    plug=rule_by_hand("gradient of x", "gradient of weight"),
    cases=(
        _case([[[[1.0, 2.0, 3.0]]]], [[[[10.0, 20.0]]]], g=[1.0, -1.0]),
        _case([[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]], [[[[1.0], [-1.0]]]], g=[1.0, 0.0, 2.0, 3.0]),
        _case([[[[1.0, 2.0, 3.0, 4.0, 5.0]]]], [[[[10.0, 20.0]]]], stride=2, g=[1.0, -1.0]),
        _case([[[[0.1234567], [2.0], [-1.0], [0.5]]]], [[[[0.0], [0.3333333]]]], g=[1.0, -0.7654321, 0.0]),
        _case([[[[1.0, 2.0, 3.0, 4.0]]]], [[[[10.0, 20.0, 30.0]]]], g=[0.0, 0.0]),
        _of_shapes((1, 1, 5, 3), (1, 1, 3, 2), 1),
        _of_shapes((2, 3, 4, 6), (2, 3, 2, 3), 1),
        _of_shapes((3, 2, 7, 6), (4, 2, 2, 3), 2),
        _of_shapes((3, 2, 7, 6), (4, 2, 2, 3), 1),
        _of_shapes((1, 2, 8, 5), (2, 2, 2, 1), 3),
        _of_shapes((2, 1, 3, 3), (1, 1, 3, 3), 2),
        _turned(),
        _by_default(),
        # one pixel: among several, a rule that is right by zeros, between the numbers of g or in a matrix, has 0 * nan
        _case([[[[1e200]], [[np.nan]]]], [[[[1.0]], [[-2.0]]], [[[0.5]], [[3.0]]]], g=[2.0, np.inf]),
    ),
    drawn=_drawn,
    notes={
        MADE_BY: "The gradients are right, and minigrad has computed them. A rule is what its walk calls: use numpy."
    },
    hints=(
        "y[n, o, p, q] is a sum of weight[o, c, k, l] * x[n, c, p * stride + k, q * stride + l]. Each "
        "product has two "
        "factors, and each factor gets g[n, o, p, q] times the other one.",
        "Take one place (i, j) of the kernel. It has met the pixels x[:, :, i : i + stride * rows : stride, j : j + "
        "stride * columns : stride], one for each number of g; rows and columns are those of g.",
        "For each i, j: to_x of those pixels += np.tensordot(g, weight[:, :, i, j], (1, 0)).transpose(0, 3, "
        "1, 2), and "
        "to_weight[:, :, i, j] = np.tensordot(g, those pixels of x, ((0, 2, 3), (0, 2, 3))).",
    ),
    evidence=_evidence,
    mistakes=(
        no_stride,
        Mistake(
            no_stride_for_weight,
            words="In the gradient of weight the stride is missing: weight[k, l] met the pixels at p * stride + k and "
            "q * stride + l, and not those at p + k and q + l.",
        ),
        Mistake(no_stride_for_x, words="The stride is in the gradient of weight, and not in that of x."),
        Mistake(
            cut_off,
            words="The gradient of x ends with the last window. It has the shape of x, and the pixels behind that "
            "window get 0: begin with np.zeros_like(x).",
        ),
        one_off,
        Mistake(
            overwritten,
            overwritten_by_places,
            added_at_once,
            added_by_indices,
            words="A pixel that lies in several windows has the gradient of one of them alone, as where = stands for "
            "+=, or += goes into all windows at once: it reads a pixel for all of them before it writes the first. "
            "Add up, in a loop.",
            near=True,
        ),
        Mistake(
            of_the_last_place,
            words="The gradient of weight is that of the last place of the result alone. Each place used the same "
            "weights, so add up what all of them give: +=.",
        ),
        Mistake(
            of_the_sum,
            words="What arrives, g, was not used: these are the gradients of the plain sum of y.",
        ),
        Mistake(
            turned_kernel,
            words="For x the kernel lies the wrong way around. In a convolution of g, spread out, it has to be turned; "
            "a loop over the kernel's places adds it as it is.",
        ),
        Mistake(turned_weight, words="The gradient of weight came out turned around, the last number first."),
        Mistake(
            averaged,
            words="The gradient of weight is a mean over the images. All images use the same weights, so it is a sum; "
            "the mean, if there is one, is in g already.",
        ),
        Mistake(
            times_0,
            times_0_for_x,
            words="Where x is nan or inf its gradient is nan, as if it began with 0 * x, which is no 0 there. "
            "np.zeros_like(x) makes zeros, whatever is in x.",
        ),
        Mistake(
            first_image,
            last_image,
            words="Only one image counts for the weight, the first, or the last, as where each writes over the one "
            "before it. All of them used it: add up.",
        ),
        Mistake(
            first_channel,
            words="Only the first kernel counts for x. Each of them looked at it: sum over the channels of g.",
        ),
        Mistake(
            all_images,
            words="What arrives at all images was summed before it went to x. Each image has a gradient of its own; "
            "the weights alone are shared.",
        ),
        Mistake(
            mean_over_places,
            words="The gradient of weight is a mean over the places of the result. The kernel lay on all of them: it "
            "is a sum.",
        ),
        Mistake(
            without_g,
            words="g is not in the gradient of weight: each window's pixels count times what arrives at its place.",
        ),
        Mistake(swapped, words="The two gradients have changed places: first that of x, then that of weight."),
        Mistake(no_x, words="The gradient of x is all zeros. A layer below this one would never learn."),
        Mistake(with_y, words="y stands where g is needed: what arrives counts, not what was computed."),
        Mistake(
            whole_weight,
            words="Each pixel got the sum of the whole kernel. It gets the one number that it was multiplied with.",
        ),
        Mistake(rows_only, words="The stride is in the rows, and not in the columns."),
        Mistake(square, square_by_places, words="Rows of g were taken for its columns: images need not be square."),
        Mistake(
            square_kernel,
            words="Not all columns of the kernel count, as where a loop ends too early, or rows are taken for columns: "
            "kernels need not be square.",
            near=True,
        ),
        Mistake(
            edited(convolution_rule, "stride=1", "stride"),
            edited(convolution_rule, "stride=1", "stride=2"),
            words="The engine calls a rule with g, y, x and weight. What it does not give has a default: stride=1, as "
            "it was.",
            when=has_another_default(1, given=4),
        ),
        Mistake(
            to_the_end,
            when=raised("could not be broadcast"),
            words="Two arrays do not fit; the error has their shapes. For a place of the kernel take as many pixels as "
            "g has, i : i + stride * rows : stride, and for a place of g as many as the kernel has. Images are axis 0 "
            "of x and g, channels axis 1 of x and weight, and kernels axis 1 of g and axis 0 of weight.",
        ),
        Mistake(written_to, nan_to_num_in_place, when=saw(WRITTEN, "changed")),
    ),
    right=(by_places, by_numbers, by_windows, between_zeros, by_matrices),
    wrong={
        "minigrad has computed them": [by_minigrad],
        "a later call has changed it": [into_buffers],
        "first difference": [
            in_rows,
            by_an_earlier_stride,
            edited(
                convolution_rule,
                ":\n        met",
                ":\n        if not weight[:, :, i, j].any():\n            continue\n        met",
            ),
            edited(convolution_rule, "return to_x, to_weight", "return to_x.round(9), to_weight.round(5)"),
            lambda g, y, x, weight, stride=1: convolution_rule(g, y, x, weight, min(stride, 2)),
            edited(convolution_rule, "return to_x, to_weight", "return np.nan_to_num(to_x), np.nan_to_num(to_weight)"),
            edited(
                convolution_rule,
                "np.zeros_like(weight)",
                "np.ones_like(weight)",
                "to_weight[:, :, i, j] =",
                "to_weight[:, :, i, j] +=",
            ),
        ],
        "kernels axis 1 of g and axis 0 of weight": [
            edited(convolution_rule, TO_X, 'to_x[met] += np.einsum("nopq,co->ncpq", g, weight[:, :, i, j])'),
        ],
        "how many gradients": [edited(convolution_rule, "return to_x, to_weight", "return [to_x, to_weight]")],
        "The shape is": [
            edited(convolution_rule, "return to_x", "return to_x if g.any() else np.zeros_like(g)"),
            edited(convolution_rule, "return to_x, to_weight", "return to_x[0], to_weight"),
        ],
    },
)
