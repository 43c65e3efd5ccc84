// A board as SVG: squares with their names, pieces, arrows and rings. Colours and the shapes of pieces are data
// ("drawing"); tests/cases/boards.json holds what it has in common with kr/svg.py.

import {SIDE_NAMES, SQUARES, squareName} from "./notation.js";

const CELL = 45;
const EDGE = 3;
/** @type {readonly string[]} */
export const STYLES = ["green", "wood", "contrast"];
/** @type {readonly string[]} */
export const PIECES = ["flat", "carved"];
/** @type {readonly string[]} */
export const COORDINATES = ["numbers", "letters", "none"];
const WIDTH = 8 * CELL + 2 * EDGE;
const SIZES = ["man", "king"];

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {{flipped: boolean, coordinates: string, style: string, pieces: string}} Looks */
/** @typedef {{path: number[], colour: string}} Arrow one square: a ring round it; the colour is a name */
/** @typedef {Record<string, string>} Palette colours by name */
/** @typedef {{styles: Record<string, Palette>, pieces: Record<string, Record<string, string[]>>}} Drawing */

/** @type {Looks} */
export const USUAL_LOOKS = {flipped: false, coordinates: "numbers", style: "green", pieces: "flat"};

/**
 * Column and row, each 0 to 7 from the top left, where a square is drawn.
 * @param {number} square
 * @param {boolean} flipped
 */
function place(square, flipped) {
  const row = square >> 2,
    column = 2 * (square & 3) + 1 - (row % 2);
  return flipped ? [7 - column, 7 - row] : [column, row];
}

/** What stands at the edge in place of numbers: down the left one, and along the bottom. @param {boolean} flipped */
const letters = flipped => ({
  rank: Array.from({length: 8}, (_, row) => String(flipped ? 8 - row : row + 1)),
  file: Array.from({length: 8}, (_, column) => "abcdefgh"[flipped ? column : 7 - column]),
});

/**
 * A position as SVG.
 * @param {Drawing} drawing
 * @param {Position} position
 * @param {Looks} looks
 * @param {{touched?: readonly number[], arrows?: readonly Arrow[]}} [marks] squares of the move before it, and what is
 *   drawn on the board
 */
export function board(drawing, position, looks, {touched = [], arrows = []} = {}) {
  const {flipped, coordinates} = looks,
    palette = drawing.styles[looks.style],
    inside = 8 * CELL;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${WIDTH}" role="img">`,
    `<title>${position.fen}, ${SIDE_NAMES[position.side]} to move</title>`,
    `<rect class="edge" width="${WIDTH}" height="${WIDTH}" fill="${palette.edge}"/>`,
    `<rect class="square light" x="${EDGE}" y="${EDGE}" width="${inside}" height="${inside}" fill="${palette.light}"/>`,
  ];
  for (let square = 0; square < SQUARES; square++) {
    const [x, y] = centre(square, flipped).map(each => each - CELL / 2),
      [name, classes] = touched.includes(square) ? ["last move", "square dark last-move"] : ["dark", "square dark"];
    parts.push(
      `<rect class="${classes}" x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill="${palette[name]}"/>` +
        (coordinates === "numbers" ? coordinate(x + 1.5, y + 8, squareName(square), palette) : ""),
    );
  }
  if (coordinates === "letters") {
    const {rank, file} = letters(flipped);
    parts.push(
      ...rank.map((text, row) => coordinate(EDGE + 1.5, EDGE + row * CELL + 8, text, palette)),
      ...file.map((text, column) => coordinate(EDGE + (column + 1) * CELL - 6.5, EDGE + 8 * CELL - 2.5, text, palette)),
    );
  }
  const shapes = drawing.pieces[looks.pieces][looks.style];
  for (let square = 0; square < SQUARES; square++) {
    if (!(((position.black | position.white) >>> square) & 1)) continue;
    const side = (position.white >>> square) & 1,
      king = (position.kings >>> square) & 1,
      classes = `piece ${SIDE_NAMES[side].toLowerCase()} ${SIZES[king]}`;
    parts.push(
      `<g class="${classes}" transform="translate(${centre(square, flipped)})">${shapes[2 * side + king]}</g>`,
    );
  }
  parts.push(...arrows.map(each => arrow(each, flipped, palette)));
  return [...parts, "</svg>\n"].join("\n");
}

/** @param {number} square @param {boolean} flipped */
const centre = (square, flipped) => place(square, flipped).map(each => EDGE + (each + 0.5) * CELL);

/** @param {number} x @param {number} y @param {string} text @param {Palette} palette */
const coordinate = (x, y, text, palette) =>
  `<text class="number" x="${x}" y="${y}" font-size="8" font-family="sans-serif" ` +
  `fill="${palette.number}">${text}</text>`;

/** @param {Arrow} arrow @param {boolean} flipped @param {Palette} palette */
function arrow({path, colour}, flipped, palette) {
  const points = path.map(square => centre(square, flipped)),
    [x, y] = points[points.length - 1],
    [x0, y0] = points[Math.max(points.length - 2, 0)],
    length = Math.hypot(x - x0, y - y0),
    paint = palette[colour];
  if (!length) {
    const ring = `<circle cx="${x}" cy="${y}" r="${CELL * 0.43}" fill="none" stroke-width="4" stroke="${paint}"/>`;
    return `<g class="arrow" opacity="0.8">${ring}</g>`;
  }
  // the head ends a little before the middle of its square, the line in the middle of the head
  const dx = (x - x0) / length,
    dy = (y - y0) / length,
    tip = [x + dx * 4, y + dy * 4],
    base = [tip[0] - dx * 17, tip[1] - dy * 17];
  const line = shown([...points.slice(0, -1), [base[0] + dx, base[1] + dy]]),
    head = shown([tip, [base[0] - dy * 10, base[1] + dx * 10], [base[0] + dy * 10, base[1] - dx * 10]]);
  return (
    `<g class="arrow" opacity="0.8"><polyline points="${line}" fill="none" stroke="${paint}" stroke-width="7" ` +
    `stroke-linejoin="round" stroke-linecap="butt"/><polygon points="${head}" fill="${paint}"/></g>`
  );
}

/** @param {number[][]} points */
const shown = points => points.map(point => point.map(each => each.toFixed(1)).join(",")).join(" ");
