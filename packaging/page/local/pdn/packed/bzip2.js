// Unpacks bzip2, of one stream or several.

import {crc32Forward, Damage, refuseEnd} from "./damage.js";

/** @typedef {import("../unpack.js").Input} Input */
/** @typedef {{limits: Int32Array, bases: Int32Array, symbols: Uint16Array, shortest: number}} Codes
 *   of each length: the last code, and what to take from a code to get the place of its symbol */

const PIECE = 1 << 16,
  LONGEST_CODE = 20,
  GROUP = 50;
const RUN_A = 0,
  RUN_B = 1;

/** @returns {never} */
function refuse() {
  throw new Damage("Invalid data stream");
}

/** Bits of the input, highest first. */
class Bits {
  #hold = 0;
  #count = 0;

  /** @param {Input} input */
  constructor(input) {
    this.input = input;
  }

  /** The next bits as a number. @param {number} count at most 24 */
  take(count) {
    const {input} = this;
    while (this.#count < count) {
      if (input.at >= input.bytes.length) refuseEnd();
      this.#hold = (this.#hold << 8) | input.bytes[input.at++];
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#hold >>> this.#count) & ((1 << count) - 1);
  }

  /** The next 32 bits. */
  word() {
    return ((this.take(16) << 16) | this.take(16)) >>> 0;
  }

  /** Leaves out what remains of a byte. */
  align() {
    this.#count = 0;
  }
}

/** @param {Input} input @returns {Generator<Uint8Array, void>} */
export function* unpackBzip2(input) {
  const {bytes} = input;
  for (let isFirst = true; input.at < bytes.length; isFirst = false) {
    const level = bytes[input.at + 3] - 48,
      isStream = bytes[input.at] === 0x42 && bytes[input.at + 1] === 0x5a && bytes[input.at + 2] === 0x68;
    if (input.at + 4 > bytes.length && isStream) refuseEnd();
    if (!isStream || level < 1 || level > 9) {
      // what follows a whole stream is left out
      if (isFirst) refuse();
      return;
    }
    input.at += 4;
    yield* unpackStream(new Bits(input), level * 100_000);
  }
}

/** @param {Bits} bits @param {number} size most bytes of a block @returns {Generator<Uint8Array, void>} */
function* unpackStream(bits, size) {
  const block = new Uint32Array(size);
  let all = 0;
  while (true) {
    const magic = [bits.take(24), bits.take(24)],
      expected = bits.word();
    if (magic[0] === 0x177245 && magic[1] === 0x385090) {
      if (expected !== all) refuse();
      bits.align();
      return;
    }
    if (magic[0] !== 0x314159 || magic[1] !== 0x265359) refuse();
    let crc = 0;
    for (const piece of unpackBlock(bits, block)) {
      crc = crc32Forward(piece, crc);
      yield piece;
    }
    if (crc !== expected) refuse();
    all = (((all << 1) | (all >>> 31)) ^ crc) >>> 0;
  }
}

/** @param {Bits} bits @param {Uint32Array} block @returns {Generator<Uint8Array, void>} */
function* unpackBlock(bits, block) {
  // blocks of ancient versions may be shuffled
  if (bits.take(1)) refuse();
  const origin = bits.take(24),
    length = readBlock(bits, block);
  if (origin >= length) refuse();
  linkBlock(block, length);
  yield* withRuns(block, length, origin);
}

/** The bytes that occur in a block. @param {Bits} bits */
function readBytes(bits) {
  const used = bits.take(16),
    bytes = [];
  for (let high = 0; high < 16; high++) {
    if (!(used & (0x8000 >> high))) continue;
    const lows = bits.take(16);
    for (let low = 0; low < 16; low++) if (lows & (0x8000 >> low)) bytes.push(16 * high + low);
  }
  if (!bytes.length) refuse();
  return bytes;
}

/** Which codes each group of symbols has. @param {Bits} bits @param {number} tables */
function readSelectors(bits, tables) {
  const count = bits.take(15);
  if (!count) refuse();
  const order = Array.from({length: tables}, (_, index) => index),
    selectors = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let at = 0;
    while (bits.take(1)) if (++at >= tables) refuse();
    order.unshift(...order.splice(at, 1));
    selectors[i] = order[0];
  }
  return selectors;
}

