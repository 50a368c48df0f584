// Loads Python in the kernel's own thread: JupyterLite takes this for Pyodide's script, and calls `loadPyodide`.
//
// All files are fetched at once, before anything starts, and checked: a transfer that breaks is begun anew, three
// times. What is there is kept by the browser for the next kernel, if it lets pages keep anything. The page is told
// how much has come, and in the end what went wrong.

const WAITS = [1000, 3000, 10000]; // milliseconds before a file is asked for once more
const CACHE = "minigrad-python";

self.loadPyodide = async ({ indexURL, packages, ...options }) => {
  const tell = (state) => self.postMessage({ minigrad: state });
  try {
    const { runtime, ...lock } = await (await fetchPatiently(indexURL + "pyodide-lock.json")).json();
    const address = (name) => new URL(name, indexURL).href;
    const files = [...Object.values(runtime), ...Object.values(lock.packages)].map(({ url, file_name, sha256, size }) => ({
      url: address(url ?? file_name),
      sha256,
      size,
    }));
    for (const entry of Object.values(lock.packages)) entry.file_name = address(entry.file_name);
    const held = await fetchAll(files, tell);
    tell({ starting: true });
    const local = (name, type) => URL.createObjectURL(new Blob([held.get(address(runtime[name].url))], { type }));
    const network = self.fetch;
    self.fetch = (request, init) => {
      const url = request.url ?? String(request);
      if (!held.has(url)) return network(request, init);
      const type = url.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
      return Promise.resolve(new Response(held.get(url), { headers: { "Content-Type": type } }));
    };
    try {
      importScripts(local("pyodide.js", "text/javascript"), local("pyodide.asm.js", "text/javascript"));
      const lockFileURL = URL.createObjectURL(new Blob([JSON.stringify(lock)], { type: "application/json" }));
      const known = packages.filter((name) => name.replaceAll("_", "-") in lock.packages);
      const place = address(runtime["pyodide.asm.wasm"].url).replace(/[^/]*$/, "");
      return await self.loadPyodide({ ...options, indexURL: place, lockFileURL, packages: known });
    } finally {
      self.fetch = network;
    }
  } catch (error) {
    tell({ failed: String(error.message ?? error) });
    throw error;
  }
};

async function fetchAll(files, tell) {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const cache = await self.caches?.open(CACHE).catch(() => undefined);
  const held = new Map();
  let loaded = 0;
  let told = Number.NEGATIVE_INFINITY;
  const count = (bytes) => {
    loaded += bytes;
    if (performance.now() - told < 100 && loaded < total) return;
    told = performance.now();
    tell({ loaded, total });
  };
  count(0);
  const load = async ({ url, sha256, size }) => {
    const key = `${url}?sha256=${sha256}`;
    const kept = await cache?.match(key).catch(() => undefined);
    if (kept) {
      held.set(url, await kept.arrayBuffer());
      count(size);
      return;
    }
    const bytes = await fetchWhole(url, sha256, count);
    held.set(url, bytes);
    await cache?.put(key, new Response(bytes)).catch(() => {}); // refused or full: it is fetched again the next time
  };
  await Promise.all(files.map(load));
  await forgetOthers(cache, files).catch(() => {});
  return held;
}

async function forgetOthers(cache, files) {
  const wanted = new Set(files.map(({ url, sha256 }) => `${url}?sha256=${sha256}`));
  for (const { url } of (await cache?.keys()) ?? []) if (!wanted.has(url)) await cache.delete(url);
}

// The bytes of a file, all of them. `count` hears of each piece, and with a negative number of those that were in vain.
async function fetchWhole(url, sha256, count) {
  for (const wait of [...WAITS, undefined]) {
    let came = 0;
    try {
      const pieces = [];
      const response = await fetch(url);
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      for (const reader = response.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(value);
        came += value.length;
        count(value.length);
      }
      const bytes = await new Blob(pieces).arrayBuffer();
      if (self.crypto.subtle && (await hash(bytes)) !== sha256) throw new Error("what came is not the whole file");
      return bytes;
    } catch (error) {
      count(-came);
      if (wait === undefined) throw new Error(`${url.split("/").at(-1)} could not be loaded: ${error.message}`);
      await new Promise((goOn) => setTimeout(goOn, wait));
    }
  }
}

async function fetchPatiently(url) {
  for (const wait of WAITS) {
    const response = await fetch(url, { cache: "no-cache" }).catch(() => undefined);
    if (response?.ok) return response;
    await new Promise((goOn) => setTimeout(goOn, wait));
  }
  return fetch(url);
}

async function hash(bytes) {
  const digest = new Uint8Array(await self.crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
