// The text of a PDN file, block by block, with its encoding detected and without a byte-order mark (kr/pdn/source.py).
//
// Old collections are in Latin-1 or, from DOS, in CP437, and some were put together from files of both. A block that is
// valid UTF-8 is read as UTF-8. In any other block each line is read on its own: as UTF-8, or in the old encoding that
// fits the lines so far best.

import {Refused} from "../text.js";
import {lengthOf} from "../blanks.js";

/** Bytes or characters in a block. */
const READ_SIZE = 1 << 18;

/**
 * Bytes that are read one block after another; none at the end.
 * @typedef {{read: (size: number) => Uint8Array, readonly share: number | null}} ByteSource
 */

const MARKS = /** @type {const} */ ([
  ["utf-16-le", 0xff, 0xfe],
  ["utf-16-be", 0xfe, 0xff],
]);
const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
  "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
// Windows has quotes and dashes where Latin-1 has nothing printable
const LATIN =
  "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ" +
  String.fromCharCode(...Array.from({length: 96}, (_, index) => 0xa0 + index));
/** Old encodings, by their characters from 128 on; of equally plausible ones the first. */
const OLD = [LATIN, CP437];
/** Score of a character beyond ASCII that is not a letter: unlikely in a text. */
const IMPROBABLE = -4;
/** Scores of a letter next to another, as expected, and of a capital after a small letter. */
const BESIDE = 2,
  CAPITAL = -2;
const LETTER = /^\p{L}$/u,
  UPPER = /^\p{Lu}$/u,
  LOWER = /^\p{Ll}$/u;
const USUAL = "\u2018\u2019\u201c\u201d\u2013\u2014\u00bd\u00ab\u00bb\u2026\u00a0\u00b0\u00a3";

/** Bytes in memory. @implements {ByteSource} */
export class PlainBytes {
  #at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
  }

  /** @param {number} size */
  read(size) {
    const block = this.bytes.subarray(this.#at, this.#at + size);
    this.#at += block.length;
    return block;
  }

  /** Share of them that has been read; null if there are none. */
  get share() {
    return this.bytes.length ? this.#at / this.bytes.length : null;
  }
}

/** A source of PDN text, read in blocks with "\n" as the only line end. */
export class Text {
  #source;
  #at = 0;
  /** @type {Detecting | Sixteen | null} */
  #decoder = null;
  #endedInReturn = false;
  #begun = false;

  /** @param {string | ByteSource} source */
  constructor(source) {
    this.#source = source;
  }

  /** The next block; "" at the end. Refuses bytes that are not text. */
  read() {
    while (true) {
      const source = this.#source,
        {block, isLast} = typeof source === "string" ? this.#characters(source) : this.#decoded(source),
        whole = this.#withLineFeeds(block, isLast),
        text = this.#begun ? whole : whole.replace(/^\ufeff/, "");
      this.#begun ||= whole !== "";
      if (text || isLast) return text;
    }
  }