/** @param {Bits} bits @param {number} count of symbols @returns {Codes} */
function readCodes(bits, count) {
  const lengths = [];
  let length = bits.take(5);
  for (let symbol = 0; symbol < count; symbol++) {
    while (true) {
      if (length < 1 || length > LONGEST_CODE) refuse();
      if (!bits.take(1)) break;
      length += bits.take(1) ? -1 : 1;
    }
    lengths.push(length);
  }
  const limits = new Int32Array(LONGEST_CODE + 2).fill(-1),
    bases = new Int32Array(LONGEST_CODE + 2),
    symbols = new Uint16Array(count);
  let code = 0,
    place = 0;
  for (let each = 1; each <= LONGEST_CODE; each++) {
    bases[each] = code - place;
    for (const [symbol, own] of lengths.entries()) {
      if (own !== each) continue;
      symbols[place++] = symbol;
      code++;
    }
    limits[each] = code - 1;
    code <<= 1;
  }
  return {limits, bases, symbols, shortest: Math.min(...lengths)};
}

/**
 * Reads the bytes of a block, sorted by what follows them; returns their number.
 * @param {Bits} bits
 * @param {Uint32Array} block
 */
function readBlock(bits, block) {
  const recent = readBytes(bits),
    end = recent.length + 1,
    tables = bits.take(3);
  if (tables < 2 || tables > 6) refuse();
  const selectors = readSelectors(bits, tables),
    all = Array.from({length: tables}, () => readCodes(bits, end + 1));
  let length = 0,
    run = 0,
    weight = 1;
  for (let group = 0; ; group++) {
    if (group >= selectors.length) refuse();
    const codes = all[selectors[group]];
    for (let i = 0; i < GROUP; i++) {
      const symbol = readSymbol(bits, codes);
      if (symbol === RUN_A || symbol === RUN_B) {
        run += weight << symbol;
        weight *= 2;
        if (run > block.length) refuse();
        continue;
      }
      if (run) {
        if (length + run > block.length) refuse();
        block.fill(recent[0], length, length + run);
        length += run;
        run = 0;
      }
      weight = 1;
      if (symbol === end) return length;
      if (length >= block.length) refuse();
      const byte = recent[symbol - 1];
      recent.copyWithin(1, 0, symbol - 1);
      recent[0] = byte;
      block[length++] = byte;
    }
  }
}

/** @param {Bits} bits @param {Codes} codes */
function readSymbol(bits, {limits, bases, symbols, shortest}) {
  let length = shortest,
    code = bits.take(shortest);
  while (code > limits[length]) {
    if (++length > LONGEST_CODE) refuse();
    code = (code << 1) | bits.take(1);
  }
  return symbols[code - bases[length]] ?? refuse();
}

/**
 * Writes above each byte of a block the place of the one before which it stood.
 * @param {Uint32Array} block
 * @param {number} length
 */
function linkBlock(block, length) {
  const places = new Uint32Array(257);
  for (let i = 0; i < length; i++) places[block[i] + 1]++;
  for (let byte = 0; byte < 256; byte++) places[byte + 1] += places[byte];
  for (let i = 0; i < length; i++) block[places[block[i] & 255]++] |= i << 8;
}

/**
 * The bytes in their order, four equal ones with the number of more that follow.
 * @param {Uint32Array} block
 * @param {number} length
 * @param {number} origin
 * @returns {Generator<Uint8Array, void>}
 */
function* withRuns(block, length, origin) {
  let piece = new Uint8Array(PIECE + 256),
    at = 0,
    place = block[origin] >>> 8,
    last = -1,
    equal = 0;
  for (let i = 0; i < length; i++) {
    const byte = block[place] & 255;
    place = block[place] >>> 8;
    if (equal === 4) {
      piece.fill(last, at, at + byte);
      at += byte;
      equal = 0;
      last = -1;
    } else {
      piece[at++] = byte;
      equal = byte === last ? equal + 1 : 1;
      last = byte;
    }
    if (at >= PIECE) {
      yield piece.subarray(0, at);
      piece = new Uint8Array(PIECE + 256);
      at = 0;
    }
  }
  yield piece.subarray(0, at);
}
