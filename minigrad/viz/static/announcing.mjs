// How an output finds the model of a widget that lives: each model is announced to the page by its key.

export const ANNOUNCED = "minigrad-model"; // the event's name; its detail is the key

/**
 * Key -> model, of all widgets on this page whose kernel lives.
 * @returns {Map<string, any>}
 */
export function livingModels() {
  globalThis.minigradModels ??= new Map();
  return globalThis.minigradModels;
}

/** Announce a model; returns what takes it back. */
export function announce(model) {
  const key = model.get("key");
  const tell = () => document.dispatchEvent(new CustomEvent(ANNOUNCED, { detail: key }));
  livingModels().set(key, model);
  tell();
  return () => {
    livingModels().delete(key);
    tell();
  };
}
