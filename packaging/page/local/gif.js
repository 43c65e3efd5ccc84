// A line of moves as an animated GIF, byte by byte as kr/gif.py makes it: a frame for the start, one for each move, and
// one for each jump within a capture. The squares are painted already (the data "pictures", sending_data.py).

import {GifWriter} from "./gif_writer.js";
import {SQUARES, squareName} from "./notation.js";
import {CELL, EDGE, letters, place} from "./svg.js";

const WIDTH = 8 * CELL + 2 * EDGE;
/** Milliseconds of work after which others have their turn. */
const TURN_MS = 20;
const LIGHT = 0,
  DARK = 1,
  LAST_MOVE = 2;

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./svg.js").Looks} Looks */
/** @typedef {{black: number, white: number, kings: number}} Placed */
/** @typedef {Record<string, number[]>} Names pixels of the names of squares: places and colours in turn */
/**
 * @typedef {{
 *   edge: number, grounds: number[], labels: Names[], pieces: Record<string, string[]>,
 *   overlaps: Record<string, Names[]>, looks: Record<string, {palette: string, colours: string}[]>,
 * }} Squares
 */
/** @typedef {{times: {move: number, jump: number, last: number}, styles: Record<string, Squares>}} Pictures */

/**
 * The moves from a position as a GIF.
 * @param {Pictures} pictures
 * @param {Position} start
 * @param {readonly Move[]} moves
 * @param {Looks} looks
 */
export async function animation(pictures, start, moves, looks) {
  const painter = new Painter(pictures.styles[looks.style], looks),
    writer = new GifWriter(WIDTH, WIDTH, painter.palette, moves.length > 0);
  let begun = performance.now();
  for (const {placed, touched, milliseconds} of stills(start, moves, pictures.times)) {
    writer.add(painter.paint(placed, touched), milliseconds);
    if (performance.now() - begun < TURN_MS) continue;
    await new Promise(resolve => setTimeout(resolve));
    begun = performance.now();
  }
  return writer.finish();
}

/**
 * Positions with the squares that the move so far has touched, and the time for which they are shown.
 * @param {Position} start
 * @param {readonly Move[]} moves
 * @param {Pictures["times"]} times
 * @returns {Generator<{placed: Placed, touched: readonly number[], milliseconds: number}>}
 */
function* stills(start, moves, times) {
  yield {placed: start, touched: [], milliseconds: moves.length ? times.move : times.last};
  let position = start;
  for (const [index, move] of moves.entries()) {
    /** @type {Placed} */
    let still = position;
    for (let count = 2; count < move.path.length; count++) {
      still = jumped(still, move.path[count - 2], move.path[count - 1]);
      yield {placed: still, touched: move.path.slice(0, count), milliseconds: times.jump};
    }
    position = position.after(move);
    yield {placed: position, touched: move.path, milliseconds: index + 1 < moves.length ? times.move : times.last};
  }
}

/**
 * The board after a jump within a capture: a piece leaves it as soon as it is jumped.
 * @param {Placed} still
 * @param {number} from
 * @param {number} to
 */
function jumped({black, white, kings}, from, to) {
  const [a, b] = place(from, false),
    [c, d] = place(to, false),
    middle = 4 * ((b + d) / 2) + ((a + c) >> 2),
    gone = (1 << middle) | (1 << from);
  const after = (/** @type {number} */ pieces) => (pieces & ~gone) | ((pieces >>> from) & 1 ? 1 << to : 0);
  return {black: after(black), white: after(white), kings: after(kings)};
}

/** A board on which only the squares are painted that differ from what is there. */
class Painter {
  /** @param {Squares} squares @param {Looks} looks */
  constructor(squares, {flipped, coordinates, pieces}) {
    const kinds = squares.looks[`${pieces} ${coordinates}`],
      {palette, colours} = kinds[flipped ? kinds.length - 1 : 0];
    this.palette = bytesOf(palette);
    /** Of each colour of the style, that of the palette. */
    this._colours = bytesOf(colours);
    this._squares = squares;
    this._overlaps = squares.overlaps[pieces];
    this._pieces = squares.pieces[pieces].map(text => new Uint16Array(bytesOf(text).buffer));
    this._labels = labelsOf(coordinates, flipped);
    this._places = Array.from({length: SQUARES}, (_, square) => place(square, flipped));
    this._canvas = new Uint8Array(WIDTH * WIDTH).fill(this._colours[squares.edge]);
    /** What each dark square shows: its ground and its piece. @type {number[]} */
    this._shown = new Array(SQUARES).fill(-1);
    for (let row = 0; row < 8; row++)
      for (let column = row % 2; column < 8; column += 2) this._paintSquare(column, row, LIGHT, -1);
  }

  /** The picture of a position. @param {Placed} placed @param {readonly number[]} touched */
  paint({black, white, kings}, touched) {
    for (let square = 0; square < SQUARES; square++) {
      const has = (/** @type {number} */ pieces) => (pieces >>> square) & 1,
        ground = touched.includes(square) ? LAST_MOVE : DARK,
        piece = has(black | white) ? 2 * has(white) + has(kings) : -1,
        shown = 8 * ground + piece;
      if (this._shown[square] === shown) continue;
      this._shown[square] = shown;
      const [column, row] = this._places[square];
      this._paintSquare(column, row, ground, piece);
    }
    return this._canvas.slice();
  }

  /** @param {number} column @param {number} row @param {number} ground @param {number} piece -1 for none */
  _paintSquare(column, row, ground, piece) {
    const {grounds, labels} = this._squares,
      plain = grounds[ground],
      kind = 4 * (ground - DARK) + piece,
      pixels = piece < 0 ? null : this._pieces[kind];
    const corner = (EDGE + row * CELL) * WIDTH + EDGE + column * CELL;
    const set = (/** @type {number} */ at, /** @type {number} */ colour) => {
      this._canvas[corner + Math.floor(at / CELL) * WIDTH + (at % CELL)] = this._colours[colour];
    };
    for (let at = 0; at < CELL * CELL; at++) set(at, pixels ? pixels[at] : plain);
    for (const label of this._labels[8 * row + column]) {
      for (const [at, colour] of pairs(labels[ground][label])) if (!pixels || pixels[at] === plain) set(at, colour);
      if (pixels) for (const [at, colour] of pairs(this._overlaps[kind][label])) set(at, colour);
    }
  }
}

/** The names that each square of the board shows, row by row. @param {string} coordinates @param {boolean} flipped */
function labelsOf(coordinates, flipped) {
  /** @type {string[][]} */
  const labels = Array.from({length: 64}, () => []);
  if (coordinates === "numbers")
    for (let square = 0; square < SQUARES; square++) {
      const [column, row] = place(square, flipped);
      labels[8 * row + column].push(squareName(square));
    }
  if (coordinates === "letters") {
    const {rank, file} = letters(flipped);
    for (const [row, text] of rank.entries()) labels[8 * row].push(text);
    for (const [column, text] of file.entries()) labels[56 + column].push(text);
  }
  return labels;
}

/** @param {number[]} [listed] */
function* pairs(listed = []) {
  for (let index = 0; index < listed.length; index += 2) yield [listed[index], listed[index + 1]];
}

/** @param {string} text base64 */
const bytesOf = text => Uint8Array.from(atob(text), each => each.charCodeAt(0));
