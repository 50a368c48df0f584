// What the browser remembers of a reader: for as long as the page is open in a tab, or for good. A page that was opened
// from a file, or whose reader allows no storage, may remember nothing; then nothing that was written is found again.

/** @typedef {"sessionStorage" | "localStorage"} Storage until the tab is closed, or for good */

/**
 * What is remembered under a name; null if nothing is.
 * @param {Storage} storage
 * @param {string} name
 */
export function recall(storage, name) {
  try {
    return globalThis[storage].getItem(`minigrad-${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {Storage} storage
 * @param {string} name
 * @param {string} text
 */
export function remember(storage, name, text) {
  try {
    globalThis[storage].setItem(`minigrad-${name}`, text);
  } catch {
    // it is forgotten
  }
}
