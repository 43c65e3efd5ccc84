// Unpacks xz: streams of blocks in LZMA2, each with a checksum.

import {crc32, crc64, Damage, refuseEnd} from "./damage.js";
import {Lzma} from "./lzma.js";

/** @typedef {import("../unpack.js").Input} Input */
/** @typedef {{add: (piece: Uint8Array) => void, isRight: (stored: DataView) => boolean}} Check */

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const LZMA2 = 0x21;
const MOST_DICTIONARY = 1 << 30;
/** Bytes of a checksum by its number. */
const CHECK_SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** @returns {never} */
function refuse(why = "Corrupt input data") {
  throw new Damage(why);
}

/** Takes so many bytes. @param {Input} input @param {number} count */
function take(input, count) {
  if (input.at + count > input.bytes.length) refuseEnd();
  return input.bytes.subarray(input.at, (input.at += count));
}

/** @param {Uint8Array} bytes */
const viewOf = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** A number of any length, seven bits a byte. @param {Input} input */
function takeNumber(input) {
  let number = 0;
  for (let i = 0; i < 9; i++) {
    const [byte] = take(input, 1);
    number += (byte & 127) * 2 ** (7 * i);
    if (!(byte & 128)) return byte || !i ? number : refuse();
  }
  return refuse();
}

/** @param {Input} input @returns {Generator<Uint8Array, void>} */
export function* unpackXz(input) {
  const {bytes} = input;
  for (let isFirst = true; input.at < bytes.length; isFirst = false) {
    if (!MAGIC.every((byte, index) => bytes[input.at + index] === byte)) {
      // what follows a whole stream is left out
      if (isFirst) refuse();
      return;
    }
    yield* unpackStream(input);
    while (bytes[input.at] === 0) input.at++;
  }
}

/** @param {Input} input @returns {Generator<Uint8Array, void>} */
function* unpackStream(input) {
  const head = take(input, 12),
    flags = head.subarray(6, 8);
  if (viewOf(head).getUint32(8, true) !== crc32(flags)) refuse();
  if (flags[0] || flags[1] > 15) refuse("Invalid or unsupported options");
  while (true) {
    const begin = input.at,
      [size] = take(input, 1);
    if (!size) {
      takeIndex(input, begin);
      break;
    }
    yield* unpackBlock(input, begin, 4 * (size + 1), flags[1]);
  }
  const foot = take(input, 12),
    isRight = viewOf(foot).getUint32(0, true) === crc32(foot.subarray(4, 10));
  if (!isRight || foot[8] !== flags[0] || foot[9] !== flags[1] || foot[10] !== 0x59 || foot[11] !== 0x5a) refuse();
}

/** The sizes of all blocks, which were seen already. @param {Input} input @param {number} begin */
function takeIndex(input, begin) {
  for (let left = 2 * takeNumber(input); left > 0; left--) takeNumber(input);
  while ((input.at - begin) % 4) if (take(input, 1)[0]) refuse();
  const listed = input.bytes.subarray(begin, input.at);
  if (viewOf(take(input, 4)).getUint32(0, true) !== crc32(listed)) refuse();
}

/**
 * @param {Input} input
 * @param {number} begin
 * @param {number} size of its header
 * @param {number} kind of its checksum
 * @returns {Generator<Uint8Array, void>}
 */
function* unpackBlock(input, begin, size, kind) {
  input.at = begin;
  const header = take(input, size);
  if (viewOf(header).getUint32(size - 4, true) !== crc32(header.subarray(0, -4))) refuse();
  const fields = {bytes: header, at: 2},
    [, flags] = header;
  // one filter; the sizes that may stand here are not needed
  if (flags & 0x3f) refuse("Invalid or unsupported options");
  for (const isThere of [flags & 0x40, flags & 0x80]) if (isThere) takeNumber(fields);
  const isKnown = takeNumber(fields) === LZMA2 && takeNumber(fields) === 1,
    [dictionary] = take(fields, 1);
  if (!isKnown || dictionary > 40) refuse("Invalid or unsupported options");
  const largest = dictionary === 40 ? 2 ** 32 - 1 : (2 | (dictionary & 1)) * 2 ** ((dictionary >> 1) + 11),
    check = checkOf(kind),
    data = input.at;
  for (const piece of unpackLzma2(input, Math.min(largest, MOST_DICTIONARY))) {
    check.add(piece);
    yield piece;
  }
  while ((input.at - data) % 4) if (take(input, 1)[0]) refuse();
  if (!check.isRight(viewOf(take(input, CHECK_SIZES[kind])))) refuse();
}

/**
 * Chunks, each packed or not.
 * @param {Input} input
 * @param {number} dictionary
 * @returns {Generator<Uint8Array, void>}
 */
function* unpackLzma2(input, dictionary) {
  const lzma = new Lzma(dictionary);
  let isFirst = true,
    isReady = false;
  while (true) {
    const [control] = take(input, 1);
    if (!control) return;
    const isPacked = control >= 0x80,
      resets = isPacked ? (control >> 5) & 3 : 0;
    if (!isPacked && control > 2) refuse();
    if (control === 1 || resets === 3) {
      lzma.forget();
      isFirst = isReady = false;
    } else if (isFirst) refuse();
    const sizes = take(input, isPacked ? 4 : 2);
    let length = ((sizes[0] << 8) | sizes[1]) + 1;
    if (!isPacked) {
      yield lzma.store(take(input, length));
      continue;
    }
    length += (control & 31) << 16;
    if (resets >= 2) {
      const [properties] = take(input, 1),
        [literal, place, position] = [properties % 9, Math.floor(properties / 9) % 5, Math.floor(properties / 45)];
      if (position > 4 || literal + place > 4) refuse();
      lzma.configure(literal, place, position);
      isReady = true;
    } else if (resets === 1) lzma.restart();
    if (!isReady) refuse();
    yield lzma.unpack(take(input, ((sizes[2] << 8) | sizes[3]) + 1), length);
  }
}

/** @param {number} kind @returns {Check} */
function checkOf(kind) {
  if (kind === 1) {
    let crc = 0;
    return {
      add: piece => (crc = crc32(piece, crc)),
      isRight: stored => stored.getUint32(0, true) === crc,
    };
  }
  if (kind === 4) {
    /** @type {[number, number]} */
    let crc = [0, 0];
    return {
      add: piece => (crc = crc64(piece, crc)),
      isRight: stored => stored.getUint32(0, true) === crc[0] && stored.getUint32(4, true) === crc[1],
    };
  }
  // SHA-256 can't be had at once here, and others are not in use
  return {add() {}, isRight: () => true};
}
