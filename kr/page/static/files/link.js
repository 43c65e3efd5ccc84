// A game in a link, as kr theory makes them and kr web once did: its PDN, deflated, as base64url.

import {t} from "../texts.js";

const LONGEST_LINK = 100_000;
const LONGEST_TEXT = 2_000_000;

/** @param {ReadableStream<any>} stream */
async function* read(stream) {
  const reader = stream.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {DecompressionStream} stream
 * @param {number} most bytes that may come out
 */
async function through(bytes, stream, most) {
  const chunks = [];
  let length = 0;
  for await (const chunk of read(new Blob([bytes]).stream().pipeThrough(stream))) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Error(t("The link holds too long a text"));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {string} data */
export async function unpacked(data) {
  if (data.length > LONGEST_LINK) throw new Error(t("The link is too long"));
  let bytes;
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    bytes = await through(
      Uint8Array.from(binary, byte => byte.charCodeAt(0)),
      new DecompressionStream("deflate-raw"),
      LONGEST_TEXT,
    );
  } catch {
    throw new Error(t("The link is damaged: it holds no game"));
  }
  return new TextDecoder().decode(bytes);
}
