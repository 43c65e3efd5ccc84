// Certificates: the strategy that proves a claim, by position, and the files that hold one, as
// docs/reference/certificates.md has them. tests/cases/certificates.json holds what this has in common with
// kr/proofs/certificate.py.

import {countOf} from "../notation.js";
import {Reach} from "../reach.js";
import {Position} from "../rules.js";
import {Refused} from "../text.js";

/** @typedef {import("../chances.js").Value} Value */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {"win" | "draw"} Goal "draw" for "does not lose" */
/**
 * side: 0 Black, 1 White; boards: black, white and kings of each position with that side to move, in rising order;
 * moves: the number of the strategy's move there; ranks: most moves of the side to the end of a line, 0 for a draw;
 * database, reach: which one has the values that end lines, and what of it counts.
 * @typedef {{
 *   root: Position, side: number, goal: Goal, boards: Uint32Array, moves: Uint8Array, ranks: Uint16Array,
 *   database: string, reach: string, provenance: Record<string, string>,
 * }} Parts
 */

const MAGIC = [0x89, 0x4b, 0x52, 0x43, 0x45, 0x52, 0x54, 0x0a];
const VERSION = 1;
/** Bytes before the digest, and of it. */
const FIXED = 16,
  DIGEST = 32;
const SIDES = ["black", "white"];
/** Positions of a certificate that is opened here, and of any. */
export const MOST_CHECKED = 200_000;
const MOST_POSITIONS = 1 << 23;
const REACH = /^up to ([2-8]) pieces(?:, and (\dv\d(?:, \dv\d)*))?$/;
const MOST_PIECES = 8;
/** All that a header has, in the order of the alphabet. */
const FIELDS = "boards database goal moves positions provenance ranks reach root side";

export class Certificate {
  /** @param {Parts} parts @param {Uint8Array} [content] of its file, if it came as one */
  constructor(parts, content) {
    this.root = parts.root;
    this.side = parts.side;
    this.goal = parts.goal;
    this.count = parts.moves.length;
    this._parts = parts;
    this._content = content;
    const [, pieces = "0", classes = ""] = REACH.exec(parts.reach) ?? [];
    /** What of a database ends lines. */
    this.reach = new Reach({pieces: Number(pieces), classes: classes.split(", "), distancePieces: 0});
  }

  get parts() {
    return this._parts;
  }

  /** Whether a line ends here by the database. @param {Position} position */
  isLeaf({black, white}) {
    return Boolean(black && white && this.reach.hasClass(countOf(black), countOf(white)));
  }

  /** Rank of a position of the strategy; undefined for any other. @param {Position} position */
  rank(position) {
    return this._parts.ranks[this._row(position)];
  }

  /** The strategy's move; null if it has none. @param {Position} position @returns {Move | null} */
  move(position) {
    const number = this._parts.moves[this._row(position)];
    return number === undefined ? null : numbered(position, number);
  }

  /** The content of its file. @returns {Promise<Uint8Array>} */
  async file() {
    this._content ??= await packed(this._parts);
    return this._content;
  }

  /** @param {Position} position */
  _row({black, white, kings, side}) {
    if (side !== this.side) return -1;
    const {boards} = this._parts;
    let low = 0,
      high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1,
        at = 3 * middle,
        before = boards[at] - black || boards[at + 1] - white || boards[at + 2] - kings;
      if (!before) return middle;
      if (before < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }
}

/** The move of a number: by origin, target and captured pieces. @param {Position} position @param {number} number */
function numbered(position, number) {
  const moves = position
    .legalMoves()
    .sort((one, other) => one.origin - other.origin || one.target - other.target || one.captured - other.captured)
    .filter((move, i, all) => !i || !move.leadsAs(all[i - 1]));
  return moves[number] ?? refuse();
}

/** @returns {never} */
function refuse() {
  throw new Refused("refused.damaged_certificate");
}

/**
 * The certificate of a file. What it claims is not checked.
 * @param {Uint8Array} content
 * @param {number} most positions
 */
export async function unpacked(content, most) {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length < FIXED + DIGEST || MAGIC.some((byte, i) => content[i] !== byte))
    throw new Refused("refused.no_certificate");
  if (view.getUint32(8, true) !== VERSION) throw new Refused("refused.other_certificate");
  const own = await digest(content.subarray(0, FIXED), content.subarray(FIXED + DIGEST));
  if (own?.some((byte, i) => byte !== content[FIXED + i])) refuse();
  let at = FIXED + DIGEST;
  const taken = (/** @type {number} */ size) => content.subarray(at, (at += size)),
    header = headerOf(taken(view.getUint32(12, true))),
    {positions: count} = header;
  if (count > most) throw new Refused("refused.long_certificate", {count, most});
  const boards = rows(await inflated(taken(header.boards), 12 * count), count, 12, Uint32Array);
  for (let i = 3; i < boards.length; i++) boards[i] ^= boards[i - 3];
  const moves = rows(await inflated(taken(header.moves), count), count, 1, Uint8Array),
    ranks = rows(await inflated(taken(header.ranks), 2 * count), count, 2, Uint16Array);
  if (at !== content.length) refuse();
  const {side, goal, database, reach, provenance} = header;
  const parts = {root: rootOf(header), side: SIDES.indexOf(side), goal, boards, moves, ranks};
  return new Certificate({...parts, database, reach, provenance}, content);
}

