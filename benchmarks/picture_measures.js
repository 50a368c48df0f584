// What a reader sees of a stepper's drawing, in numbers: a function for page.evaluate, called with the stepper's element.
// It looks at what is on the screen and nothing else, so that it stays true whoever draws the picture and however. Lengths are pixels of the
// screen. What it finds is also told in words (`told`), so that a number can be looked up in the picture.
(root) => {
  const SCREEN = 779; // pixels of a 1400x900 window in which JupyterLab shows the notebook
  const SLACK = 1.5; // what the eye forgives
  const FEWEST = 14; // letters that a line of words holds
  const drawing = root.querySelector("svg.mg-graph");
  const told = { under: [], crossings: [], overlapping: [], struck: [], spilled: [], collided: [], cut: [], squeezed: [], mute: [] };
  if (!drawing) return { boxes: 0, told };

  const parents = (element) => (element === root ? [] : [element.parentElement, ...parents(element.parentElement)]);
  const isSeen = (element) => element.getClientRects().length > 0 && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const meets = (one, other, slack = 0) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
  const within = (one, other, slack = 1) =>
    one.left >= other.left - slack && one.right <= other.right + slack && one.top >= other.top - slack && one.bottom <= other.bottom + slack;
  const holds = (rect, x, y, inset) => x > rect.left + inset && x < rect.right - inset && y > rect.top + inset && y < rect.bottom - inset;
  const distance = (rect, { x, y }) => Math.hypot(Math.max(rect.left - x, 0, x - rect.right), Math.max(rect.top - y, 0, y - rect.bottom));

  // ---------------------------------------------------------------- what is there

  const standing = [...drawing.querySelectorAll("[data-box], [data-group]")].filter(isSeen).flatMap((element) => {
    const card = element.querySelector(".mg-card, .mg-frame"); // a part of a group may have its name, too
    const name = (element.querySelector(".mg-name") ?? element.querySelector("text"))?.textContent ?? "";
    return card ? [{ element, name, isFrame: element.classList.contains("mg-open"), rect: card.getBoundingClientRect() }] : [];
  });
  const boxes = standing.filter(({ isFrame }) => !isFrame); // a closed group is one box
  const texts = [...drawing.querySelectorAll("text")]
    .filter((text) => text.textContent.trim() && isSeen(text))
    .map((text) => {
      const { a, b, c, d } = text.getScreenCTM();
      const { left, right, top, bottom } = text.getBoundingClientRect();
      const margin = (bottom - top) * 0.22; // above the capitals and below the line
      return {
        text: text.textContent.trim(),
        size: Number.parseFloat(getComputedStyle(text).fontSize) * Math.sqrt(Math.abs(a * d - b * c)),
        rect: { left, right, top: top + margin, bottom: bottom - margin },
        home: standing.find(({ element }) => element.contains(text)),
        flows: Boolean(text.closest("[data-chip]")), // it lies on its edge
        hangs: Boolean(text.closest(".mg-badge, .mg-version-tag, [data-chip]")),
      };
    });
  const wires = [...drawing.querySelectorAll("[data-edge]")].filter(isSeen).flatMap((element) => {
    const path = element.querySelector(".mg-wire");
    if (!path) return [];
    const matrix = path.getScreenCTM();
    const length = path.getTotalLength();
    const count = Math.max(2, Math.min(240, Math.ceil((length * Math.abs(matrix.a)) / 4)));
    const points = Array.from({ length: count + 1 }, (_, k) => {
      const { x, y } = path.getPointAtLength((length * k) / count).matrixTransform(matrix);
      return { x, y };
    });
    const xs = points.map(({ x }) => x);
    const ys = points.map(({ y }) => y);
    const nearest = (point) => boxes.reduce((best, box) => (distance(box.rect, point) < distance(best.rect, point) ? box : best), boxes[0]);
    const bounds = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    return [{ points, bounds, ends: [nearest(points[0]), nearest(points.at(-1))] }];
  });
  const called = ({ ends: [one, other] }) => `${one.name} → ${other.name}`;

  // ---------------------------------------------------------------- what is in the way of what

  const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const close = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
  /** Whether two edges cross, other than where they leave or reach the same place. */
  const cross = (one, other) => {
    if (!meets(one.bounds, other.bounds, -1)) return false;
    const tips = ({ points }) => [points[0], points.at(-1)];
    const shared = tips(one).filter((tip) => tips(other).some((end) => close(tip, end) < 14));
    for (let i = 1; i < one.points.length; i += 1) {
      const [a, b] = [one.points[i - 1], one.points[i]];
      if (shared.some((tip) => close(tip, a) < 26)) continue;
      for (let k = 1; k < other.points.length; k += 1) {
        const [c, d] = [other.points[k - 1], other.points[k]];
        if (Math.abs(a.x - c.x) > 40 || Math.abs(a.y - c.y) > 40) continue;
        if (turn(a, b, c) > 0 !== turn(a, b, d) > 0 && turn(c, d, a) > 0 !== turn(c, d, b) > 0) return true;
      }
    }
    return false;
  };
  wires.forEach((wire, k) => {
    for (const other of wires.slice(k + 1)) if (cross(wire, other)) told.crossings.push(`${called(wire)} and ${called(other)}`);
    for (const box of boxes) {
      if (wire.ends.includes(box) || !meets(box.rect, wire.bounds, -1)) continue;
      if (wire.points.some(({ x, y }) => holds(box.rect, x, y, 2))) told.under.push(`${called(wire)} under ${box.name}`);
    }
    for (const { text, rect, flows } of texts) {
      if (flows || boxes.some((box) => within(rect, box.rect, 3)) || !meets(rect, wire.bounds, -1)) continue;
      if (wire.points.some(({ x, y }) => holds(rect, x, y, SLACK))) told.struck.push(`${text} by ${called(wire)}`);
    }
  });
  texts.forEach(({ text, rect, home, hangs }, k) => {
    for (const other of texts.slice(k + 1)) if (meets(rect, other.rect, SLACK)) told.overlapping.push(`${text} and ${other.text}`);
    if (home && !hangs && (rect.left < home.rect.left - SLACK || rect.right > home.rect.right + SLACK)) told.spilled.push(`${text} of ${home.name}`);
  });
  boxes.forEach((box, k) => {
    for (const other of boxes.slice(k + 1)) if (meets(box.rect, other.rect, SLACK)) told.collided.push(`${box.name} and ${other.name}`);
  });

  for (const { name } of standing) if (name.endsWith("…") && name.length < 8) told.cut.push(name);

  for (const box of boxes) {
    if (box.element.hasAttribute("data-box") && texts.filter(({ home, hangs }) => home === box && !hangs).length < 2) told.mute.push(box.name);
  }
  /** Words beside and below the drawing that are set in lines of a few letters. */
  const blocks = new Set();
  for (const element of root.querySelectorAll("*")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own.length || drawing.contains(element) || !isSeen(element)) continue;
    blocks.add([element, ...parents(element)].find((around) => getComputedStyle(around).display !== "inline"));
  }
  for (const block of blocks) {
    const letter = Number.parseFloat(getComputedStyle(block).fontSize) * 0.55;
    const words = block.textContent.trim();
    const isHeardOnly = block.clientWidth < 4; // words for those who do not see the page
    if (!isHeardOnly && block.clientWidth / letter < FEWEST && words.length * letter > 2 * block.clientWidth) told.squeezed.push(words.slice(0, 40));
  }

  // ---------------------------------------------------------------- what is in the view

  const view = drawing.closest(".mg-view") ?? drawing.parentNode;
  const whole = root.getBoundingClientRect();
  const frame = view.getBoundingClientRect();
  const [left, top] = [frame.left + view.clientLeft, frame.top + view.clientTop];
  const seen = { left, right: left + view.clientWidth, top, bottom: Math.min(top + view.clientHeight, whole.top + SCREEN) };
  const inView = boxes.filter(({ rect }) => within(rect, seen));
  return {
    boxes: boxes.length,
    frames: standing.length - boxes.length,
    edges: wires.length,
    texts: texts.length,
    smallest: texts.length ? Math.min(...texts.map(({ size }) => size)) : 0, // nothing to be read
    seen: boxes.length ? inView.length / boxes.length : 0,
    ...Object.fromEntries(Object.entries(told).map(([name, list]) => [name, list.length])),
    height: whole.height,
    width: whole.width,
    names: standing.map(({ name }) => name),
    told,
  };
}
