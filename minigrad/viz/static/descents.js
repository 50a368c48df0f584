(place) => {
  // The paths from all starts of the grid are there; the pointer and the arrow keys choose one. What is drawn already is moved.
  const { starts, first, box, kinds, paths, ends } = JSON.parse(place.dataset.descents);
  const [left, top, side] = box;
  const find = (what) => [...place.querySelectorAll(`[data-${what}]`)];
  const [ring] = find("start");
  const svg = place.querySelector("svg");
  let at = [first % starts, Math.floor(first / starts)];

  const move = (column, row) => {
    const within = (number) => Math.min(Math.max(number, 0), starts - 1);
    at = [within(column), within(row)];
    const start = at[1] * starts + at[0];
    for (const [k, group] of find("path").entries()) {
      const path = paths[k][start];
      const points = path.flatMap((x, i) => (i % 2 ? [] : [[x, path[i + 1]]]));
      const [line, ...marks] = group.children;
      line.setAttribute("d", "M" + points.map((point) => point.join(" ")).join("L"));
      const model = marks[0]; // one stays, also for a path of no steps
      for (const mark of marks.slice(1)) mark.remove();
      for (const [i, [x, y]] of points.slice(1).entries()) {
        const mark = i ? group.appendChild(model.cloneNode()) : model;
        const shift = mark.tagName === "rect" ? { x: x - 3.5, y: y - 3.5 } : { cx: x, cy: y };
        for (const [name, value] of Object.entries(shift)) mark.setAttribute(name, value);
      }
      model.style.display = points.length < 2 ? "none" : "";
      const [height, kind] = ends[k][start];
      find("height")[k].textContent = `f = ${height}`;
      find("kind")[k].textContent = kinds[kind];
    }
    for (const circle of ring.querySelectorAll("circle")) {
      circle.setAttribute("cx", left + (side * (at[0] + 0.5)) / starts);
      circle.setAttribute("cy", top + side * (1 - (at[1] + 0.5) / starts));
    }
    place.dataset.at = at.join(",");
  };

  const follow = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    move(Math.floor(((x - left) / side) * starts), Math.floor((1 - (y - top) / side) * starts));
  };
  ring.style.cursor = "grab";
  ring.style.touchAction = "none";
  ring.addEventListener("pointerdown", (event) => {
    ring.setPointerCapture(event.pointerId);
    event.preventDefault();
    ring.firstElementChild.focus({ preventScroll: true });
  });
  ring.addEventListener("pointermove", (event) => ring.hasPointerCapture(event.pointerId) && follow(event));
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  ring.addEventListener("keydown", (event) => {
    const step = arrows[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(at[0] + step[0], at[1] + step[1]);
  });
  move(...at);
}
