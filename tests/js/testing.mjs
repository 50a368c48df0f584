// What the tests' files have of node:test. A file that node runs by itself is a file of tests as any other; all.mjs runs
// them all in one process, and asks for what a file declares, to put it under the file's name.

import * as node from "node:test";

let declare = (one) => one();

/** What a file declares while it is loaded, to be called where it is to stand. */
export async function declarations(load) {
  const found = [];
  declare = (one) => found.push(one);
  await load();
  return found;
}

export const test = (...given) => declare(() => node.test(...given));
export const beforeEach = (...given) => declare(() => node.beforeEach(...given));
export const afterEach = (...given) => declare(() => node.afterEach(...given));
