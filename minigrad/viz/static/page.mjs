// The kernel's part on a page that has no kernel: a model for each recorded pass, with what anywidget's models can do.
// Each <div class="minigrad-recorded"> holds what the widget's model held, as JSON. The stepper (`minigradStepper`, which
// stands before this text in the same script, as does kept.mjs) is shown in its place.

{
  class PlainModel {
    constructor(values) {
      this.values = values;
      this.listeners = new Map();
    }

    get(name) {
      return this.values[name];
    }

    set(name, value) {
      this.values[name] = value;
      for (const event of [`change:${name}`, "change"]) for (const listener of [...(this.listeners.get(event) ?? [])]) listener();
    }

    on(events, listener) {
      for (const event of events.split(" ")) this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
    }

    off(events, listener) {
      const kept = (listeners) => (listener ? listeners.filter((one) => one !== listener) : []);
      for (const event of (events ?? [...this.listeners.keys()].join(" ")).split(" ")) {
        this.listeners.set(event, kept(this.listeners.get(event) ?? []));
      }
    }

    send() {}

    save_changes() {}
  }

  for (const place of document.querySelectorAll(".minigrad-recorded")) {
    const model = new PlainModel(JSON.parse(place.querySelector('script[type="application/json"]').textContent));
    const el = document.createElement("div");
    place.append(el);
    renderKept(globalThis.minigradStepper.render, model, el, true).then(
      () => place.querySelector(".minigrad-still")?.remove(),
      (error) => el.replaceChildren(`This browser cannot show the steps: ${error.message}`),
    );
  }

  // The steps in words are folded away where the stepper works, and unfolded on paper.
  for (const words of document.querySelectorAll("details.minigrad-words")) {
    words.open = false;
    let folded = false;
    addEventListener("beforeprint", () => {
      folded = !words.open;
      words.open = true;
    });
    addEventListener("afterprint", () => (words.open &&= !folded));
  }
}
