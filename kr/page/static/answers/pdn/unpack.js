// Bytes of a file, unpacked by the browser if they are packed by gzip.

import {PlainBytes} from "./source.js";
import {Refused} from "../text.js";
import {told} from "./drafts.js";

/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {import("./source.js").ByteSource} ByteSource */

const GZIP = [0x1f, 0x8b];
/** First bytes of files that browsers don't unpack, and the name of what packs them. @type {[number[], string][]} */
const NOT_UNPACKED = [
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "xz"],
  [[0x42, 0x5a, 0x68], "bzip2"],
];
/** Bytes that a packed file may come to: a few of gzip make a thousand times as many. */
const MOST_UNPACKED = 256 << 20;

/**
 * A function that begins to read the content of a file anew. Of a damaged file it gives what comes before the damage.
 * @param {Uint8Array} bytes
 * @param {Sentence | null} [missing] why they are not the whole file
 * @returns {Promise<() => ByteSource>}
 */
export async function opener(bytes, missing = null) {
  const begins = (/** @type {number[]} */ magic) => magic.every((byte, index) => bytes[index] === byte),
    packer = NOT_UNPACKED.find(([magic]) => begins(magic))?.[1];
  if (packer) throw new Refused("pdn.packed", {packer}, "pdn");
  const {content, fault} = begins(GZIP) ? await unpacked(bytes) : {content: bytes, fault: null};
  return () => new CutBytes(content, fault || missing);
}

/** What comes out of packed bytes, and why that is not all of it. @param {Uint8Array} bytes */
async function unpacked(bytes) {
  const reader = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .getReader();
  /** @type {Uint8Array[]} */
  const pieces = [];
  let size = 0;
  /** @type {Sentence | null} */
  let fault = null;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value);
      size += next.value.length;
      if (size <= MOST_UNPACKED) continue;
      fault = told("pdn.large_unpacked", {size: MOST_UNPACKED >> 20});
      void reader.cancel();
      break;
    }
  } catch {
    fault = told("pdn.damaged");
  }
  return {content: new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (pieces)).arrayBuffer()), fault};
}

/** Bytes of a file, and at their end why they are not all. */
class CutBytes extends PlainBytes {
  #fault;

  /** @param {Uint8Array} content @param {Sentence | null} fault */
  constructor(content, fault) {
    super(content);
    this.#fault = fault;
  }

  /** @param {number} size */
  read(size) {
    const block = super.read(size);
    if (!block.length && this.#fault) throw new Refused(this.#fault.say, this.#fault.with, "pdn");
    return block;
  }
}
