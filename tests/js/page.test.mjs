import assert from "node:assert/strict";
import { test } from "./testing.mjs";
import { makeModel, openPage } from "./page.mjs";

test("a page makes the browser's names global, draws SVG, and takes them away again", async () => {
  const page = openPage();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  svg.innerHTML = '<g class="node" data-id="n0"><text>&lt;b&gt;</text></g>';
  page.host.append(svg);
  const node = page.host.querySelector("g.node");
  node.classList.add("current");
  assert.equal(node.getAttribute("class"), "node current");
  assert.equal(node.namespaceURI, "http://www.w3.org/2000/svg");
  assert.equal(node.querySelector("text").textContent, "<b>");
  assert.equal(typeof matchMedia("(prefers-reduced-motion: reduce)").matches, "boolean");
  await page.close();
  assert.equal(globalThis.document, undefined);
});

test("keys and clicks bubble to the host", async () => {
  const page = openPage();
  const heard = [];
  page.host.addEventListener("keydown", (event) => heard.push(event.key));
  page.host.addEventListener("click", (event) => heard.push(event.target.tagName));
  const button = document.createElement("button");
  page.host.append(button);
  button.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  button.click();
  assert.deepEqual(heard, ["ArrowRight", "BUTTON"]);
  await page.close();
});

test("a model tells of changes once, and keeps what would go to the kernel", () => {
  const model = makeModel({ index: 0, frames: [] });
  const heard = [];
  const listener = (_, value) => heard.push(value);
  model.on("change:index", listener);
  model.set("index", 1);
  model.set("index", 1);
  model.save_changes();
  model.save_changes();
  model.fromKernel({ index: 2 });
  assert.deepEqual(heard, [1, 2]);
  assert.deepEqual(model.saved, [{ index: 1 }]);
  assert.equal(model.get("index"), 2);
  model.off("change:index", listener);
  model.fromKernel({ index: 3 });
  assert.deepEqual(heard, [1, 2]);
  assert.equal(model.listenerCount(), 0);
});
