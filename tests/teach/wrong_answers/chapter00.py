"""Wrong answers to the exercise of chapter 00, and the words that each must be met with."""

from __future__ import annotations

from minigrad.teach import EXERCISES

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}


def forgot_x(w, x, b, target):
    return 2 * (w * x + b - target)


def forgot_the_two(w, x, b, target):
    return (w * x + b - target) * x


def turned_around(w, x, b, target):
    return 2 * (target - (w * x + b)) * x


def for_x_instead(w, x, b, target):
    error = w * x + b - target
    return 2 * error * w


def the_loss(w, x, b, target):
    return (w * x + b - target) ** 2


def without_the_error(w, x, b, target):
    return 2 * x


def the_error(w, x, b, target):
    return w * x + b - target


def added_the_slopes(w, x, b, target):
    error = w * x + b - target
    return 2 * error + x


def over_a_whole_step(w, x, b, target):
    return the_loss(w + 1, x, b, target) - the_loss(w, x, b, target)


def forgot_b(w, x, b, target):
    guess = w * x
    return 2 * (guess - target) * x


def size_only(w, x, b, target):
    return abs(2 * x * (w * x + b - target))


def against_the_slope(w, x, b, target):
    return -2 * (w * x + b - target) * x


WRONG = {
    "slope_of_w": [
        (forgot_x, "The last step is missing"),
        (forgot_the_two, "The factor of the square is missing"),
        (turned_around, "The sign is turned around"),
        (for_x_instead, "This is the slope for x"),
        (the_loss, "This is the loss itself"),
        (without_the_error, "the size of the error has got lost"),
        (the_error, "This is the error"),
        (added_the_slopes, "Along a path they are multiplied"),
        (over_a_whole_step, "over a whole step of w"),
        (forgot_b, "b is missing"),
        (size_only, "The sign has got lost"),
        (against_the_slope, "The sign is turned around"),
    ],
}
