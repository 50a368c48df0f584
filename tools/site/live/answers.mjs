// The learner's answers: what of a chapter is theirs, and how it comes into another copy of the chapter.
//
// A cell says in its metadata from which text it was made. Where it has another text now, that is an answer, and so is
// a cell without this word, which the learner has added.

export const PROGRESS = ".progress.json";

const EXERCISE = /^def \w+\([\s\S]*raise NotImplementedError/;
const EARLIER = "# Your earlier version of the cell above, which has changed in the chapter:\n";
const SHIPPED = /^(\d\d_\w+|errors|glossary)\.ipynb$/;

/** Whether a file of that name is one of the course, which answers may be in. */
export const isChapter = (name) => SHIPPED.test(name);

/** The fingerprint of a cell's text, as `dev.py student` makes it. */
export async function fingerprint(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text.trim()));
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 16);
}

const sourceOf = ({ source }) => (Array.isArray(source) ? source.join("") : source);

/** Whether the text of a cell is the learner's. */
async function isOwn(cell) {
  const madeFrom = cell.metadata?.minigrad?.made_from;
  return madeFrom !== (await fingerprint(sourceOf(cell)));
}

/** Whether a chapter has an answer in it. */
export async function hasAnswers({ cells }) {
  for (const cell of cells) if (await isOwn(cell)) return true;
  return false;
}

/**
 * The chapter with the answers of another copy of it. Only their texts come over: outputs stay, or are empty where the
 * text is a new one, so nothing that a file shows can run here.
 *
 * @returns {Promise<{chapter: any, taken: number, replaced: number}>} and how many answers came, and of these, how many
 *   stand now where another one had been
 */
export async function withAnswers(chapter, copy) {
  const cells = structuredClone(chapter.cells);
  const placeOf = (id) => cells.findIndex((cell) => cell.id === id);
  let [taken, replaced, last] = [0, 0, -1];
  for (const theirs of copy.cells) {
    const source = sourceOf(theirs);
    const place = placeOf(theirs.id);
    if (place >= 0) last = place;
    // A copy that says nothing of its cells is a chapter as it is installed: what differs in its code is an answer.
    const isSilent = theirs.metadata?.minigrad === undefined;
    const isAnswer = isSilent ? theirs.cell_type === "code" || place < 0 : await isOwn(theirs);
    if (!isAnswer || (place >= 0 && sourceOf(cells[place]) === source)) continue;
    if (place < 0 && cells.some((cell) => sourceOf(cell) === source)) continue; // it came before
    taken++;
    if (place >= 0) {
      if (await isOwn(cells[place])) replaced++;
      cells[place].source = source;
      if (cells[place].cell_type === "code") Object.assign(cells[place], { outputs: [], execution_count: null });
    } else {
      const { id, cell_type } = theirs;
      const rest = cell_type === "code" ? { outputs: [], execution_count: null } : {};
      cells.splice(++last, 0, { id, cell_type, source, metadata: {}, ...rest });
    }
  }
  return { chapter: { ...chapter, cells }, taken, replaced };
}

/** Whether a chapter has other texts than those that another copy of it, with answers or without, was made from. */
export const isAnother = (chapter, copy) => madeFrom(chapter) !== madeFrom(copy);

const madeFrom = ({ metadata }) => metadata?.minigrad?.made_from;

/**
 * The chapter as it is now, with what the learner wrote in an earlier one: as `dev.py student` does it. An answer to an
 * exercise stays, and so does a cell that the learner added. Of other cells a changed one stays if the chapter has not
 * changed there; else it follows the chapter's own.
 */
export async function renewed(chapter, copy) {
  const now = new Map(chapter.cells.map((cell) => [cell.id, cell]));
  const cells = [];
  for (const theirs of copy.cells) {
    const ours = now.get(theirs.id);
    const isEarlier =
      ours && madeFrom(ours) !== madeFrom(theirs) && !EXERCISE.test(sourceOf(ours)) && (await isOwn(theirs));
    if (!isEarlier) cells.push(theirs);
    else {
      const source = (theirs.cell_type === "code" ? EARLIER : "") + sourceOf(theirs);
      const id = `earlier-${await fingerprint(source)}`;
      cells.push(ours, { id, cell_type: theirs.cell_type, source, metadata: {} });
    }
  }
  return (await withAnswers(chapter, { cells })).chapter;
}

/** Two files of progress as one: what was passed once stays passed, and of an exercise's tries the later ones count. */
export function joinProgress(ours, theirs) {
  const joined = {};
  for (const kind of ["exercises", "predictions"]) {
    joined[kind] = { ...ours?.[kind] };
    for (const [name, state] of Object.entries(theirs?.[kind] ?? {})) {
      if (typeof state === "string" && joined[kind][name] !== "passed") joined[kind][name] = state;
    }
  }
  joined.tries = { ...ours?.tries };
  for (const [name, tries] of Object.entries(theirs?.tries ?? {})) {
    if (!(joined.tries[name]?.last > tries?.last)) joined.tries[name] = tries;
  }
  return joined;
}
