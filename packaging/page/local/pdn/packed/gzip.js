// Unpacks gzip (RFC 1952, RFC 1951), of one member or several.

import {quoted} from "../../text.js";
import {crc32, Damage, refuseEnd} from "./damage.js";

/** @typedef {import("../unpack.js").Input} Input */
/**
 * @typedef {{symbols: Uint16Array, lengths: Uint8Array, mask: number}} Codes symbol and length of a code by what it
 * begins with
 */

const WINDOW = 1 << 15,
  PIECE = 1 << 16,
  LONGEST_MATCH = 258,
  LONGEST_CODE = 15;
/** Order in which the lengths of the codes for lengths come. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTH_BASE = LENGTH_EXTRA.map((_, code) => {
  if (code === 28) return LONGEST_MATCH;
  return LENGTH_EXTRA.slice(0, code).reduce((sum, extra) => sum + (1 << extra), 3);
});
const DISTANCE_EXTRA = Array.from({length: 30}, (_, code) => Math.max(0, (code >> 1) - 1));
const DISTANCE_BASE = DISTANCE_EXTRA.map((_, code) =>
  DISTANCE_EXTRA.slice(0, code).reduce((sum, extra) => sum + (1 << extra), 1),
);
const FIXED_LENGTHS = [...Array(144).fill(8), ...Array(112).fill(9), ...Array(24).fill(7), ...Array(8).fill(8)];

const CODE_LENGTHS = "code lengths",
  LITERALS = "literal/lengths",
  DISTANCES = "distances";

/** @param {string} why @returns {never} */
function refuse(why) {
  throw new Damage(`Error -3 while decompressing data: ${why}`);
}

/** @param {Input} input @returns {Generator<Uint8Array, void>} */
export function* unpackGzip(input) {
  const {bytes} = input;
  while (input.at < bytes.length) {
    readHeader(input);
    let crc = 0,
      length = 0;
    for (const piece of inflated(input)) {
      crc = crc32(piece, crc);
      length = (length + piece.length) >>> 0;
      yield piece;
    }
    if (input.at + 8 > bytes.length) refuseEnd();
    const ends = new DataView(bytes.buffer, bytes.byteOffset + input.at, 8),
      expected = ends.getUint32(0, true);
    if (crc !== expected) throw new Damage(`CRC check failed 0x${expected.toString(16)} != 0x${crc.toString(16)}`);
    if (length !== ends.getUint32(4, true)) throw new Damage("Incorrect length of data produced");
    input.at += 8;
    while (bytes[input.at] === 0) input.at++;
  }
}

/** @param {Input} input */
function readHeader(input) {
  const {bytes} = input,
    next = () => (input.at < bytes.length ? bytes[input.at++] : refuseEnd()),
    first = [...bytes.subarray(input.at, input.at + 2)];
  if (first[0] !== 0x1f || first[1] !== 0x8b)
    throw new Damage(`Not a gzipped file (b${quoted(String.fromCharCode(...first))})`);
  input.at += 2;
  if (next() !== 8) throw new Damage("Unknown compression method");
  const flags = next();
  for (let i = 0; i < 6; i++) next();
  if (flags & 4) for (let left = next() | (next() << 8); left > 0; left--) next();
  // a name and a comment, each up to a zero
  if (flags & 8) while (next());
  if (flags & 16) while (next());
  if (flags & 2) for (let i = 0; i < 2; i++) next();
}

/** Bits of the input, lowest first. */
class Bits {
  #hold = 0;
  #count = 0;

  /** @param {Input} input */
  constructor(input) {
    this.input = input;
  }

  /** The next bits as a number. @param {number} count at most 16 */
  take(count) {
    const {input} = this;
    while (this.#count < count) {
      if (input.at >= input.bytes.length) refuseEnd();
      this.#hold |= input.bytes[input.at++] << this.#count;
      this.#count += 8;
    }
    const bits = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#count -= count;
    return bits;
  }

  /** The symbol of the next code. @param {Codes} codes @param {string} what */
  symbol(codes, what) {
    const {input} = this;
    while (this.#count < LONGEST_CODE && input.at < input.bytes.length) {
      this.#hold |= input.bytes[input.at++] << this.#count;
      this.#count += 8;
    }
    const begin = this.#hold & codes.mask,
      length = codes.lengths[begin];
    if (!length) refuse(`invalid ${what} code`);
    if (length > this.#count) refuseEnd();
    this.#hold >>>= length;
    this.#count -= length;
    return codes.symbols[begin];
  }

  /** Leaves out what remains of a byte, and gives whole ones back. */
  align() {
    this.input.at -= this.#count >> 3;
    this.#hold = this.#count = 0;
  }
}

/** What was unpacked and not yet given, behind the bytes that may be repeated. */
class Output {
  bytes = new Uint8Array(WINDOW + PIECE + LONGEST_MATCH);
  at = 0;
  #given = 0;

  get isFull() {
    return this.at >= WINDOW + PIECE;
  }

