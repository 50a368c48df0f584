// How a part of the page is made. Nothing that a learner writes can become markup: every name, value
// and line of code gets into the page as a text node or an attribute, never as text that is parsed.

export const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Record<string, unknown>} attributes
 * @param {(Node | string)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Make an element: attributes as given, children as nodes or text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} attributes
 * @param {(Node | string)[]} children
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * A shape of the drawing with attributes and children.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} attributes
 * @param {(Node | string)[]} children
 */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * A name of the learner's: bold, kept from turning the text around it if it is written right to left, and broken after
 * dots first.
 * @param {string} text
 * @param {keyof HTMLElementTagNameMap} tag
 */
export function nameOf(text, tag = "b") {
  const parts = text.split(/(?<=[._])/);
  return make(
    tag,
    { class: "mg-a-name" },
    make("bdi", {}, ...parts.flatMap((part, k) => (k ? [make("wbr"), part] : [part]))),
  );
}

/**
 * A drawing given as text: parsed as XML, which either is well-formed or is not shown.
 * @param {string} markup
 * @returns {SVGSVGElement | null}
 */
export function drawingFrom(markup) {
  const parsed = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== SVG || parsed.localName !== "svg") return null;
  return document.importNode(/** @type {any} */ (parsed), true);
}

/** @type {Record<string, string>} */
const ICONS = {
  first: "M4 3v10M13 3L6 8l7 5z",
  back: "M11 3L4 8l7 5z",
  next: "M5 3l7 5-7 5z",
  over: "M2 10C3 3.5 11 3 13 9M13.6 4.6L13 9l-4.2-1.2M6.5 13h3",
  leave: "M8 13V4M4.4 7.2L8 3.6l3.6 3.6M3 13.5h2.5M10.5 13.5H13",
  play: "M8 1.6a6.4 6.4 0 1 0 .01 0zM6.4 5l4.8 3-4.8 3z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  breaks: "M5.3 1.6h5.4l3.7 3.7v5.4l-3.7 3.7H5.3l-3.7-3.7V5.3z",
  sizes: "M2 13c4-1 8-4 12-11M2 13c5 .4 9-.6 12-2",
  follows: "M2 3h12v10H2zM5 8h6M8.6 5.6L11 8l-2.4 2.4",
  predict: "M2 14l1-3.6L11.4 2 14 4.6 5.6 13z",
  legend: "M2.5 3.5h1M6.5 3.5h7M2.5 8h1M6.5 8h7M2.5 12.5h1M6.5 12.5h7",
  last: "M12 3v10M3 3l7 5-7 5z",
  run: "M1 8h6M4.6 5.4L7.4 8l-2.8 2.6M10.6 4.4h3l1.6 1.6v4l-1.6 1.6h-3L9 10V6z",
  in: "M8 3.5v9M3.5 8h9",
  out: "M3.5 8h9",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  close: "M4 4l8 8M12 4l-8 8",
  find: "M7 2.5a4.5 4.5 0 1 0 .01 0M10.3 10.3L14 14",
  copy: "M5.5 5.5V3a.8.8 0 0 1 .8-.8h6.4a.8.8 0 0 1 .8.8v6.4a.8.8 0 0 1-.8.8h-2.4M3.3 5.8h6.4a.8.8 0 0 1 .8.8v6.4a.8.8 0 0 1-.8.8H3.3a.8.8 0 0 1-.8-.8V6.6a.8.8 0 0 1 .8-.8z",
};

/**
 * One of the pictures on buttons; it takes the colour of the text and says nothing by itself.
 * @param {string} name
 */
export function icon(name) {
  return shape(
    "svg",
    { class: `mg-icon mg-icon-${name}`, viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    shape("path", { d: ICONS[name] }),
  );
}

/**
 * A button with a picture, that of its name if no other is asked for, a word or both. What it does is said in full to
 * those who hear the page.
 * @param {string} name
 * @param {string} label
 * @param {{ face?: string, picture?: string, shown?: string }} options
 */
export function button(name, label, { face = "", picture = name, shown = label } = {}) {
  const element = make("button", {
    type: "button",
    class: `mg-button mg-press-${name}`,
    "aria-label": label,
    title: shown,
  });
  if (ICONS[picture]) element.append(icon(picture));
  if (face) element.append(make("span", { class: "mg-face" }, face));
  return element;
}

/**
 * A field in which numbers, conditions or names are written: nothing corrects them.
 * @param {string} label
 * @param {Record<string, unknown>} attributes
 */
export function textField(label, attributes) {
  return make("input", { type: "text", spellcheck: "false", autocomplete: "off", "aria-label": label, ...attributes });
}

/**
 * Call `leave` when the focus has gone elsewhere. What is taken out of the page and put into it again, as an output that
 * is written to (output.mjs), loses the focus as well, and has it again a moment later. And what is pressed meanwhile is
 * to stay where it is until the click is over.
 * @param {HTMLElement} element
 * @param {() => void} leave
 */
export function onLeaving(element, leave) {
  const check = () => {
    if (document.querySelector(":active")) setTimeout(check, 50);
    else if (element.isConnected && !element.matches(":focus-within")) leave();
  };
  element.addEventListener("focusout", () => setTimeout(check));
}
