// All tests in one process: a process for each file, with a document of its own, takes as long as half of the tests. A
// file's hooks are for its own tests, a test that fails is named with its file, and no file leaves a global behind.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, describe } from "node:test";
import { declarations } from "./testing.mjs";

const names = (await readdir(new URL(".", import.meta.url))).filter((name) => name.endsWith(".test.mjs")).sort();
const files = [];
for (const name of names) files.push([name, await declarations(() => import(`./${name}`))]);
for (const [name, declared] of files)
  describe(name, () => {
    let globals;
    before(() => (globals = Object.getOwnPropertyNames(globalThis)));
    for (const one of declared) one();
    after(() => assert.deepEqual(Object.getOwnPropertyNames(globalThis), globals));
  });
