// Unpacks LZMA, in the chunks of LZMA2: a range coder with adaptive chances of bits, and repetitions of earlier bytes.

import {Damage} from "./damage.js";

/** Twelve states, of what the last symbols were; from this one on the last was no literal. */
const STATES = 12,
  AFTER_MATCH = 7;
const HALF = 1024,
  RATE = 5;
const PLACES = 16;
const END_SLOT = 14;
// where the chances of each kind of bit begin
const IS_MATCH = 0,
  IS_REPEAT = IS_MATCH + STATES * PLACES,
  IS_NOT_LAST = IS_REPEAT + STATES,
  IS_NOT_SECOND = IS_NOT_LAST + STATES,
  IS_NOT_THIRD = IS_NOT_SECOND + STATES,
  IS_LONG = IS_NOT_THIRD + STATES,
  SLOTS = IS_LONG + STATES * PLACES,
  SPECIAL = SLOTS + 4 * 64,
  ALIGNED = SPECIAL + 128,
  MATCH_LENGTH = ALIGNED + 16,
  REPEAT_LENGTH = MATCH_LENGTH + 2 + 2 * PLACES * 8 + 256,
  LITERALS = REPEAT_LENGTH + 2 + 2 * PLACES * 8 + 256;
const FIRST_SIZE = 1 << 20;

/** @returns {never} */
function refuse() {
  throw new Damage("Corrupt input data");
}

export class Lzma {
  /** @type {Uint8Array} */
  #bytes = new Uint8Array(0);
  #at = 0;
  #range = 0;
  #code = 0;
  /** What was unpacked, at least as much of it as can be repeated. */
  #out = new Uint8Array(FIRST_SIZE);
  #end = 0;
  #state = 0;
  // how far back the last repetitions began, less 1; the last one first
  #last = 0;
  #second = 0;
  #third = 0;
  #fourth = 0;
  #chances = new Uint16Array(0);
  #literalBits = 0;
  #literalPlaces = 0;
  #places = 0;
  // bytes since the dictionary was forgotten, by which places count
  #begin = 0;

  /** @param {number} dictionary bytes that can be repeated */
  constructor(dictionary) {
    this.dictionary = dictionary;
  }

  /** Forgets all that was unpacked. */
  forget() {
    this.#end = this.#begin = 0;
  }

  /**
   * @param {number} literal
   * @param {number} place
   * @param {number} position bits of the byte before, and of the place, that chances depend on
   */
  configure(literal, place, position) {
    this.#literalBits = literal;
    this.#literalPlaces = (1 << place) - 1;
    this.#places = (1 << position) - 1;
    this.#chances = new Uint16Array(LITERALS + (0x300 << (literal + place)));
    this.restart();
  }

  /** Begins with even chances. */
  restart() {
    this.#chances.fill(HALF);
    this.#state = 0;
    this.#last = this.#second = this.#third = this.#fourth = 0;
  }

  /** Takes bytes that are not packed. @param {Uint8Array} piece */
  store(piece) {
    this.#makeRoom(piece.length);
    this.#out.set(piece, this.#end);
    this.#end += piece.length;
    return piece;
  }

