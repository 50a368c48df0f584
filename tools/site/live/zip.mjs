// Archives of a few files, as every system opens them: written without compression, read with or without it.

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const UTF8 = 0x0800; // the flag that says how names are written
const DAY = 0x5c21; // 1 January 2026: an archive of the same answers is the same archive

/**
 * @param {Record<string, string>} files texts by name
 * @returns {Blob}
 */
export function zip(files) {
  const written = [];
  const entries = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, bytes] = [name, text].map((part) => new TextEncoder().encode(part));
    // What the local header and the entry have in common, in this order.
    const common = [
      [2, 20],
      [2, UTF8],
      [2, 0],
      [2, 0],
      [2, DAY],
      [4, checksum(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, path.length],
      [2, 0],
    ];
    const local = record([[4, LOCAL], ...common]);
    const rest = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    ];
    entries.push(record([[4, ENTRY], [2, 20], ...common, ...rest]), path);
    written.push(local, path, bytes);
    offset += local.length + path.length + bytes.length;
  }
  const size = entries.reduce((sum, part) => sum + part.length, 0);
  const count = entries.length / 2;
  const end = record([
    [4, END],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
  return new Blob([...written, ...entries, end], { type: "application/zip" });
}

/** Numbers of two or four bytes, one after the other. */
function record(numbers) {
  const bytes = new DataView(new ArrayBuffer(numbers.reduce((sum, [width]) => sum + width, 0)));
  let at = 0;
  for (const [width, number] of numbers) {
    if (width === 2) bytes.setUint16(at, number, true);
    else bytes.setUint32(at, number, true);
    at += width;
  }
  return new Uint8Array(bytes.buffer);
}

function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}

/**
 * The texts of an archive by name. An Error, with words, where it is none, or is cut off.
 *
 * @param {ArrayBuffer} archive
 * @returns {Promise<Record<string, string>>}
 */
export async function unzip(archive) {
  const view = new DataView(archive);
  let end = archive.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error("it is not a zip archive, or a part of it is missing");
  const files = {};
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [nameSize, extra, remark] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(new Uint8Array(archive, at + 46, nameSize));
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (!name.endsWith("/")) files[name] = await textOf(new Uint8Array(archive, start, size), method);
    at += 46 + nameSize + extra + remark;
  }
  return files;
}

async function textOf(bytes, method) {
  const whole = new Blob([bytes]);
  if (method === 0) return whole.text();
  if (method !== 8) throw new Error("it is compressed in a way that is not known here");
  return new Response(whole.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}
