// A reader of packed opening books, .krb; docs/reference/krb-format.md has the format.

import {bookKey, numberedMoves} from "./frame.js";
import {KrError} from "./text.js";

/** @typedef {import("./frame.js").BookKey} BookKey */
/** @typedef {import("./house.js").BookPort} BookPort */
/** @typedef {{number: number, value: number | null, depth: number, weight: number}} PackedMove */

const MAGIC = "kr book\n";
const VERSION = 1;
const CHECKED = 24; // bytes before the checksum
const HEADER = 32;
const UNKNOWN_LOSS = 255;

const TABLE = Uint32Array.from({length: 256}, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** CRC-32 of some bytes after others. @param {Uint8Array} bytes */
function crc32(bytes, before = 0) {
  let crc = ~before;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 255];
  return ~crc >>> 0;
}

/** Least number of games that a weight stands for. @param {number} weight */
export const leastGames = weight => (weight ? 4 ** (weight - 1) : 0);

/** @param {BookKey} key */
const textOf = ({own, other, kings}) => `${own},${other},${kings}`;

/**
 * Of the searched cooks of a book's facts those that stand: position, and number of the move that people play.
 * @param {Uint8Array} facts
 * @returns {[string, number][]}
 */
function cookRows(facts) {
  const {cooks} = JSON.parse(new TextDecoder().decode(facts));
  return (cooks?.searched.slice(0, cooks.standing) ?? []).map((/** @type {number[]} */ row) => {
    const [own, other, kings, , , , , played] = row;
    return [textOf({own, other, kings}), played];
  });
}

/** @implements {BookPort} */
export class PackedBook {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    if (bytes.length < HEADER || String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC)
      throw new KrError("not a packed book of kr; expected a .krb file");
    this._bytes = bytes;
    const view = (this._view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)),
      version = view.getUint32(8, true);
    if (version !== VERSION) throw new KrError(`format version ${version}, this kr reads ${VERSION}`);
    const sum = crc32(bytes.subarray(HEADER), crc32(bytes.subarray(0, CHECKED)));
    if (view.getBigUint64(CHECKED, true) !== BigInt(sum)) throw new KrError("damaged: its checksum differs");
    /** Number of positions. */
    this.positions = view.getUint32(12, true);
    this._blocks = view.getUint32(16, true);
    this._firsts = HEADER + view.getUint32(20, true);
    this._offsets = this._firsts + 8 * this._blocks;
    this._body = this._offsets + 4 * this._blocks;
    if (this._body > bytes.length) throw new KrError("damaged: its header promises more than there is");
    /** Of each position with a cook the number of the move that people play. @type {Map<string, number>} */
    this._cooks = new Map(cookRows(bytes.subarray(HEADER, this._firsts)));
  }

  /**
   * Of each position the moves that the book knows, best first.
   * @param {readonly import("./rules.js").Position[]} positions
   * @returns {Promise<import("./book.js").KnownMove[][]>}
   */
  async look(positions) {
    return positions.map(position => {
      const key = bookKey(position),
        found = this.moves(key),
        legal = found.length ? numberedMoves(position) : [],
        played = this._cooks.get(textOf(key));
      return found.flatMap(({number, ...rest}) =>
        number < legal.length ? [{move: legal[number], ...rest, cooked: number === played}] : [],
      );
    });
  }

  /**
   * The moves of a position, best first; none if the book does not have it.
   * @param {BookKey} key
   * @returns {PackedMove[]}
   */
  moves({own, other, kings}) {
    const place = (BigInt(own) << 32n) | BigInt(other),
      block = this._blockOf(place);
    if (block < 0) return [];
    const bytes = this._bytes,
      behind = place - this._first(block),
      at = this._body + this._view.getUint32(this._offsets + 4 * block, true),
      [count, width] = bytes.subarray(at, at + 2),
      lengths = at + 2 + count * width;
    let entry = lengths + count;
    for (let i = 0; i < count; i++) {
      if (this._number(at + 2 + i * width, width) === behind) {
        const moves = this._entry(entry, bytes[lengths + i], kings);
        if (moves) return moves;
      }
      entry += bytes[lengths + i];
    }
    return [];
  }

  /** The last block whose first place is not behind; -1 if all are. @param {bigint} place */
  _blockOf(place) {
    let low = 0,
      high = this._blocks;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._first(middle) <= place) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** @param {number} block */
  _first(block) {
    return this._view.getBigUint64(this._firsts + 8 * block, true);
  }

  /** @param {number} at @param {number} width */
  _number(at, width) {
    let number = 0n;
    for (let i = width - 1; i >= 0; i--) number = (number << 8n) | BigInt(this._bytes[at + i]);
    return number;
  }

  /**
   * The moves of an entry; null if it is one with other kings.
   * @param {number} at
   * @param {number} length
   * @param {number} kings
   */
  _entry(at, length, kings) {
    const bytes = this._bytes,
      head = this._view.getInt16(at, true),
      hasKings = head & 1;
    if ((hasKings ? this._view.getUint32(at + 2, true) : 0) !== kings) return null;
    /** @type {PackedMove[]} */
    const moves = [];
    for (let move = at + (hasKings ? 6 : 2); move < at + length; move += 3) {
      const [first, loss, depth] = bytes.subarray(move, move + 3),
        value = loss === UNKNOWN_LOSS ? null : (head >> 1) - loss;
      moves.push({number: first & 31, value, depth, weight: first >> 5});
    }
    return moves;
  }
}