/** @param {Uint8Array} bytes */
function headerOf(bytes) {
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(bytes));
  } catch {
    refuse();
  }
  const isObject = (/** @type {any} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject(header) || Object.keys(header).sort().join(" ") !== FIELDS) refuse();
  const {root, side, goal, database, reach, provenance, positions, boards, moves, ranks} = header;
  if (!isObject(provenance)) refuse();
  if (![root, database, reach, ...Object.values(provenance)].every(each => typeof each === "string")) refuse();
  if (![positions, boards, moves, ranks].every(each => Number.isSafeInteger(each) && each >= 0)) refuse();
  if (positions > MOST_POSITIONS || (reach && !isReach(reach))) refuse();
  if (!SIDES.includes(side) || !["win", "draw"].includes(goal)) refuse();
  return header;
}

/** Whether a database can have this reach. @param {string} reach */
function isReach(reach) {
  const [whole, , classes = ""] = REACH.exec(reach) ?? [];
  return (
    whole !== undefined && classes.split(", ").every(name => Number(name[0]) + Number(name[2]) <= MOST_PIECES || !name)
  );
}

/** @param {{root: string}} header */
function rootOf({root}) {
  try {
    return Position.fromFen(root);
  } catch {
    return refuse();
  }
}

/**
 * Numbers whose bytes stand apart: the first byte of each row, then the second.
 * @template {Uint8Array | Uint16Array | Uint32Array} Row
 * @param {Uint8Array} planes
 * @param {number} count
 * @param {number} width bytes of a row
 * @param {new (buffer: ArrayBuffer) => Row} Type
 */
function rows(planes, count, width, Type) {
  const bytes = new Uint8Array(count * width);
  for (let i = 0, at = 0; i < count; i++) for (let j = 0; j < width; j++) bytes[at++] = planes[j * count + i];
  return new Type(bytes.buffer);
}

/** Bytes of deflate, which have to come to a size. @param {Uint8Array} bytes @param {number} size */
async function inflated(bytes, size) {
  const whole = new Uint8Array(size);
  let at = 0;
  try {
    const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]).stream(),
      reader = stream.pipeThrough(new DecompressionStream("deflate")).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      // what is too long throws
      whole.set(next.value, at);
      at += next.value.length;
    }
  } catch {
    refuse();
  }
  return at === size ? whole : refuse();
}

/** The content of a certificate's file. @param {Parts} parts */
async function packed({root, side, goal, boards, moves, ranks, database, reach, provenance}) {
  const different = boards.slice();
  for (let i = different.length - 1; i >= 3; i--) different[i] ^= different[i - 3];
  const columns = await Promise.all([deflated(different, 12), deflated(moves, 1), deflated(ranks, 2)]),
    [ofBoards, ofMoves, ofRanks] = columns.map(({length}) => length);
  const header = new TextEncoder().encode(
    JSON.stringify({
      ...{root: root.fen, side: SIDES[side], goal, positions: moves.length},
      ...{boards: ofBoards, moves: ofMoves, ranks: ofRanks, database, reach, provenance},
    }),
  );
  const fixed = new Uint8Array(FIXED),
    view = new DataView(fixed.buffer);
  fixed.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, header.length, true);
  const body = joined([header, ...columns]),
    sum = await digest(fixed, body);
  if (!sum) throw new Refused("refused.no_digest");
  return joined([fixed, sum, body]);
}

/** @param {Uint8Array | Uint16Array | Uint32Array} column @param {number} width bytes of a row */
async function deflated(column, width) {
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
    count = bytes.length / width,
    planes = new Uint8Array(bytes.length);
  for (let i = 0, at = 0; i < count; i++) for (let j = 0; j < width; j++) planes[j * count + i] = bytes[at++];
  const stream = new Blob([planes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** SHA-256; null in a page that came by http, to which browsers don't offer it. @param {Uint8Array[]} pieces */
async function digest(...pieces) {
  const sum = await globalThis.crypto?.subtle?.digest("SHA-256", joined(pieces));
  return sum ? new Uint8Array(sum) : null;
}

/** @param {Uint8Array[]} pieces */
function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
