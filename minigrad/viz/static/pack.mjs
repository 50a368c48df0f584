// What Python has packed, made whole again.

/**
 * What `pack` in page/packing.py has packed: base64 of deflated JSON.
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(inflated).text());
}

/**
 * The packed script, as the module that it is, and the style that goes with it: at once where the page has loaded the
 * same text before.
 * @param {string} packed
 * @returns {any} the module with its style, or the promise of both
 */
export function load(packed) {
  globalThis.minigradScripts ??= new Map();
  const loaded = globalThis.minigradScripts;
  const open = async () => {
    const { script, style } = await unpack(packed);
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const module = await import(address);
    URL.revokeObjectURL(address);
    loaded.set(packed, { ...module, style });
    return loaded.get(packed);
  };
  if (!loaded.has(packed)) loaded.set(packed, open());
  return loaded.get(packed);
}
