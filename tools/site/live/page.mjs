// What the page adds to JupyterLite: it says what is loaded, looks after the learner's answers, and has words where the
// browser cannot do what is needed. Then it starts the lab.

import { hasAnswers, isAnother, isChapter, joinProgress, PROGRESS, renewed, withAnswers } from "./answers.mjs";
import { unzip, zip } from "./zip.mjs";

const LAB = "../config-utils.js"; // JupyterLite's own, which puts its settings together and loads the rest
const SITE = "../../"; // the course's pages to read
const FIRST = "00_start_here.ipynb";
const MEGABYTE = 1e6;
const CHAPTERS = "../files/"; // where the site has them; the browser keeps those that were saved
const NARROW = "(max-width: 700px)";
const A_MOMENT = 500; // milliseconds in which the next cell of several begins
const LOOKS = [600, 1_800, 4_000]; // milliseconds after which a toolbar looks again at how wide it is
const LONG = 40_000; // milliseconds after which a cell may be one without an end
const ENDLESS =
  "A cell cannot be interrupted in a browser. Should it have no end: restart Python, then run the cells again. What " +
  "you wrote is kept.";
const READY = "Python is ready, and new: run the cells from the top, all of them with Run ▸ Run All Cells.";
const READ = 30; // seconds after which that goes, if nothing has run before
const NOT_KEPT =
  "This browser did not keep what you wrote: its storage is full, or refused. Before you close the tab: " +
  "Course ▸ Download my answers.";
const MEMORY =
  "This device has too little memory left: a chapter needs about 0.7 GB. Close other tabs, then try again.";
const HOW_TO = `Your answers of the course minigrad.

To go on in the browser: Course > Bring answers from a file, and choose this archive.
To go on in the installed course: python dev.py student, then put these files into its folder course/ (also
.progress.json), and python dev.py student once more: it brings your answers into the chapters.
`;

// ---------------------------------------------------------------- the panel

const panel = document.createElement("div");
panel.className = "minigrad-live";
panel.setAttribute("role", "status");
document.body.append(panel);
const [aboutPython, aboutAnswers] = [document.createElement("section"), document.createElement("section")];
panel.append(aboutAnswers, aboutPython);

// It stands below the lab, which becomes as much smaller: so it lies over nothing that is being worked with.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--minigrad-panel", `${panel.offsetHeight}px`);
  dispatchEvent(new Event("resize")); // the lab asks then how large it may be
}).observe(panel);

/**
 * Show words in a section, in place of those before.
 *
 * @param {HTMLElement} section
 * @param {string} words
 * @param {{part?: number | null, kind?: string, buttons?: Record<string, () => void>, seconds?: number}} [look] `part`
 *   is that of a bar, or null where it is not known; `seconds` after which the words go
 */
function say(section, words, { part, kind = "note", buttons = {}, seconds } = {}) {
  const text = document.createElement("p");
  text.textContent = words;
  /** @type {HTMLElement[]} */
  const parts = [text];
  if (part !== undefined) {
    const bar = document.createElement("progress");
    if (part !== null) bar.value = part;
    parts.push(bar);
  }
  const close = part === undefined ? { Close: () => clear(section) } : {};
  for (const [label, act] of Object.entries({ ...buttons, ...close })) {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = act;
    parts.push(button);
  }
  section.replaceChildren(...parts);
  section.dataset.kind = kind;
  section.ariaBusy = String(part !== undefined); // else a screen reader would say each megabyte
  if (seconds) setTimeout(() => section.contains(text) && clear(section), 1000 * seconds);
}

function clear(section) {
  section.replaceChildren();
  delete section.dataset.kind;
}

// ---------------------------------------------------------------- what the kernel's thread tells

let isStarting = false;

function hear({ loaded, total, starting, failed }) {
  if (!canRun) return;
  if (failed !== undefined) {
    isStarting = false;
    const words = /memory|RangeError/i.test(failed) ? MEMORY : `Python could not be started: ${failed}.`;
    say(aboutPython, `${words} What you wrote is kept.`, {
      kind: "bad",
      buttons: { "Try again": () => location.reload() },
    });
  } else if (starting) {
    isStarting = true;
    say(aboutPython, "Python is here, and starts …", { part: null });
  } else {
    const [came, all] = [loaded, total].map((bytes) => Math.round(bytes / MEGABYTE));
    say(aboutPython, `Python is loading, with numpy and matplotlib: ${came} of ${all} MB. Read on meanwhile.`, {
      part: loaded / total,
    });
  }
}

