// The random numbers of Python's `random`: the Mersenne Twister (Matsumoto and Nishimura 1998), seeded with a whole
// number, so that a choice by a seed is the same as kr's own.

const STATE = 624,
  MIDDLE = 397;

/** The low 32 bits of a product. @param {number} a @param {number} b */
const product = (a, b) => Math.imul(a, b) >>> 0;

export class Twister {
  /** @param {number} seed a whole number from 0 */
  constructor(seed) {
    const key = [seed % 2 ** 32];
    if (seed >= 2 ** 32) key.push(Math.floor(seed / 2 ** 32));
    this._state = new Uint32Array(STATE);
    this._at = STATE;
    this._seed(key);
  }

  /** A whole number of so many bits, 1 to 32. @param {number} count */
  bits(count) {
    return this._next() >>> (32 - count);
  }

  /** A whole number below another, which is at least 1. @param {number} end */
  below(end) {
    const count = 32 - Math.clz32(end);
    let number = this.bits(count);
    while (number >= end) number = this.bits(count);
    return number;
  }

  /** Puts a list in random order. @param {any[]} list */
  shuffle(list) {
    for (let last = list.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [list[last], list[other]] = [list[other], list[last]];
    }
  }

  /** @param {number[]} key */
  _seed(key) {
    const state = this._state;
    state[0] = 19650218;
    for (let i = 1; i < STATE; i++) state[i] = product(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    let at = 1,
      digit = 0;
    const onward = () => {
      if (++at < STATE) return;
      state[0] = state[STATE - 1];
      at = 1;
    };
    const mixed = (/** @type {number} */ factor) => state[at] ^ product(factor, state[at - 1] ^ (state[at - 1] >>> 30));
    for (let i = 0; i < STATE; i++) {
      state[at] = (mixed(1664525) >>> 0) + key[digit] + digit;
      digit = (digit + 1) % key.length;
      onward();
    }
    for (let i = 1; i < STATE; i++) {
      state[at] = (mixed(1566083941) >>> 0) - at;
      onward();
    }
    state[0] = 0x80000000;
  }

  _next() {
    if (this._at === STATE) this._twist();
    let number = this._state[this._at++];
    number ^= number >>> 11;
    number ^= (number << 7) & 0x9d2c5680;
    number ^= (number << 15) & 0xefc60000;
    return (number ^ (number >>> 18)) >>> 0;
  }

  _twist() {
    const state = this._state;
    for (let i = 0; i < STATE; i++) {
      const both = (state[i] & 0x80000000) | (state[(i + 1) % STATE] & 0x7fffffff);
      state[i] = state[(i + MIDDLE) % STATE] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
    }
    this._at = 0;
  }
}
