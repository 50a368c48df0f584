// The learner's answers in the course that runs in a browser: archives of them, and how they come into a chapter.

import assert from "node:assert/strict";
import { test } from "./testing.mjs";
import {
  fingerprint,
  hasAnswers,
  isAnother,
  isChapter,
  joinProgress,
  renewed,
  withAnswers,
} from "../../tools/site/live/answers.mjs";
import { unzip, zip } from "../../tools/site/live/zip.mjs";

async function cell(id, source, madeFrom = source, cell_type = "code") {
  const metadata = madeFrom === null ? {} : { minigrad: { made_from: await fingerprint(madeFrom) } };
  return { id, cell_type, source, metadata, ...(cell_type === "code" && { outputs: ["shown"], execution_count: 1 }) };
}

test("an archive gives back what was put into it, and a part of one gives words", async () => {
  const files = { "a.txt": "é × 2", "b.ipynb": "{}\n".repeat(500), empty: "" };
  const archive = await zip(files).arrayBuffer();
  assert.deepEqual(await unzip(archive), files);
  await assert.rejects(unzip(archive.slice(0, -30)), /not a zip archive, or a part of it is missing/);
  await assert.rejects(unzip(new ArrayBuffer(3)), /not a zip archive/);
});

test("a fingerprint is that of dev.py student", async () => {
  assert.equal(await fingerprint(" text\n"), "982d9e3eb996f559");
});

test("a chapter has answers where a text is another than it was made from", async () => {
  assert.equal(
    await hasAnswers({ cells: [await cell("a", "x = 1"), await cell("b", "words", "words", "markdown")] }),
    false,
  );
  assert.equal(await hasAnswers({ cells: [await cell("a", "x = 2", "x = 1")] }), true);
  assert.equal(await hasAnswers({ cells: [await cell("a", "x = 2", null)] }), true);
});

test("answers come into another copy, where they belong, and without what was shown", async () => {
  const chapter = {
    cells: [await cell("t", "new words", "new words", "markdown"), await cell("a", "raise"), await cell("b", "y")],
  };
  const copy = {
    cells: [
      await cell("t", "old words", "old words", "markdown"),
      await cell("a", "return 2", "raise"),
      await cell("own", "z = 3", null),
      await cell("b", "y"),
    ],
  };
  const { chapter: joined, taken, replaced } = await withAnswers(chapter, copy);
  assert.deepEqual([taken, replaced], [2, 0]);
  assert.deepEqual(
    joined.cells.map(({ source }) => source),
    ["new words", "return 2", "z = 3", "y"],
  );
  assert.deepEqual(
    joined.cells.slice(1).map(({ outputs }) => outputs),
    [[], [], ["shown"]],
  );
  assert.equal((await withAnswers(joined, copy)).taken, 0);
  copy.cells[1].source = "return 3";
  assert.deepEqual((await withAnswers(joined, copy)).replaced, 1);
});

test("of a chapter as it is installed, changed code is an answer, and older words are none", async () => {
  const chapter = { cells: [await cell("t", "words", "words", "markdown"), await cell("a", "raise")] };
  const copy = { cells: [await cell("t", "older", null, "markdown"), await cell("a", "return 2", null)] };
  const { chapter: joined } = await withAnswers(chapter, copy);
  assert.deepEqual(
    joined.cells.map(({ source }) => source),
    ["words", "return 2"],
  );
});

test("what was passed once stays passed", () => {
  const older = { last: "2026-11-28", count: 3, met: { x: 3 } };
  const later = { last: "2026-11-29", count: 1, met: {} };
  const joined = joinProgress(
    { exercises: { a: "passed", b: "tried" }, predictions: { p: "wrong" }, tries: { a: later, b: older } },
    {
      exercises: { a: "tried", b: "passed", c: "tried" },
      predictions: { p: "right", q: 3 },
      tries: { a: older, b: later },
    },
  );
  assert.deepEqual(joined, {
    exercises: { a: "passed", b: "passed", c: "tried" },
    predictions: { p: "right" },
    tries: { a: later, b: later },
  });
  assert.deepEqual(joinProgress(undefined, []), { exercises: {}, predictions: {}, tries: {} });
});

test("only files of the course are taken", () => {
  assert.deepEqual(["00_start_here.ipynb", "errors.ipynb", "x.ipynb", "00_a.py"].map(isChapter), [
    true,
    true,
    false,
    false,
  ]);
});

test("a newer chapter takes what was written in the earlier one, and loses nothing of it", async () => {
  const exercise = 'def slope(w):\n    raise NotImplementedError("new words")';
  const chapter = {
    metadata: { minigrad: { made_from: "2" } },
    cells: [
      await cell("t", "new text", "new text", "markdown"),
      await cell("e", exercise),
      await cell("same", "x"),
      await cell("c", "new"),
      await cell("u", "newer"),
    ],
  };
  const kept = {
    metadata: { minigrad: { made_from: "1" } },
    cells: [
      await cell("t", "old text", "old text", "markdown"),
      await cell("e", "def slope(w):\n    return 2", "def slope(w):\n    raise NotImplementedError"),
      await cell("same", "x + 1", "x"),
      await cell("own", "mine = 1", null),
      await cell("c", "tried", "old"),
      await cell("gone", "old", "old"),
      await cell("u", "old"),
    ],
  };
  assert.equal(isAnother(chapter, kept), true);
  const taken = await renewed(chapter, kept);
  assert.equal(isAnother(chapter, taken), false);
  assert.deepEqual(
    taken.cells.map(({ source }) => source),
    [
      "new text",
      "def slope(w):\n    return 2",
      "x + 1",
      "mine = 1",
      "new",
      "# Your earlier version of the cell above, which has changed in the chapter:\ntried",
      "newer",
    ],
  );
  assert.deepEqual(await renewed(chapter, taken), taken);
  assert.equal(new Set(taken.cells.map(({ id }) => id)).size, taken.cells.length);
});