window.Worker = class extends Worker {
  constructor(script, options) {
    super(script, options);
    this.addEventListener("message", ({ data }) => data?.minigrad && hear(data.minigrad));
  }
};

// ---------------------------------------------------------------- what the browser can do

const canRun = typeof WebAssembly === "object";
if (!canRun) {
  say(
    aboutPython,
    "This browser has no WebAssembly, so Python cannot run here. You can read the chapters; to run them, open this page " +
      "in a current Firefox, Chrome, Edge or Safari, or install the course.",
    { kind: "bad" },
  );
}

/** Whether the browser lets the page keep anything. */
function canKeep() {
  return new Promise((answer) => {
    try {
      const asked = indexedDB.open("minigrad-may-keep");
      asked.onerror = () => answer(false);
      asked.onsuccess = () => {
        asked.result.close();
        answer(true);
      };
    } catch {
      answer(false);
    }
  });
}

if (!(await canKeep())) {
  // The lab reads this when it starts.
  const config = document.getElementById("jupyter-config-data");
  const drivers = ["contents", "settings", "workspaces"].map((what) => [
    `${what}StorageDrivers`,
    ["memoryStorageDriver"],
  ]);
  config.textContent = JSON.stringify({ enableMemoryStorage: true, ...Object.fromEntries(drivers) });
  say(
    aboutAnswers,
    "This browser lets the page keep nothing, so what you write lasts until the tab is closed. Take it with you before: " +
      "Course ▸ Download my answers.",
    { kind: "bad" },
  );
}

// ---------------------------------------------------------------- the lab

Object.defineProperty(window, "jupyterapp", {
  configurable: true,
  set(app) {
    Object.defineProperty(window, "jupyterapp", { value: app, writable: true });
    // As JupyterLab itself is started: what has the focus is asked first, so that arrows step a stepper and choose an
    // option, and do not move to another cell.
    const start = app.start.bind(app);
    app.start = (options) => start({ ...options, bubblingKeydown: true });
    addCommands(app);
    if (matchMedia(NARROW).matches) makeRoom(app);
    watch(app);
  },
});

/**
 * On a telephone the list of files would leave the chapter a tenth of the width. It opens by itself, when JupyterLite has
 * opened the chapter that the address names; its button at the left opens it again.
 */
function makeRoom(app) {
  app.restored.then(() => app.commands.execute("application:toggle-side-tabbar", { side: "right" }));
  const { commandExecuted } = app.commands;
  commandExecuted.connect(function close(_, { id, result }) {
    if (id !== "filebrowser:go-to-path") return;
    commandExecuted.disconnect(close);
    result.catch(() => {}).then(() => app.shell.collapseLeft());
  });
}

function addCommands(app) {
  const add = (name, label, act) =>
    app.commands.addCommand(`minigrad:${name}`, {
      label,
      execute: () =>
        act(app).catch((error) => say(aboutAnswers, `That did not work: ${error.message}.`, { kind: "bad" })),
    });
  add("download", "Download my answers", download);
  add("upload", "Bring answers from a file …", upload);
  add("read", "Read this chapter in the book", async ({ shell }) => {
    const path = shell.currentWidget?.context?.path ?? "";
    leadTo(isChapter(path) ? path.replace(/ipynb$/, "html") : "contents.html");
  });
  add("gallery", "Graphs to step through", async () => leadTo("gallery/index.html"));
  add("front", "The course's first page", async () => leadTo("index.html"));
}

/** Open another page of the site in a tab of its own: what runs here goes on. */
function leadTo(path) {
  window.open(new URL(SITE + path, location.href), "_blank", "noopener");
}

