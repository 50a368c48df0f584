"""The buttons of a stepper, as a reader gets to them: those that the bar does not show are in its menu."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def in_menu(place: Page | Locator, selector: str) -> Locator:
    """What stands in the menu, which is opened for it where it is closed."""
    menu = place.locator(".mg-more").first
    if menu.is_hidden():
        place.locator(".mg-press-more").first.click()
    return menu.locator(selector)


def press(place: Page | Locator, name: str) -> None:
    """Press a button, in the menu where the bar does not show it."""
    button = place.locator(f".mg-press-{name}").first
    button.wait_for(state="attached")  # what is not there yet counts as hidden
    if button.is_hidden():
        button = in_menu(place, f".mg-press-{name}")
    button.click()
