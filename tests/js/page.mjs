// What a widget's ESM needs in order to run in node: a document, and a model as anywidget gives one to render().
//
//   import { openPage, loadModule, makeModel } from "./page.mjs";
//   const page = openPage();                                   // window, document and the like become globals
//   const widget = await loadModule("viz/static/stepper.mjs");
//   const model = makeModel({ index: 0 });
//   const cleanup = await widget.default.render({ model, el: page.host });
//   ...
//   page.close();

import { Window } from "happy-dom";

const BROWSER_NAMES = [
  "document",
  "navigator",
  "location",
  "sessionStorage",
  "localStorage",
  "matchMedia",
  "getComputedStyle",
  "requestAnimationFrame",
  "cancelAnimationFrame",
  "Node",
  "Element",
  "HTMLElement",
  "SVGElement",
  "ShadowRoot",
  "DOMParser",
  "Event",
  "CustomEvent",
  "KeyboardEvent",
  "MouseEvent",
  "PointerEvent",
  "FocusEvent",
  "InputEvent",
  "MutationObserver",
  "ResizeObserver",
  "IntersectionObserver",
];

/**
 * Open an empty page whose names are globals, with an element `host` for a widget. Close it to let node's process end.
 */
export function openPage() {
  const window = new Window({ url: "http://localhost/", width: 1200, height: 900 });
  const before = new Map(
    ["window", ...BROWSER_NAMES].map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
  );
  for (const name of before.keys()) {
    const value = name === "window" ? window : window[name];
    const bound = typeof value === "function" && /^[a-z]/.test(name) ? value.bind(window) : value;
    Object.defineProperty(globalThis, name, { value: bound, configurable: true, writable: true });
  }
  /** @type {any} */
  const host = window.document.createElement("div"); // happy-dom has types of its own
  window.document.body.append(host);
  return {
    window,
    document: window.document,
    host,
    async close() {
      await window.happyDOM.close();
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        else delete globalThis[name];
      }
    },
  };
}

/** Import one of the package's modules, by its path under minigrad/. */
export async function loadModule(path) {
  return import(new URL(`../../minigrad/${path}`, import.meta.url).href);
}

/**
 * A model with the methods that anywidget documents: get, set, save_changes, on, off, send. As in Backbone, set() tells
 * "change:name" at once and only when the value is another one. `saved` holds what each save_changes() would have sent
 * to the kernel, `sent` the messages of send(), and fromKernel(values) is a change that the kernel made.
 */
export function makeModel(values) {
  const state = { ...values };
  const listeners = new Map();
  let unsaved = {};
  const tell = (event, ...details) => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...details);
  };
  const change = (name, value) => {
    if (Object.is(state[name], value)) return false;
    state[name] = value;
    tell(`change:${name}`, model, value);
    return true;
  };
  const model = {
    saved: [],
    sent: [],
    get: (name) => state[name],
    set(name, value) {
      if (!change(name, value)) return;
      unsaved[name] = value;
      tell("change", model);
    },
    save_changes() {
      if (Object.keys(unsaved).length) model.saved.push(unsaved);
      unsaved = {};
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    off(event, listener) {
      if (event == null) listeners.clear();
      else listeners.set(event, listener ? (listeners.get(event) ?? []).filter((other) => other !== listener) : []);
    },
    send: (content) => model.sent.push(content),
    fromKernel(changes) {
      const changed = Object.entries(changes).filter(([name, value]) => change(name, value));
      if (changed.length) tell("change", model);
    },
    listenerCount: () => [...listeners.values()].reduce((total, list) => total + list.length, 0),
  };
  return model;
}