  /** The bytes of a packed chunk. @param {Uint8Array} chunk @param {number} length */
  unpack(chunk, length) {
    this.#makeRoom(length);
    if (chunk.length < 5 || chunk[0]) refuse();
    this.#bytes = chunk;
    this.#range = 0xffffffff;
    this.#code = ((chunk[1] << 24) | (chunk[2] << 16) | (chunk[3] << 8) | chunk[4]) >>> 0;
    this.#at = 5;
    const begin = this.#end,
      end = begin + length;
    while (this.#end < end) this.#symbol(end);
    // the last bit may leave a byte to be read
    this.#normalise();
    if (this.#at !== chunk.length || this.#code) refuse();
    return this.#out.slice(begin, end);
  }

  /** @param {number} length */
  #makeRoom(length) {
    const kept = Math.min(this.#end, this.dictionary);
    if (this.#end + length <= this.#out.length) return;
    const size = Math.min(2 * (kept + length), kept + length + Math.max(this.dictionary, FIRST_SIZE)),
      out = size > this.#out.length ? new Uint8Array(size) : this.#out;
    const first = this.#end - kept;
    out.set(this.#out.subarray(first, this.#end));
    this.#out = out;
    // places count from the beginning, in steps of 16 at most
    this.#begin = (this.#begin + first) % PLACES;
    this.#end = kept;
  }

  #normalise() {
    if (this.#range >= 0x1000000) return;
    this.#range = (this.#range << 8) >>> 0;
    if (this.#at >= this.#bytes.length) refuse();
    this.#code = ((this.#code << 8) | this.#bytes[this.#at++]) >>> 0;
  }

  /** The next bit. @param {number} index of its chance */
  #bit(index) {
    this.#normalise();
    const chance = this.#chances[index],
      bound = (this.#range >>> 11) * chance;
    if (this.#code < bound) {
      this.#range = bound;
      this.#chances[index] = chance + ((2048 - chance) >> RATE);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    this.#chances[index] = chance - (chance >> RATE);
    return 1;
  }

  /** Some bits, the highest first. @param {number} first index of their chances @param {number} count */
  #bits(first, count) {
    let bits = 1;
    for (let i = 0; i < count; i++) bits = (bits << 1) | this.#bit(first + bits);
    return bits - (1 << count);
  }

  /** Some bits, the lowest first. @param {number} first @param {number} count */
  #reversedBits(first, count) {
    let bits = 0,
      path = 1;
    for (let i = 0; i < count; i++) {
      const bit = this.#bit(first + path);
      path = (path << 1) | bit;
      bits |= bit << i;
    }
    return bits;
  }

  /** Some bits of even chances. @param {number} count */
  #evenBits(count) {
    let bits = 0;
    for (let i = 0; i < count; i++) {
      this.#normalise();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      bits = (bits << 1) | bit;
    }
    return bits >>> 0;
  }

  /** A byte, or a repetition of earlier ones. @param {number} end */
  #symbol(end) {
    const state = this.#state,
      place = (this.#begin + this.#end) & this.#places;
    if (!this.#bit(IS_MATCH + state * PLACES + place)) {
      this.#literal();
      return;
    }
    const isLate = state >= AFTER_MATCH;
    let length = 1;
    if (!this.#bit(IS_REPEAT + state)) {
      length = this.#length(MATCH_LENGTH, place);
      this.#recall(this.#distance(length), this.#last, this.#second, this.#third);
      this.#state = isLate ? 10 : 7;
    } else if (this.#isOneByte(state, place)) {
      this.#state = isLate ? 11 : 9;
    } else {
      length = this.#length(REPEAT_LENGTH, place);
      this.#state = isLate ? 11 : 8;
    }
    this.#repeat(length, end);
  }

  /**
   * Makes one of the last distances the last one; true if one byte is repeated from there.
   * @param {number} state
   * @param {number} place
   */
  #isOneByte(state, place) {
    if (!this.#bit(IS_NOT_LAST + state)) return !this.#bit(IS_LONG + state * PLACES + place);
    if (!this.#bit(IS_NOT_SECOND + state)) this.#recall(this.#second, this.#last, this.#third, this.#fourth);
    else if (!this.#bit(IS_NOT_THIRD + state)) this.#recall(this.#third, this.#last, this.#second, this.#fourth);
    else this.#recall(this.#fourth, this.#last, this.#second, this.#third);
    return false;
  }

  /** @param {number} last @param {number} second @param {number} third @param {number} fourth */
  #recall(last, second, third, fourth) {
    this.#last = last;
    this.#second = second;
    this.#third = third;
    this.#fourth = fourth;
  }

  #literal() {
    const out = this.#out,
      before = this.#end ? out[this.#end - 1] : 0,
      place = (this.#begin + this.#end) & this.#literalPlaces,
      first = LITERALS + 0x300 * ((place << this.#literalBits) + (before >> (8 - this.#literalBits)));
    let symbol = 1;
    if (this.#state >= AFTER_MATCH) {
      // bits are likely those of the byte that a repetition would have
      let expected = out[this.#end - this.#last - 1];
      while (symbol < 256) {
        const likely = (expected >> 7) & 1;
        expected <<= 1;
        const bit = this.#bit(first + ((1 + likely) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== likely) break;
      }
    }
    while (symbol < 256) symbol = (symbol << 1) | this.#bit(first + symbol);
    out[this.#end++] = symbol;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** @param {number} first @param {number} place */
  #length(first, place) {
    if (!this.#bit(first)) return 2 + this.#bits(first + 2 + place * 8, 3);
    if (!this.#bit(first + 1)) return 10 + this.#bits(first + 2 + (PLACES + place) * 8, 3);
    return 18 + this.#bits(first + 2 + 2 * PLACES * 8, 8);
  }

  /** @param {number} length */
  #distance(length) {
    const slot = this.#bits(SLOTS + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1,
      base = ((2 | (slot & 1)) << count) >>> 0;
    if (slot < END_SLOT) return base + this.#reversedBits(SPECIAL + base - slot, count);
    return base + this.#evenBits(count - 4) * 16 + this.#reversedBits(ALIGNED, 4);
  }

  /** @param {number} length @param {number} end */
  #repeat(length, end) {
    const distance = this.#last,
      out = this.#out;
    if (distance >= this.#end || distance >= this.dictionary || this.#end + length > end) refuse();
    for (let from = this.#end - distance - 1, left = length; left > 0; left--) out[this.#end++] = out[from++];
  }
}
