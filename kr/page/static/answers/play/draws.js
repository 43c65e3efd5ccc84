// Draws by lot that a text determines, so that a game gone on with makes the same choices: as Python's random.Random is
// used, with numbers of its own. The generator is sfc32; its state comes from the text by xmur3, a mixing of its bytes.

/** @param {string} text @returns {() => number} 32 bits at a time */
function mixed(text) {
  let hash = 1779033703 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 3432918353);
    hash = (hash << 13) | (hash >>> 19);
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
    return (hash ^= hash >>> 16) >>> 0;
  };
}

export class Draws {
  /** @param {string} text */
  constructor(text) {
    const next = mixed(text);
    this._state = [next(), next(), next(), next()];
    // the first numbers of similar states are similar
    for (let i = 0; i < 12; i++) this._bits();
  }

  /** A number from 0 up to 1. */
  random() {
    return ((this._bits() >>> 5) * 0x4000000 + (this._bits() >>> 6)) / 0x20000000000000;
  }

  /** A whole number below another. @param {number} count */
  below(count) {
    return Math.floor(this.random() * count);
  }

  /** One of a list. @template T @param {readonly T[]} list */
  choice(list) {
    return list[this.below(list.length)];
  }

  /** An index, as likely as its weight is of all together. @param {readonly number[]} weights not all 0 */
  weighted(weights) {
    let total = 0;
    const sums = weights.map(weight => (total += weight)),
      at = this.random() * total,
      found = sums.findIndex(sum => sum > at);
    return found < 0 ? weights.length - 1 : found;
  }

  _bits() {
    const [a, b, c, count] = this._state,
      sum = (a + b + count) | 0;
    this._state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + sum) | 0, (count + 1) | 0];
    return sum >>> 0;
  }
}