  /** The bytes that were not given yet. */
  give() {
    const piece = this.bytes.slice(this.#given, this.at),
      kept = Math.min(this.at, WINDOW);
    this.bytes.copyWithin(0, this.at - kept, this.at);
    this.at = this.#given = kept;
    return piece;
  }

  /** @param {number} distance @param {number} length */
  repeat(distance, length) {
    if (distance > this.at) refuse("invalid distance too far back");
    const {bytes} = this;
    for (let from = this.at - distance, left = length; left > 0; left--) bytes[this.at++] = bytes[from++];
  }
}

/** @param {Input} input @returns {Generator<Uint8Array, void>} */
function* inflated(input) {
  const bits = new Bits(input),
    output = new Output();
  for (let isLast = 0; !isLast; ) {
    isLast = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) {
      bits.align();
      yield* stored(input, output);
      continue;
    }
    if (kind === 3) refuse("invalid block type");
    const [literals, distances] = kind === 1 ? fixedCodes() : readCodes(bits);
    for (let isOpen = true; isOpen; ) {
      isOpen = inflate(bits, output, literals, distances);
      if (output.isFull) yield output.give();
    }
  }
  bits.align();
  yield output.give();
}

/**
 * Unpacks a block as far as there is room; false at its end.
 * @param {Bits} bits
 * @param {Output} output
 * @param {Codes} literals
 * @param {Codes} distances
 */
function inflate(bits, output, literals, distances) {
  while (!output.isFull) {
    const symbol = bits.symbol(literals, "literal/length");
    if (symbol < 256) {
      output.bytes[output.at++] = symbol;
      continue;
    }
    if (symbol === 256) return false;
    if (symbol > 285) refuse("invalid literal/length code");
    const length = LENGTH_BASE[symbol - 257] + bits.take(LENGTH_EXTRA[symbol - 257]),
      code = bits.symbol(distances, "distance");
    if (code > 29) refuse("invalid distance code");
    output.repeat(DISTANCE_BASE[code] + bits.take(DISTANCE_EXTRA[code]), length);
  }
  return true;
}

/** @param {Input} input @param {Output} output @returns {Generator<Uint8Array, void>} */
function* stored(input, output) {
  const {bytes} = input;
  if (input.at + 4 > bytes.length) refuseEnd();
  const [low, high, notLow, notHigh] = bytes.subarray(input.at, input.at + 4);
  if (low + notLow !== 255 || high + notHigh !== 255) refuse("invalid stored block lengths");
  input.at += 4;
  for (let left = low | (high << 8); left > 0; left--) {
    if (input.at >= bytes.length) refuseEnd();
    output.bytes[output.at++] = bytes[input.at++];
    if (output.isFull) yield output.give();
  }
}

/** The codes of a block that has none of its own. @returns {[Codes, Codes]} */
const fixedCodes = () => [codesOf(FIXED_LENGTHS, LITERALS), codesOf(Array(32).fill(5), DISTANCES)];

/** The codes that a block begins with. @param {Bits} bits @returns {[Codes, Codes]} */
function readCodes(bits) {
  const literals = bits.take(5) + 257,
    distances = bits.take(5) + 1,
    count = bits.take(4) + 4;
  if (literals > 286 || distances > 30) refuse("too many length or distance symbols");
  const own = Array(19).fill(0);
  for (const symbol of ORDER.slice(0, count)) own[symbol] = bits.take(3);
  const codes = codesOf(own, CODE_LENGTHS);
  /** @type {number[]} */
  const lengths = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(codes, "bit length");
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    if (symbol === 16 && !lengths.length) refuse("invalid bit length repeat");
    const value = symbol === 16 ? lengths[lengths.length - 1] : 0,
      times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    for (let i = 0; i < times; i++) lengths.push(value);
  }
  if (lengths.length > literals + distances) refuse("invalid bit length repeat");
  if (!lengths[256]) refuse("invalid code -- missing end-of-block");
  return [codesOf(lengths.slice(0, literals), LITERALS), codesOf(lengths.slice(literals), DISTANCES)];
}

/** Codes of these lengths, by symbol; 0 for none. @param {number[]} lengths @param {string} what @returns {Codes} */
function codesOf(lengths, what) {
  const longest = Math.max(1, ...lengths),
    used = lengths.filter(Boolean),
    left = used.reduce((free, length) => free - 2 ** (LONGEST_CODE - length), 2 ** LONGEST_CODE);
  // no code may be left over, but for that beside a single one of one bit
  if (left < 0 || (left > 0 && used.length && (what === CODE_LENGTHS || longest > 1))) refuse(`invalid ${what} set`);
  const size = 1 << longest,
    table = {symbols: new Uint16Array(size), lengths: new Uint8Array(size), mask: size - 1};
  let code = 0;
  for (let length = 1; length <= longest; length++) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      // codes come with their first bit lowest
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) if (code & (1 << bit)) reversed |= 1 << (length - 1 - bit);
      for (let begin = reversed; begin < size; begin += 1 << length) {
        table.symbols[begin] = symbol;
        table.lengths[begin] = length;
      }
      code++;
    }
    code <<= 1;
  }
  return table;
}
