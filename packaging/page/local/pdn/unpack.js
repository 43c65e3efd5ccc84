// Bytes of a file, unpacked while they are read: gzip, xz and bzip2, as kr/pdn/source.py reads them. Browsers unpack
// gzip alone, and only what is whole.

import {KrError} from "../text.js";
import {PlainBytes} from "./source.js";

/** @typedef {import("./source.js").ByteSource} ByteSource */
/** @typedef {{bytes: Uint8Array, at: number}} Input packed bytes, and where to read on */
/** @typedef {(input: Input) => Generator<Uint8Array, void>} Unpacker gives pieces; throws Damage */

/** First bytes of packed files, and what unpacks them. @type {[number[], () => Promise<Unpacker>][]} */
const UNPACKERS = [
  [[0x1f, 0x8b], async () => (await import("./packed/gzip.js")).unpackGzip],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], async () => (await import("./packed/xz.js")).unpackXz],
  [[0x42, 0x5a, 0x68], async () => (await import("./packed/bzip2.js")).unpackBzip2],
];

/**
 * A function that begins to read the content of a file anew.
 * @param {Uint8Array} bytes
 * @returns {Promise<() => ByteSource>}
 */
export async function opener(bytes) {
  for (const [magic, load] of UNPACKERS) {
    if (!magic.every((byte, index) => bytes[index] === byte)) continue;
    const unpacker = await load();
    return () => new PackedBytes(bytes, unpacker);
  }
  return () => new PlainBytes(bytes);
}

/** Bytes that are unpacked as far as they are read. @implements {ByteSource} */
class PackedBytes {
  #input;
  #pieces;
  /** @type {Uint8Array} */
  #piece = new Uint8Array(0);

  /** @param {Uint8Array} bytes @param {Unpacker} unpacker */
  constructor(bytes, unpacker) {
    this.#input = {bytes, at: 0};
    this.#pieces = unpacker(this.#input);
  }

  /** @param {number} size */
  read(size) {
    const block = new Uint8Array(size);
    let length = 0;
    while (length < size) {
      if (!this.#piece.length) {
        const next = this.#next();
        if (!next) break;
        this.#piece = next;
      }
      const part = this.#piece.subarray(0, size - length);
      block.set(part, length);
      length += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    return block.subarray(0, length);
  }

  /** Share of the packed bytes that has been read. */
  get share() {
    return this.#input.at / this.#input.bytes.length;
  }

  #next() {
    try {
      const {done, value} = this.#pieces.next();
      return done ? null : value;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "Damage") throw error;
      throw new KrError(`the file is damaged: ${error.message}`, "pdn");
    }
  }
}
