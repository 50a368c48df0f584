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


def scaled_in_place(numbers, scale):
    weights = mg.tensor(numbers, requires_grad=True)
    weights *= scale
    return weights


def flagged_twice(numbers, scale):
    return mg.tensor(numbers, requires_grad=True).mul(scale).requires_grad_()


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


def by_grad_fn(tensor):
    return "parameter" if tensor.grad_fn is None else "result"


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


def only_sliced(parameters, count):
    return parameters[count:]


def assigned_to_the_method(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad_ = False
    return parameters[count:]


def froze_one_more(parameters, count):
    for number, parameter in enumerate(parameters):
        if number <= count:
            parameter.requires_grad = False
    return [parameter for parameter in parameters if parameter.requires_grad]


def returned_all(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
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


def forgot_tanh(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    ((hidden.sum() - target) ** 2).backward()
    return hidden.grad


def forgot_the_square(w, x, target):
    hidden = w * x
    (gradient,) = mg.autograd.grad(hidden.tanh().sum() - target, hidden)
    return gradient


def target_from_each(w, x, target):
    hidden = w * x
    (gradient,) = mg.autograd.grad(((hidden.tanh() - target) ** 2).sum(), hidden)
    return gradient


WRONG = {
    "small_weights": [
        (flag_first, "The flag came first"),
        (no_flag, "The flag was not set"),
        (flag_lost_by_detach, "The flag was not set"),
        (without_parentheses, "without its parentheses"),
        (forgot_the_scale, "The scale was left out"),
        (scaled_in_place, "may not be written to"),
        (flagged_twice, "The flag came first"),
        (list_times_float, "make a tensor of the list first"),
    ],
    "kind_of": [
        (leaf_is_parameter, "is_leaf was asked first"),
        (by_grad_fn, "is_leaf was asked first"),
        (flag_is_parameter, "results have it from their inputs"),
        (flag_is_result, "every tensor with the flag counts as a result"),
        (by_grad, "Whether .grad is None says only"),
        (swapped_words, "have changed places"),
    ],
    "freeze_first": [
        (froze_copies, "The caller's tensors are as they were"),
        (only_sliced, "The caller's tensors are as they were"),
        (assigned_to_the_method, "requires_grad_ is a method"),
        (froze_one_more, "One too many was frozen"),
        (returned_all, "All tensors were returned"),
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
        (forgot_tanh, "tanh is missing"),
        (forgot_the_square, "The square is missing"),
        (target_from_each, "target was subtracted from each element"),
        (walked_twice_and_kept, "This is twice the gradient"),
        (walked_twice, "a second time over the same graph"),
    ],
}
