// Light, dark, or as the reader's system is: the same choice as on the book's pages, under the same names.
(() => {
  // Where a browser refuses to keep anything, asking it is an error, also for the scripts of the book's theme: then what
  // would be kept holds for this page.
  try {
    localStorage.getItem("mode");
  } catch {
    const kept = new Map();
    const getItem = (name) => kept.get(name) ?? null;
    const setItem = (name, value) => kept.set(name, String(value));
    const removeItem = (name) => kept.delete(name);
    Object.defineProperty(globalThis, "localStorage", { configurable: true, value: { getItem, setItem, removeItem } });
  }

  const modes = ["auto", "light", "dark"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const choose = (mode) => {
    root.dataset.mode = mode;
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  };
  const first = localStorage.getItem("mode");
  choose(modes.includes(first) ? first : "auto");
  dark.addEventListener("change", () => choose(root.dataset.mode));
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const tell = () => {
      const { mode } = root.dataset;
      button.textContent = { auto: "◐", light: "☀", dark: "☾" }[mode];
      button.setAttribute("aria-label", `Colours: ${mode === "auto" ? "as the system's" : mode}. Change them.`);
      button.title = button.getAttribute("aria-label");
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      choose(modes[(modes.indexOf(root.dataset.mode) + 1) % modes.length]);
      tell();
      try {
        localStorage.setItem("mode", root.dataset.mode);
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // no room is left for it
      }
    });
    tell();
  });
})();
