// A model where no kernel is: what it holds, and those who listen, with the methods of anywidget's models.

export class PlainModel {
  constructor(values) {
    this.values = values;
    this.listeners = new Map();
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    for (const event of [`change:${name}`, "change"])
      for (const listener of [...(this.listeners.get(event) ?? [])]) listener();
  }

  on(events, listener) {
    for (const event of events.split(" ")) this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  off(events, listener) {
    const rest = (listeners) => (listener ? listeners.filter((one) => one !== listener) : []);
    for (const event of (events ?? [...this.listeners.keys()].join(" ")).split(" ")) {
      this.listeners.set(event, rest(this.listeners.get(event) ?? []));
    }
  }

  send() {}

  save_changes() {}
}
