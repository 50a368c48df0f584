// What a profile in a page does: bars are enlarged and told about, rows are sorted, and a row finds its bars.
for (const root of document.querySelectorAll(".minigrad-profile:not([data-ready])")) {
  root.dataset.ready = "";
  const bars = [...root.querySelectorAll(".mg-strip .mg-bar")];
  const picture = root.querySelector(".mg-picture");

  // ---- the table
  const body = root.querySelector("tbody");
  const heads = [...root.querySelectorAll("thead th")];
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.v ?? cell.textContent;
    return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
  };
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const words = typeof valueOf(body.rows[0] ?? { cells: heads }, column) === "string";
      const first = words ? "ascending" : "descending";
      const other = words ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      const sign = way === "ascending" ? 1 : -1;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const sorted = [...body.rows].sort((one, two) => {
        const [a, b] = [valueOf(one, column), valueOf(two, column)];
        return sign * (a < b ? -1 : a > b ? 1 : 0);
      });
      body.append(...sorted);
    });
  });

  // ---- a row finds its bars
  const find = (row) => {
    picture?.classList.toggle("mg-finding", row !== null && bars.some((bar) => bar.dataset.row === row));
    for (const bar of bars) bar.classList.toggle("mg-found", bar.dataset.row === row);
  };
  let pressed = null;
  for (const name of root.querySelectorAll(".mg-find")) {
    name.addEventListener("click", () => {
      pressed = pressed === name ? null : name;
      for (const each of root.querySelectorAll(".mg-find")) each.setAttribute("aria-pressed", String(each === pressed));
      find(pressed === null ? null : pressed.dataset.row);
    });
  }
  if (picture === null) continue;

  // ---- the bars
  const about = root.querySelector(".mg-about");
  const all = root.querySelector(".mg-all");
  const span = Number(picture.dataset.span);
  const places = new Map();
  for (const bar of bars) {
    places.set(bar, [Number.parseFloat(bar.style.left) / 100, Number.parseFloat(bar.style.width) / 100]);
    bar.dataset.about = bar.title;
    bar.setAttribute("aria-label", bar.title.split("\n").slice(0, 2).join(": "));
    bar.removeAttribute("title");
  }
  const tell = (bar) => {
    const [name, ...lines] = bar.dataset.about.split("\n");
    const strong = document.createElement("b");
    strong.textContent = name;
    about.replaceChildren(strong, `\n${lines.join("\n")}`);
  };

  const timeText = (us) =>
    us === 0 ? "0" : us >= 1e6 ? `${(us / 1e6).toPrecision(4)}s` : us >= 1e3 ? `${(us / 1e3).toPrecision(4)}ms` : `${us.toFixed(1)}us`;
  let shown = [0, 1];
  const place = () => {
    const [from, to] = shown;
    const scale = 1 / (to - from);
    const width = picture.clientWidth || 800;
    for (const bar of bars) {
      const [left, wide] = places.get(bar);
      const start = Math.max(left, from);
      const end = Math.min(left + wide, to);
      bar.classList.toggle("mg-out", left >= to || (left + wide <= from && !(wide === 0 && left === from)));
      bar.style.left = `${100 * (start - from) * scale}%`;
      bar.style.width = `${100 * Math.max(end - start, 0) * scale}%`;
      bar.classList.toggle("mg-thin", Math.max(end - start, 0) * scale * width < 14);
    }
    root.querySelectorAll(".mg-ruler span").forEach((mark, number) => {
      mark.textContent = timeText(span * (from + ((to - from) * number) / 5));
    });
    all.hidden = from === 0 && to === 1;
  };
  const show = (from, to) => {
    shown = [from, to];
    place();
  };
  const enlarge = (bar) => {
    const [left, wide] = places.get(bar);
    if (wide > 0) show(left, left + wide);
  };
  place();
  new ResizeObserver(place).observe(picture);

  // ---- from bar to bar by keys: among those of one row of one strip, to the one above, to the first one below
  const visible = (bar) => !bar.classList.contains("mg-out");
  const next = (bar, key) => {
    const [left, wide] = places.get(bar);
    const depth = Number(bar.dataset.depth);
    const here = bars.filter((other) => other.parentNode === bar.parentNode && visible(other));
    const row = here.filter((other) => Number(other.dataset.depth) === depth);
    if (key === "ArrowRight") return row[row.indexOf(bar) + 1];
    if (key === "ArrowLeft") return row[row.indexOf(bar) - 1];
    if (key === "Home") return row[0];
    if (key === "End") return row[row.length - 1];
    const within = (other, outer) => {
      const [a, w] = places.get(other);
      const [b, v] = places.get(outer);
      return a >= b - 1e-6 && a + w <= b + v + 1e-6;
    };
    if (key === "ArrowUp") return here.find((other) => Number(other.dataset.depth) === depth - 1 && within(bar, other));
    if (key === "ArrowDown") {
      const below = here.find((other) => Number(other.dataset.depth) === depth + 1 && within(other, bar));
      if (below !== undefined || depth > 0) return below;
      const strips = [...picture.querySelectorAll(".mg-strip")];
      return strips[strips.indexOf(bar.parentNode) + 1]?.querySelector(".mg-bar:not(.mg-out)");
    }
    return undefined;
  };
  const focus = (bar) => {
    for (const each of bars) each.tabIndex = each === bar ? 0 : -1;
    bar.focus({ preventScroll: false });
  };
  picture.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !all.hidden) {
      show(0, 1);
      if (!places.has(document.activeElement)) bars[0].focus();
    } else if (places.has(event.target)) {
      const bar = next(event.target, event.key);
      if (bar === undefined && !event.key.startsWith("Arrow")) return;
      if (bar !== undefined) focus(bar);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  for (const bar of bars) {
    bar.addEventListener("pointerenter", () => tell(bar));
    bar.addEventListener("focus", () => tell(bar));
    bar.addEventListener("click", () => {
      focus(bar);
      enlarge(bar);
    });
  }
  all.addEventListener("click", () => {
    show(0, 1);
    (bars.find((bar) => bar.tabIndex === 0) ?? bars[0]).focus();
  });
}