  /** @param {string} source */
  #characters(source) {
    const begin = this.#at;
    // blocks hold characters, not their halves
    for (let left = READ_SIZE; left > 0 && this.#at < source.length; ) {
      let next = Math.min(this.#at + left, source.length);
      if (/** @type {number} */ (source.codePointAt(next - 1)) > 0xffff) next++;
      left -= lengthOf(source.slice(this.#at, next));
      this.#at = next;
    }
    return {block: source.slice(begin, this.#at), isLast: this.#at === begin};
  }

  /** @param {ByteSource} source */
  #decoded(source) {
    const block = source.read(READ_SIZE);
    this.#decoder ??= decoderOf(block);
    return {block: this.#decoder.decode(block), isLast: !block.length};
  }

  /** @param {string} block @param {boolean} isLast */
  #withLineFeeds(block, isLast) {
    let text = this.#endedInReturn ? `\r${block}` : block;
    this.#endedInReturn = !isLast && text.endsWith("\r");
    if (this.#endedInReturn) text = text.slice(0, -1);
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }
}

/** @param {Uint8Array} start */
function decoderOf(start) {
  const mark = MARKS.find(([, first, second]) => start[0] === first && start[1] === second);
  return mark ? new Sixteen(mark[0]) : new Detecting();
}

/** UTF-16 to text. */
class Sixteen {
  #rest = new Uint8Array(0);

  /** @param {"utf-16-le" | "utf-16-be"} name */
  constructor(name) {
    this.name = name;
  }

  /** @param {Uint8Array} block no bytes at the end */
  decode(block) {
    const bytes = joined(this.#rest, block),
      isLast = !block.length,
      count = bytes.length >> 1,
      high = this.name === "utf-16-le" ? 1 : 0;
    const parts = [];
    for (let begin = 0; begin < count; begin += 4096) {
      const units = new Uint16Array(Math.min(4096, count - begin));
      for (let i = 0; i < units.length; i++) {
        const at = 2 * (begin + i);
        units[i] = (bytes[at + high] << 8) | bytes[at + 1 - high];
      }
      parts.push(String.fromCharCode(...units));
    }
    let text = parts.join("");
    // the second half of a pair may still come
    if (!isLast && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
    const half = HALF.exec(text);
    if (half) this.#refuse(bytes[2 * half.index]);
    if (isLast && bytes.length % 2) this.#refuse(bytes[bytes.length - 1]);
    this.#rest = bytes.slice(2 * text.length);
    return text;
  }

  /** @param {number} byte */
  #refuse(byte) {
    const hex = byte.toString(16).padStart(2, "0");
    throw new Refused("pdn.encoding", {byte: hex, encoding: this.name}, "pdn");
  }
}

/** Bytes to text, each line in the encoding that fits it. */
class Detecting {
  #rest = new Uint8Array(0);
  #scores = OLD.map(() => 0);
  #utf8 = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true});

  /**
   * Text of a block of bytes; the beginning of an incomplete line or character waits.
   * @param {Uint8Array} block no bytes at the end
   */
  decode(block) {
    const content = joined(this.#rest, block);
    // lines are not cut, and an endless one only between characters
    let cut = block.length ? content.lastIndexOf(10) + 1 : content.length;
    if (!cut && content.length > READ_SIZE) {
      cut = content.length;
      while (cut > content.length - 4 && content[cut - 1] >= 0x80) cut--;
    }
    this.#rest = content.slice(cut);
    const whole = content.subarray(0, cut);
    return (
      this.#asUtf8(whole) ??
      linesOf(whole)
        .map(line => this.#line(line))
        .join("")
    );
  }

  /** Text of bytes that are UTF-8; null for others. @param {Uint8Array} bytes */
  #asUtf8(bytes) {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      return null;
    }
  }

  /** @param {Uint8Array} line */
  #line(line) {
    const text = this.#asUtf8(line);
    if (text !== null) return text;
    const read = OLD.map(characters => inOld(line, characters));
    for (const [index, each] of read.entries()) this.#scores[index] += plausibility(each);
    return read[this.#scores.indexOf(Math.max(...this.#scores))];
  }
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function joined(one, other) {
  if (!one.length) return other;
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Lines with their ends. @param {Uint8Array} bytes */
function linesOf(bytes) {
  const lines = [];
  let begin = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 10 && (bytes[at] !== 13 || bytes[at + 1] === 10)) continue;
    lines.push(bytes.subarray(begin, at + 1));
    begin = at + 1;
  }
  lines.push(bytes.subarray(begin));
  return lines;
}

/** @param {Uint8Array} line @param {string} characters those of the bytes from 128 on */
function inOld(line, characters) {
  const parts = [];
  for (let begin = 0; begin < line.length; begin += 4096)
    parts.push(
      Array.from(line.subarray(begin, begin + 4096), byte =>
        byte < 128 ? String.fromCharCode(byte) : characters[byte - 128],
      ).join(""),
    );
  return parts.join("");
}

/** Score of a line as names and sentences. @param {string} text */
function plausibility(text) {
  let total = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter < "\x80") continue;
    const before = text[at - 1] ?? "",
      after = text[at + 1] ?? "";
    if (LETTER.test(letter) && letter !== "\u00aa" && letter !== "\u00ba") {
      if (LETTER.test(before) || LETTER.test(after)) total += BESIDE;
      if (UPPER.test(letter) && isLower(before)) total += CAPITAL;
      if (LOWER.test(letter) && UPPER.test(before) && UPPER.test(after)) total += CAPITAL;
    } else if (!USUAL.includes(letter)) total += IMPROBABLE;
  }
  return total;
}

/** @param {string} letter */
const isLower = letter => LOWER.test(letter) || letter === "\u00aa" || letter === "\u00ba";
