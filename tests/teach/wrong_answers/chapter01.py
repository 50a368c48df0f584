"""Wrong answers to the exercises of chapter 01, and the words that each must be met with."""

from __future__ import annotations

import warnings

import minigrad as mg

# small_weights


def flag_first(numbers, scale):
    return mg.tensor(numbers, requires_grad=True) * scale


def no_flag(numbers, scale):
    return mg.tensor(numbers) * scale


def flag_lost_by_detach(numbers, scale):
    return (mg.tensor(numbers, requires_grad=True) * scale).detach()


def without_parentheses(numbers, scale):
    return (mg.tensor(numbers) * scale).requires_grad_


def forgot_the_scale(numbers, scale):
    return mg.tensor(numbers, requires_grad=True)


def list_times_float(numbers, scale):
    return mg.tensor(numbers * scale, requires_grad=True)


# kind_of


def leaf_is_parameter(tensor):
    if tensor.is_leaf:
        return "parameter"
    return "result"


def flag_is_parameter(tensor):
    return "parameter" if tensor.requires_grad else "data"


def flag_is_result(tensor):
    return "result" if tensor.requires_grad else "data"


def by_grad(tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "parameter" if tensor.grad is not None else "data"


def swapped_words(tensor):
    if not tensor.requires_grad:
        return "data"
    return "result" if tensor.is_leaf else "parameter"


# freeze_first


def froze_copies(parameters, count):
    for parameter in parameters[:count]:
        parameter.detach().requires_grad_(False)
    return parameters[count:]


def froze_the_last(parameters, count):
    for parameter in parameters[count:]:
        parameter.requires_grad = False
    return parameters[:count]


def froze_all(parameters, count):
    for parameter in parameters:
        parameter.requires_grad = False
    return parameters[count:]


def returned_the_frozen(parameters, count):
    frozen = parameters[:count]
    for parameter in frozen:
        parameter.requires_grad = False
    return frozen


def emptied_the_list(parameters, count):
    for _ in range(count):
        parameters.pop(0).requires_grad_(False)
    return parameters


# middle_gradient


def did_not_retain_hidden(w, x, target):
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hidden.grad


def retained_too_late(w, x, target):
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    hidden.retain_grad()
    return hidden.grad


def gradient_of_w(w, x, target):
    hidden = w * x
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward()
    return w.grad


def gradient_after_tanh(w, x, target):
    hidden = (w * x).tanh()
    hidden.retain_grad()
    ((hidden.sum() - target) ** 2).backward()
    return hidden.grad


def hidden_instead(w, x, target):
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden


def walked_twice_and_kept(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward(retain_graph=True)
    loss.backward()
    return hidden.grad


def walked_twice(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward()
    loss.backward()
    return hidden.grad


WRONG = {
    "small_weights": [
        (flag_first, "The flag came first"),
        (no_flag, "The flag was not set"),
        (flag_lost_by_detach, "The flag was not set"),
        (without_parentheses, "without its parentheses"),
        (forgot_the_scale, "The scale was left out"),
        (list_times_float, "make a tensor of the list first"),
    ],
    "kind_of": [
        (leaf_is_parameter, "is_leaf was asked first"),
        (flag_is_parameter, "results have it from their inputs"),
        (flag_is_result, "every tensor with the flag counts as a result"),
        (by_grad, "Whether .grad is None says only"),
        (swapped_words, "have changed places"),
    ],
    "freeze_first": [
        (froze_copies, "what you froze are new ones"),
        (froze_the_last, "The wrong end was frozen"),
        (froze_all, "All of them were frozen"),
        (returned_the_frozen, "The frozen ones were returned"),
        (emptied_the_list, "The list itself was changed"),
    ],
    "middle_gradient": [
        (did_not_retain_hidden, "a result keeps no gradient"),
        (retained_too_late, "a result keeps no gradient"),
        (gradient_of_w, "This is the gradient of w"),
        (gradient_after_tanh, "This is the gradient of tanh(hidden)"),
        (hidden_instead, "This is hidden itself"),
        (walked_twice_and_kept, "This is twice the gradient"),
        (walked_twice, "a second time over the same graph"),
    ],
}