/** All that the learner has done, by name; a chapter without answers is left out. */
async function answers({ serviceManager: { contents }, shell }) {
  const files = {};
  const open = new Map([...shell.widgets("main")].map(({ context }) => [context?.path, context?.model]));
  for (const { name, type } of (await contents.get("", { content: true })).content) {
    if (type !== "notebook") continue;
    // What is open may be newer than what is kept, and where nothing can be kept it is all there is.
    const content = open.get(name)?.toJSON() ?? (await contents.get(name, { content: true, type: "notebook" })).content;
    if (await hasAnswers(content)) files[name] = JSON.stringify(content, null, 1) + "\n";
  }
  const progress = await readText(contents, PROGRESS);
  if (progress !== undefined) files[PROGRESS] = progress;
  return files;
}

/** The text of a file, or undefined where there is none. What the kernel writes is kept in base64. */
async function readText(contents, path) {
  const file = await contents.get(path, { content: true }).catch(() => undefined);
  if (file?.format !== "base64")
    return typeof file?.content === "object" ? JSON.stringify(file.content) : file?.content;
  return new TextDecoder().decode(Uint8Array.from(atob(file.content), (character) => character.charCodeAt(0)));
}

async function download(app) {
  const files = await answers(app);
  if (!Object.keys(files).length) {
    say(aboutAnswers, "There is no answer to take with you yet.", { seconds: 8 });
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(zip({ "README.txt": HOW_TO, ...files }));
  link.download = "minigrad-answers.zip";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @returns {Promise<void>} */
function upload(app) {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.accept = ".zip,.ipynb,.json";
  return new Promise((done, failed) => {
    input.onchange = () => bring(app, [...input.files]).then(done, failed);
    input.oncancel = () => done();
    input.click();
  });
}

async function bring(app, chosen) {
  const { contents } = app.serviceManager;
  await app.commands.execute("docmanager:save-all");
  const said = [];
  for (const file of chosen) {
    const isArchive = file.name.endsWith(".zip");
    const texts = isArchive ? await unzip(await file.arrayBuffer()) : { [file.name]: await file.text() };
    for (const [path, text] of Object.entries(texts)) {
      const name = path.split("/").at(-1);
      if (path.split("/").includes(".before") || (name !== PROGRESS && !isChapter(name))) continue;
      const content = parse(text, `${name} in ${file.name}`);
      if (name === PROGRESS) await bringProgress(contents, content);
      else said.push(await bringChapter(app, name, content));
    }
    if (!said.length) said.push(`nothing of the course in ${file.name}`);
  }
  say(aboutAnswers, `Your answers: ${said.join("; ")}.`);
}

function parse(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is damaged, and nothing was taken from it`);
  }
}

async function bringProgress(contents, theirs) {
  const kept = await readText(contents, PROGRESS);
  const ours = kept === undefined ? undefined : parse(kept, PROGRESS);
  const content = JSON.stringify(joinProgress(ours, theirs), null, 1) + "\n";
  await contents.save(PROGRESS, { type: "file", format: "text", content });
}

async function bringChapter(app, name, copy) {
  const { contents } = app.serviceManager;
  if (!Array.isArray(copy?.cells)) throw new Error(`${name} is not a notebook`);
  const { content } = await contents.get(name, { content: true, type: "notebook" });
  const { chapter, taken, replaced } = await withAnswers(content, copy);
  if (!taken) return `${name} has none that is not here already`;
  const before = replaced ? `; ${await setAside(contents, name, content)}` : "";
  await contents.save(name, { type: "notebook", format: "json", content: chapter });
  await openAnew(app, name);
  return `${taken} in ${name}${before}`;
}

/** What stands in the cells of a chapter, to be compared. */
function textsOf({ cells }) {
  return JSON.stringify(cells.map(({ id, source }) => [id, [source].flat().join("")]));
}

/** Keep a chapter under another name; the answer says which. */
async function setAside(contents, name, content) {
  const now = new Date().toISOString().slice(0, 19).replaceAll(":", ".");
  const aside = name.replace(".ipynb", ` before ${now}.ipynb`);
  await contents.save(aside, { type: "notebook", format: "json", content });
  return `what stood there is kept in “${aside}”`;
}

/** Where the site has a newer text of a chapter than the browser keeps: say so, and offer it with the answers. */
async function offerNewer(app, context) {
  if (!isChapter(context.path)) return;
  await context.ready;
  const newer = await chapterOfSite(context.path);
  if (!newer || !isAnother(newer, context.model.toJSON())) return;
  say(
    aboutAnswers,
    `${context.path} has changed since this browser kept it, and what you see is the earlier text. Your answers come ` +
      "with you into the new one.",
    {
      buttons: {
        "Take the new one": () =>
          takeNewer(app, context.path, newer).catch((error) =>
            say(aboutAnswers, `That did not work: ${error.message}.`, { kind: "bad" }),
          ),
      },
    },
  );
}

/** A chapter as the site has it, or undefined where it cannot be had. */
async function chapterOfSite(path) {
  try {
    const answer = await fetch(CHAPTERS + path, { cache: "no-cache" });
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

async function takeNewer(app, path, newer) {
  const { contents } = app.serviceManager;
  const kept = tabOf(app, path).context.model.toJSON();
  const before = await setAside(contents, path, kept);
  await contents.save(path, { type: "notebook", format: "json", content: await renewed(newer, kept) });
  await openAnew(app, path);
  say(aboutAnswers, `${path} is the new one, with your answers; ${before}.`);
}

const tabOf = (app, path) => [...app.shell.widgets("main")].find((widget) => widget.context?.path === path);

/** Have a chapter that is open show what is kept of it. Its kernel goes on. */
async function openAnew(app, path) {
  const tab = tabOf(app, path);
  if (!tab) return;
  tab.context.model.dirty = false; // what is on it is kept elsewhere: it need not ask
  await tab.close();
  const opened = await app.commands.execute("docmanager:open", { path });
  await opened?.context?.ready; // before it is said that it is there
}

// ---------------------------------------------------------------- while it is open

function watch(app) {
  const channel = new BroadcastChannel(`minigrad-live ${new URL("..", location.href).pathname}`);
  const known = new WeakSet();

  app.restored.then(() => {
    app.shell.currentChanged.connect(look);
    look();
  });
  function look() {
    const widget = app.shell.currentWidget;
    if (!widget?.context) return;
    showInAddress(widget.context.path);
    if (known.has(widget)) return;
    known.add(widget);
    channel.postMessage({ tells: "opened", path: widget.context.path });
    letToolbarLookAgain(widget.toolbar);
    saveInTurn(widget.context);
    saveWhatCameMeanwhile(widget.context);
    saveWhatRan(widget.context);
    sayWhatEndsACell(app, widget.context);
    forgetWhatIsReady(widget.context);
    offerNewer(app, widget.context);
    widget.context.saveState.connect((_, state) => {
      if (state === "completed") {
        navigator.storage?.persist?.(); // now there is something that should last; one browser asks the learner
      } else if (state === "failed") {
        say(aboutAnswers, NOT_KEPT, { kind: "bad" });
      }
    });
  }

  channel.onmessage = async ({ data: { tells, path } }) => {
    const tab = tabOf(app, path);
    if (!tab) return;
    if (tells === "opened") channel.postMessage({ tells: "is here", path });
    if (tells === "is here") {
      say(aboutAnswers, `${path} is open in another tab, too. Write in one of them alone: one of two texts is kept.`, {
        kind: "bad",
        buttons: { "Close it there": () => channel.postMessage({ tells: "close", path }) },
      });
    }
    if (tells === "close") {
      // Not context.save(): if the other tab has saved meanwhile, it would ask here what to do, where nobody looks.
      const content = tab.context.model.toJSON();
      try {
        await app.serviceManager.contents.save(path, { type: "notebook", format: "json", content });
      } catch {
        say(aboutAnswers, NOT_KEPT, { kind: "bad" });
        return;
      }
      tab.dispose();
      channel.postMessage({ tells: "closed", path });
      say(aboutAnswers, `${path} was saved, and goes on in another tab.`);
    }
    if (tells === "closed") {
      clear(aboutAnswers);
      const { contents } = app.serviceManager;
      const [ours, theirs] = [
        tab.context.model.toJSON(),
        await contents.get(path, { content: true, type: "notebook" }),
      ];
      if (textsOf(ours) !== textsOf(theirs.content))
        say(aboutAnswers, `${path}: ${await setAside(contents, path, ours)}.`);
      await openAnew(app, path);
    }
  };

  // A tab that is left may be closed by the browser at any time.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") app.commands.execute("docmanager:save-all");
  });

  setInterval(() => {
    if (isStarting && app.shell.currentWidget?.sessionContext?.session?.kernel?.status === "idle") {
      isStarting = false;
      say(aboutPython, READY, { kind: "good", seconds: READ });
    }
  }, 250);
}

/**
 * Have a toolbar look again at how much room it has, when its width has changed: JupyterLab looks at once, and not a second
 * time within half a second. On a telephone that left the button that runs a cell behind the dots, from when the list of
 * files stood beside the chapter. Where much else is to be done the first look may still go on: hence several.
 */
function letToolbarLookAgain(toolbar) {
  let timers = [];
  const look = () => toolbar.processMessage({ type: "resize", width: toolbar.node.clientWidth, height: -1 });
  new ResizeObserver(() => {
    timers.forEach(clearTimeout);
    timers = LOOKS.map((after) => setTimeout(look, after));
  }).observe(toolbar.node);
}

/**
 * Let one saving of a chapter wait for another: JupyterLab does not. Of two at once the later one may find the earlier
 * one's text in the store, take it for somebody else's, and ask the learner which of the two is to be thrown away.
 */
function saveInTurn(context) {
  const save = context.save.bind(context);
  /** @type {Promise<void>} */
  let before = Promise.resolve();
  context.save = () => {
    before = before.catch(() => {}).then(save);
    return before;
  };
}

/** What comes while a chapter is saved is still to be saved: JupyterLab counts it as saved with what was there before. */
function saveWhatCameMeanwhile({ model, saveState }) {
  let cameMeanwhile = false;
  model.contentChanged.connect(() => {
    cameMeanwhile = true;
  });
  saveState.connect((_, state) => {
    // When all have heard that it starts, what they then write into the chapter included, its text is taken.
    if (state === "started") queueMicrotask(() => (cameMeanwhile = false));
    else if (state === "completed" && cameMeanwhile) model.dirty = true;
  });
}

/** Keep a chapter whenever cells have run: a page that is loaded anew shows them, and who leaves it is asked nothing. */
function saveWhatRan(context) {
  let timer;
  context.sessionContext.statusChanged.connect((_, status) => {
    clearTimeout(timer);
    if (status === "idle") timer = setTimeout(() => context.model.dirty && context.save(), A_MOMENT);
  });
}

/**
 * Say how a cell is ended that runs for long: JupyterLite's kernels leave an interrupt unanswered. They would need memory
 * that is shared with the page, which browsers allow only with two headers that hosts of static pages do not send.
 */
function sayWhatEndsACell(app, { sessionContext }) {
  const restart = () => {
    clear(aboutPython);
    sessionContext.session?.kernel?.restart();
  };
  const tell = () => say(aboutPython, ENDLESS, { buttons: { "Restart Python": restart } });
  let timer;
  sessionContext.statusChanged.connect((_, status) => {
    clearTimeout(timer);
    if (status === "busy") timer = setTimeout(tell, LONG);
    else if (aboutPython.textContent.startsWith(ENDLESS)) clear(aboutPython);
  });
  app.commands.commandExecuted.connect((_, { id }) => {
    if (/interrupt/.test(id) && sessionContext.session?.kernel?.status === "busy") tell();
  });
}

/** Where cells run it need not be said that they can: neither is it any more, nor will it be. */
function forgetWhatIsReady({ sessionContext }) {
  sessionContext.iopubMessage.connect((_, { header }) => {
    if (header.msg_type !== "execute_input") return;
    if (isStarting || aboutPython.textContent.startsWith(READY)) clear(aboutPython);
    isStarting = false;
  });
}

/** Have the address name a chapter, so that it is open again when the page is loaded anew. */
function showInAddress(path) {
  const address = new URL(location.href);
  address.searchParams.set("path", path);
  history.replaceState(history.state, "", address);
}

if (!new URLSearchParams(location.search).has("path")) showInAddress(FIRST);
await import(LAB);
