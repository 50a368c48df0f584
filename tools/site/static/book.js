// The book's pages: the meaning of a term where the pointer or the focus is, and errors found by their first words.

(() => {
  // ---- terms: without this script the browser shows the same words by itself

  const bubble = Object.assign(document.createElement("div"), { className: "term-bubble", id: "term", hidden: true });
  bubble.setAttribute("role", "tooltip");
  let shownFor = null;

  const hide = () => {
    if (!shownFor) return;
    shownFor.title = shownFor.dataset.meaning;
    shownFor.removeAttribute("aria-describedby");
    shownFor = null;
    bubble.hidden = true;
  };

  const show = (link) => {
    if (shownFor === link) return;
    hide();
    shownFor = link;
    link.dataset.meaning = link.title;
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", bubble.id);
    const [word, chinese, ...meaning] = link.dataset.meaning.split(" · ");
    const [name, other, text] = ["b", "span", "p"].map((tag) => document.createElement(tag));
    name.textContent = word;
    other.textContent = chinese;
    other.lang = "zh";
    text.textContent = meaning.join(" · ");
    bubble.replaceChildren(name, other, text);
    bubble.hidden = false;
    const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - bubble.offsetWidth - 8));
    const isBelow = at.top < bubble.offsetHeight + 12;
    const top = isBelow ? at.bottom + 6 : at.top - bubble.offsetHeight - 6;
    Object.assign(bubble.style, { left: `${left + scrollX}px`, top: `${top + scrollY}px` });
  };

  addEventListener("DOMContentLoaded", () => {
    document.body.append(bubble);
    for (const link of document.querySelectorAll("a.term")) {
      link.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && show(link));
      link.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && hide());
      link.addEventListener("focus", () => show(link));
      link.addEventListener("blur", hide);
      // On a touch screen the first tap tells the meaning, and the second one leads to the glossary.
      let wasShown = false;
      link.addEventListener("pointerdown", () => {
        wasShown = shownFor === link;
      });
      link.addEventListener("click", (event) => {
        if (event.pointerType !== "touch" || wasShown) return;
        event.preventDefault();
        show(link);
      });
    }
    addEventListener("keydown", ({ key }) => key === "Escape" && hide());
    letKeysScroll();
    addEventListener("resize", letKeysScroll);
    document.addEventListener("scroll", tellWhenMoved, { capture: true, passive: true });
    findPlace();
    addEventListener("hashchange", findPlace);
    markPlace();
    markWords();
    findErrors();
  });

  // ---- links of before, to errors whose places had neither capitals nor _ in their names

  const findPlace = () => {
    if (!location.hash.startsWith("#error-")) return;
    const asked = decodeURIComponent(location.hash.slice(1));
    if (document.getElementById(asked)) return;
    const withoutCapitals = (id) => id.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^error-[-0-9]*|-$/g, "");
    const places = [...document.querySelectorAll('[id^="error-"]')];
    const place = places.find(({ id }) => withoutCapitals(id) === withoutCapitals(asked));
    if (place) location.replace(`#${place.id}`);
  };

  // ---- the contents of the page: the section that is read is marked, however one came there

  const markPlace = () => {
    const links = [...document.querySelectorAll("#on-this-page a")];
    const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const top = (k) => sections[k].getBoundingClientRect().top;
    const mark = () => {
      let place = sections.findLastIndex((_, k) => top(k) < innerHeight * 0.3);
      if (scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 2) {
        // Nothing goes further up from here: it is the section that was asked for, if it is seen, or else the last
        const asked = links.findIndex((link) => link.hash === location.hash);
        place = asked >= 0 && top(asked) > 0 ? asked : links.length - 1;
      }
      for (const [k, link] of links.entries()) {
        if (k === place) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    };
    if (!links.length) return;
    addEventListener("scroll", mark, { passive: true });
    addEventListener("hashchange", mark);
    new ResizeObserver(mark).observe(document.body); // at once, and when steppers are made
  };

  // ---- pictures and tables that are wider than the page: their edge says that they go on, and with the focus on them the
  // arrow keys move them

  const WIDE =
    ".minigrad-drawing, .output, .output pre, .minigrad-still, .minigrad-figure, .minigrad-runs > div, .mgb-graph, " +
    ".pst-scrollable-table-container";

  const tellWhereItGoesOn = (place) => {
    const rest = place.scrollWidth - place.clientWidth - place.scrollLeft;
    const sides = [place.scrollLeft > 1 && "left", rest > 1 && "right"].filter(Boolean);
    if (sides.length) place.dataset.goesOn = sides.join(" ");
    else delete place.dataset.goesOn;
  };

  const letKeysScroll = () => {
    for (const place of document.querySelectorAll(`.bd-article :is(${WIDE})`)) {
      tellWhereItGoesOn(place);
      if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
      else place.removeAttribute("tabindex");
    }
  };

  const tellWhenMoved = ({ target }) => target instanceof Element && target.matches(WIDE) && tellWhereItGoesOn(target);

  // ---- the words that were searched for, in the text of what was found: its address has them

  const markWords = () => {
    const words = (new URLSearchParams(location.search).get("words") ?? "").split(" ").filter(Boolean);
    const article = document.querySelector(".bd-article");
    if (!words.length || !article || !globalThis.Highlight) return;
    const found = new Highlight();
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const text = node.data.toLowerCase();
      for (const word of words)
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
          found.add(new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length }));
    }
    CSS.highlights.set("words", found);
  };

  // ---- errors: on the page of the search, those of the errors page whose first words stand in what was asked, or which
  // have what was asked in them

  const wordsOf = (text) => text.toLowerCase().match(/…|[\p{L}\p{N}_.]+/gu) ?? [];
  const LONGEST_GAP = 8; // words that may stand where the page has …

  /** How many words of an error's beginning stand in `asked` from its start; 0 where they part before either ends. */
  const matched = (asked, words) => {
    let [k, count] = [0, 0];
    for (const [place, word] of words.entries()) {
      if (k === asked.length) return count;
      if (word === "…") {
        const next = words[place + 1];
        if (next === undefined) return count;
        const gap = asked.slice(k, k + LONGEST_GAP + 1).indexOf(next);
        if (gap < 0) return asked.length - k <= LONGEST_GAP ? count : 0;
        k += gap;
      } else if (asked[k] === word || (k === asked.length - 1 && word.startsWith(asked[k]))) {
        k += 1;
        count += 1;
      } else {
        return 0;
      }
    }
    return count;
  };

  /** How many words are asked for, if they stand together in an error, wherever; its beginning is worth a little more. */
  const within = (asked, words) => (` ${words.join(" ")}`.includes(` ${asked.join(" ")}`) ? asked.length - 0.5 : 0);

  async function findErrors() {
    const place = document.getElementById("search-results");
    const asked = wordsOf(new URLSearchParams(location.search).get("q") ?? "");
    if (place && !asked.length) {
      place.textContent =
        "Write above what you look for: a word as PyTorch spells it, or an error's first words, as it stands on your screen.";
    }
    if (!place || asked.length < 2) return;
    const errors = await (await fetch("_static/errors.json")).json();
    const starts = asked.map((_, k) => asked.slice(k)).filter((rest) => rest.length > 1);
    const scored = errors.map((error) => {
      const words = wordsOf(error[0]);
      return [Math.max(within(asked, words), ...starts.map((rest) => matched(rest, words))), error];
    });
    const best = scored.filter(([score]) => score > 1).sort(([a], [b]) => b - a);
    if (!best.length) return;
    const list = Object.assign(document.createElement("ul"), { className: "error-hits" });
    for (const [score, [words, meaning, address]] of best.slice(0, 4)) {
      if (score < best[0][0] / 2) break;
      const [row, link, text] = ["li", "a", "p"].map((tag) => document.createElement(tag));
      link.href = address;
      link.textContent = words;
      text.textContent = meaning;
      row.append(link, text);
      list.append(row);
    }
    place.before(list);
  }
})();
