// The steppers' script and style come packed, a quarter of their size on servers that do not compress, and once for all
// pages. Where they cannot be had, or this browser cannot unpack them, the still pictures are shown that stand there
// for pages without scripts.

try {
  const answer = await fetch(new URL("stepper.pack", import.meta.url));
  if (!answer.ok) throw new Error(`stepper.pack: ${answer.status}`);
  const inflated = answer.body.pipeThrough(new DecompressionStream("deflate"));
  const { script, style } = await new Response(inflated).json();
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  await import(address);
  URL.revokeObjectURL(address);
} catch (error) {
  for (const place of document.querySelectorAll(".minigrad-recorded")) {
    const word = document.createElement("p");
    word.className = "minigrad-failed";
    word.textContent = `This picture stays still (${/** @type {Error} */ (error).message}). Load the page again to step.`;
    place.innerHTML = place.querySelector("noscript")?.textContent ?? "";
    place.prepend(word);
    place.setAttribute("data-shown", "");
  }
}
