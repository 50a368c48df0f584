// Recorded passes as models, for the tests of the widget: examples.json, which tests/viz/test_page_examples.py writes.

import { readFile } from "node:fs/promises";
import { makeModel } from "./page.mjs";

export const examples = JSON.parse(await readFile(new URL("./examples.json", import.meta.url), "utf-8"));

/** A page without a kernel: everything is recorded, nothing can run. */
export function saved(name = "example", values = {}) {
  return makeModel({
    ...examples[name],
    index: 0,
    finished: true,
    answered: 0,
    problem: {},
    request: {},
    breaks: [],
    live: false,
    ...values,
  });
}

/** The same with some frames changed: `change(frame, k)` gets each frame. */
export function changed(name, change, about = (boxes) => boxes) {
  const recorded = examples[name].recorded.map((text, k) => {
    const frame = JSON.parse(text);
    change(frame, k);
    return JSON.stringify(frame);
  });
  const picture = structuredClone(examples[name].picture);
  about(picture.boxes);
  return saved(name, { recorded, picture });
}

export const key = (target, name, more = {}) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
export const press = (root, name) => root.querySelector(`.mg-press-${name}`).click();
export const step = (root) => Number(root.getAttribute("data-step"));
export const classes = (element) => element.getAttribute("class").split(" ");
export const texts = (root, selector) => [...root.querySelectorAll(selector)].map((element) => element.textContent);
export const boxNamed = (root, name) =>
  [...root.querySelectorAll("[data-box]")].find((box) => box.querySelector(".mg-name").textContent === name);
export const groupNamed = (root, name) => {
  const title = [...root.querySelectorAll(".mg-group-title")].find(
    (one) => one.querySelector(".mg-name").textContent === name,
  );
  return root.querySelector(`.mg-group[data-group="${title.getAttribute("data-group")}"]`);
};
export const shown = (element) => element.getAttribute("display") !== "none";
