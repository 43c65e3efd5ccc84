// Pictures with a palette as an animated GIF, as Pillow writes it: of each frame after the first only the rectangle in
// which it differs from the one before, each with the palette. A single picture is interlaced.

const FIRST_CODES = 256;
const CLEAR = FIRST_CODES,
  END = FIRST_CODES + 1,
  MOST_CODES = 4096;
/** Places of a table of codes, a power of two. */
const TABLE_SIZE = 8192;
const LONGEST_BLOCK = 255;
/** First row and step of each pass over an interlaced picture. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
];

/** @param {number} number */
const word = number => [number & 255, number >> 8];
const ascii = (/** @type {string} */ text) => [...text].map(each => each.charCodeAt(0));

export class GifWriter {
  /** @type {Uint8Array[]} */
  #parts = [];
  /** The frame before. @type {Uint8Array | null} */
  #before = null;
  #table = new Int32Array(TABLE_SIZE);

  /**
   * @param {number} width
   * @param {number} height
   * @param {Uint8Array} palette red, green and blue of up to 256 colours
   * @param {boolean} animated false for one picture
   */
  constructor(width, height, palette, animated) {
    this._width = width;
    this._height = height;
    this._animated = animated;
    // its size is a power of two, of which the header has the exponent
    this._bits = Math.max(Math.ceil(Math.log2(palette.length / 3)), 1);
    this._palette = new Uint8Array(3 << this._bits);
    this._palette.set(palette);
    this.#write(ascii("GIF89a"), word(width), word(height), [128 + this._bits - 1, 0, 0], this._palette);
    // repeated without end
    this.#write([0x21, 0xff, 11], ascii("NETSCAPE2.0"), [3, 1, 0, 0, 0]);
  }

  /**
   * Adds a picture, other than the one before.
   * @param {Uint8Array} pixels colours of the palette, row by row
   * @param {number} milliseconds for which it is shown
   */
  add(pixels, milliseconds) {
    const before = this.#before,
      {left, top, right, bottom} = before ? this.#changed(before, pixels) : this.#whole(),
      width = right - left,
      rows = Array.from({length: bottom - top}, (_, row) => row);
    const order = this._animated ? rows : PASSES.flatMap(([first, step]) => rows.filter(row => row % step === first));
    const flags = (this._animated ? 0 : 64) | (before ? 128 | (this._bits - 1) : 0);
    this.#write([0x21, 0xf9, 4, 0], word(Math.floor(milliseconds / 10)), [0, 0]);
    this.#write([0x2c], word(left), word(top), word(width), word(rows.length), [flags]);
    if (before) this.#write(this._palette);
    const shown = new Uint8Array(width * rows.length);
    for (const [index, row] of order.entries()) {
      const begin = (top + row) * this._width + left;
      shown.set(pixels.subarray(begin, begin + width), index * width);
    }
    this.#write([8], this.#packed(shown), [0]);
    this.#before = pixels;
  }

  /** The file. */
  finish() {
    this.#write(ascii(";"));
    const file = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      file.set(part, at);
      at += part.length;
    }
    return file;
  }

  /** @param {...(number[] | Uint8Array)} parts */
  #write(...parts) {
    for (const part of parts) this.#parts.push(Uint8Array.from(part));
  }

  #whole() {
    return {left: 0, top: 0, right: this._width, bottom: this._height};
  }

  /** The rectangle in which two pictures differ. @param {Uint8Array} before @param {Uint8Array} after */
  #changed(before, after) {
    let [left, top, right, bottom] = [this._width, this._height, 0, 0];
    for (let row = 0, at = 0; row < this._height; row++)
      for (let column = 0; column < this._width; column++, at++) {
        if (before[at] === after[at]) continue;
        left = Math.min(left, column);
        right = Math.max(right, column + 1);
        top = Math.min(top, row);
        bottom = row + 1;
      }
    return {left, top, right, bottom};
  }

  /** Pixels by LZW, as GIF has it, in blocks. @param {Uint8Array} pixels */
  #packed(pixels) {
    const out = new Blocks(),
      table = this.#table;
    let next = END + 1,
      width = 9;
    const clear = () => {
      out.put(CLEAR, width);
      table.fill(0);
      next = END + 1;
      width = 9;
    };
    clear();
    let head = pixels[0];
    for (let index = 1; index < pixels.length; index++) {
      const tail = pixels[index],
        key = (head << 8) | tail;
      // an entry is a code, and above the 20 bits of its key; 0 is an empty place
      let probe = ((head ^ (tail << 6)) * 31) & (TABLE_SIZE - 1);
      while (table[probe] && (table[probe] & 0xfffff) !== key) probe = (probe - ((tail << 2) | 1)) & (TABLE_SIZE - 1);
      if (table[probe]) {
        head = table[probe] >>> 20;
        continue;
      }
      out.put(head, width);
      if (next < MOST_CODES) {
        table[probe] = (next << 20) | key;
        if (next === 1 << width) width++;
        next++;
      } else {
        clear();
      }
      head = tail;
    }
    out.put(head, width);
    out.put(END, width);
    return out.finish();
  }
}

/** Codes of some bits each, in blocks that begin with their length. */
class Blocks {
  /** @type {number[]} */
  #bytes = [0];
  #begin = 0;
  #pending = 0;
  #bits = 0;

  /** @param {number} code @param {number} width its bits */
  put(code, width) {
    this.#pending |= code << this.#bits;
    this.#bits += width;
    while (this.#bits >= 8) this.#byte();
  }

  finish() {
    if (this.#bits > 0) this.#byte();
    return Uint8Array.from(this.#bytes);
  }

  #byte() {
    if (this.#bytes[this.#begin] === LONGEST_BLOCK) {
      this.#begin = this.#bytes.length;
      this.#bytes.push(0);
    }
    this.#bytes.push(this.#pending & 255);
    this.#bytes[this.#begin]++;
    this.#pending >>>= 8;
    this.#bits -= 8;
  }
}
