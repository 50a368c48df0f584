// What a reader sees of a stepper's drawing, in numbers: a function for page.evaluate, called with the stepper's element.
// It looks at what is on the screen and nothing else, so that it stays true whoever draws the picture and however. Lengths are pixels of the
// screen. What it finds is also told in words (`told`), so that a number can be looked up in the picture.
(root) => {
  const SCREEN = 779; // pixels of a 1400x900 window in which JupyterLab shows the notebook
  const SLACK = 1.5; // what the eye forgives
  const FEWEST = 14; // letters that a line of words holds
  const BACK = 4; // pixels that an edge goes against the others, at least, to go back
  const TOGETHER = 3; // pixels: so near each other begin edges that run together
  const BRANCHING = 7; // and so near each other they do
  // What a box says of numbers; what of it are literals; what words are; and a shape, which needs none beside it.
  const NUMBER = /\d|∞|\(\)|\[\]|\b(none|nan|inf|true|false)\b/i;
  const LITERAL = /\b(none|nan|inf|true|false)\b|\d[\d_.]*(e[+-]?\d+)?/gi;
  const WORD = /\p{L}{2,}|[∂∇‖]/u;
  const SHAPE = /^(\(\d*(, ?\d*)*\)|\d+( ?× ?\d+)+)$/;
  const GRADIENT = /grad|so far|[∂∇]/i;
  const OPERATION = /[=·+*/@(−-]/; // in a name, where the two stand together
  const drawing = root.querySelector("svg.mg-graph");
  const told = { under: [], crossings: [], overlapping: [], struck: [], titles: [], spilled: [], collided: [], cut: [], squeezed: [] };
  Object.assign(told, { mute: [], wordless: [], unsaid: [], back: [] }); // of what a box says, and of the way that it flows
  if (!drawing) return { boxes: 0, shown: [], groups: [], closed: [], whole: [], told };

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
        isName: text.matches(".mg-name"),
        isOperation: text.matches(".mg-expression"),
        isTitle: Boolean(text.closest(".mg-group-title")),
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
    // To find them takes most of the time of all that is measured: of a path that is as it was, they are known.
    const asked = `${count} of ${path.getAttribute("d")}`;
    if (path.pointsAsked !== asked) {
      const own = Array.from({ length: count + 1 }, (_, k) => path.getPointAtLength((length * k) / count));
      Object.assign(path, { pointsAsked: asked, pointsFound: own });
    }
    const points = path.pointsFound.map((point) => {
      const { x, y } = point.matrixTransform(matrix);
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
  /** Where edges from one place part, of which some run together at first: as one line of which others branch off. */
  const parting = (one, other) => {
    if (close(one.points[0], other.points[0]) > TOGETHER) return 1;
    const apart = one.points.findIndex((point) => !other.points.some((there) => close(point, there) < BRANCHING));
    return apart < 0 ? one.points.length : Math.max(apart, 1);
  };
  /** The place at which two edges cross, other than where they leave or reach the same place; null for none. */
  const crossing = (one, other) => {
    if (!meets(one.bounds, other.bounds, -1)) return null;
    const tips = ({ points }) => [points[0], points.at(-1)];
    const shared = tips(one).filter((tip) => tips(other).some((end) => close(tip, end) < 14));
    for (let i = parting(one, other); i < one.points.length; i += 1) {
      const [a, b] = [one.points[i - 1], one.points[i]];
      if (shared.some((tip) => close(tip, a) < 26)) continue;
      for (let k = 1; k < other.points.length; k += 1) {
        const [c, d] = [other.points[k - 1], other.points[k]];
        if (Math.abs(a.x - c.x) > 40 || Math.abs(a.y - c.y) > 40) continue;
        if (turn(a, b, c) > 0 !== turn(a, b, d) > 0 && turn(c, d, a) > 0 !== turn(c, d, b) > 0) return a;
      }
    }
    return null;
  };
  const crossings = []; // two lines that cross do so once, however many edges run together in them
  wires.forEach((wire, k) => {
    for (const other of wires.slice(k + 1)) {
      const at = crossing(wire, other);
      const from = [wire.ends[0], other.ends[0]];
      const isKnown = at && crossings.some((known) => from.every((box) => known.from.includes(box)) && close(known.at, at) < BRANCHING);
      if (!at || isKnown) continue;
      crossings.push({ at, from });
      told.crossings.push(`${called(wire)} and ${called(other)}`);
    }
    for (const box of boxes) {
      if (wire.ends.includes(box) || !meets(box.rect, wire.bounds, -1)) continue;
      if (wire.points.some(({ x, y }) => holds(box.rect, x, y, 2))) told.under.push(`${called(wire)} under ${box.name}`);
    }
    for (const { text, rect, flows, isTitle } of texts) {
      if (flows || boxes.some((box) => within(rect, box.rect, 3)) || !meets(rect, wire.bounds, -1)) continue;
      if (!wire.points.some(({ x, y }) => holds(rect, x, y, SLACK))) continue;
      told.struck.push(`${text} by ${called(wire)}`);
      if (isTitle) told.titles.push(told.struck.at(-1));
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

  // ---------------------------------------------------------------- what a box says

  const isBeside = (one, other) => Math.abs(one.rect.top + one.rect.bottom - other.rect.top - other.rect.bottom) < one.rect.bottom - one.rect.top;
  for (const box of boxes) {
    if (!box.element.hasAttribute("data-box")) continue; // of a closed group its title is enough
    const own = texts.filter(({ home, hangs }) => home === box && !hangs);
    const said = own.filter(({ isName, isOperation }) => !isName && !isOperation);
    const numbers = said.filter(({ text }) => NUMBER.test(text));
    const words = said.filter(({ text }) => WORD.test(text.replace(LITERAL, "")));
    if (!numbers.length) told.mute.push(box.name);
    const lonely = numbers.filter((number) => !SHAPE.test(number.text) && !words.some((word) => isBeside(word, number)));
    if (lonely.length) told.wordless.push(`${box.name}: ${lonely.map(({ text }) => text).join(", ")}`);
    const isMade = wires.some(({ ends }) => ends[1] === box);
    const hasGradient = !box.element.matches(".mg-constant, .mg-greyed, .mg-pruned, .mg-off");
    const lacks = [
      own.some(({ isName }) => isName) ? "" : "name",
      !isMade || own.some(({ text, isName, isOperation }) => isOperation || (isName && OPERATION.test(text))) ? "" : "operation",
      !hasGradient || words.some(({ text }) => GRADIENT.test(text)) ? "" : "gradient",
    ].filter(Boolean);
    if (lacks.length) told.unsaid.push(`${box.name}: no ${lacks.join(", no ")}`);
  }

  // ---------------------------------------------------------------- which way it flows

  const goes = ({ points }, axis) => points.at(-1)[axis] - points[0][axis];
  const [across, down] = ["x", "y"].map((axis) => wires.filter((wire) => goes(wire, axis) > BACK).length);
  const axis = across > down ? "x" : "y"; // that along which most edges go forward
  const isBack = (wire) => goes(wire, axis) < -BACK;
  told.back = wires.filter(isBack).map(called);
  /** How often, at most, one turns back who follows the edges: the columns or bands beyond the first. */
  const turns = new Map(boxes.map((box) => [box, 0]));
  for (let round = 0, grew = true; grew && round < boxes.length; round += 1) {
    grew = false;
    for (const wire of wires) {
      const [from, to] = wire.ends;
      const count = turns.get(from) + (isBack(wire) ? 1 : 0);
      if (count <= turns.get(to)) continue;
      turns.set(to, count);
      grew = true;
    }
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
  const overlap = (one, other, start, end) => Math.max(0, Math.min(one[end], other[end]) - Math.max(one[start], other[start]));
  const common = (rect) => overlap(rect, seen, "left", "right") * overlap(rect, seen, "top", "bottom");
  const idsOf = (some, kind) => some.filter(({ element }) => element.hasAttribute(kind)).map(({ element }) => element.getAttribute(kind));
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
    direction: axis === "y" ? "down" : "across",
    turns: Math.max(0, ...turns.values()),
    used: boxes.reduce((sum, { rect }) => sum + common(rect), 0) / common(seen), // of the canvas, by boxes
    shown: idsOf(standing, "data-box"),
    groups: idsOf(standing, "data-group"),
    closed: idsOf(boxes, "data-group"),
    whole: [...idsOf(inView, "data-box"), ...idsOf(inView, "data-group")],
    names: standing.map(({ name }) => name),
    told,
  };
}
