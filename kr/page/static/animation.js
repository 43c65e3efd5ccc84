// A line of moves as an animated picture (GIF): a frame for the start, one for each move, and one for each jump within
// a capture. The browser paints the drawings; gifenc packs them.

import {fenOf} from "./setup/fen.js";
import {placed, SQUARES} from "./squares.js";
import {applyPalette, GIFEncoder, quantize} from "./vendor/gifenc.js";

/** @import {LegalNode} from "./tree.js" */

/** Milliseconds for which a position is shown, one within a capture, and the last. */
const MOVE_MS = 1000,
  JUMP_MS = 350,
  LAST_MS = 3000;
/** Colours of the picture, without that of pixels that stay as they are. */
const MOST_COLOURS = 63;
/** Frames that are painted at once, and those from which the colours are taken. */
const MOST_PAINTED = 8;
const KING_ROWS = {b: SQUARES.slice(28), w: SQUARES.slice(0, 4)};

/** A position that is shown for a time; last: squares of the move so far.
 * @typedef {{fen: string, last: number[], milliseconds: number}} Still
 */

/**
 * The positions of a line.
 * @param {string} start FEN
 * @param {readonly LegalNode[]} nodes the moves from there
 * @returns {Still[]}
 */
export function stills(start, nodes) {
  let pieces = placed(start),
    side = start[0];
  /** @type {Still[]} */
  const frames = [{fen: start, last: [], milliseconds: MOVE_MS}];
  for (const {path, captured} of nodes) {
    const next = side === "B" ? "W" : "B";
    for (let count = 2; count <= path.length; count++) {
      const isWhole = count === path.length;
      pieces = moved(pieces, path[count - 2], path[count - 1], captured[count - 2]);
      frames.push({
        fen: fenOf(pieces, isWhole ? next : side),
        last: path.slice(0, count),
        milliseconds: isWhole ? MOVE_MS : JUMP_MS,
      });
    }
    side = next;
  }
  frames[frames.length - 1].milliseconds = LAST_MS;
  return frames;
}

/**
 * The board after a step or a jump.
 * @param {ReturnType<typeof placed>} pieces
 * @param {number} from
 * @param {number} to
 * @param {number} [captured]
 */
function moved(pieces, from, to, captured) {
  const {[from]: piece, ...after} = pieces;
  if (captured) delete after[captured];
  if (piece === "b" || piece === "w") after[to] = KING_ROWS[piece].includes(to) ? (piece === "b" ? "B" : "W") : piece;
  else after[to] = piece;
  return after;
}

/**
 * An animated GIF that is shown over and over.
 * @param {readonly Still[]} stills
 * @param {(still: Still) => Promise<ImageData>} paint
 */
export async function animation(stills, paint) {
  const palette = [...(await coloursOf(stills, paint)), [0, 0, 0]],
    same = palette.length - 1,
    writer = GIFEncoder();
  /** @type {Uint8Array | null} */
  let before = null;
  for (let at = 0; at < stills.length; at += MOST_PAINTED) {
    const some = stills.slice(at, at + MOST_PAINTED);
    for (const [index, {data, width, height}] of (await Promise.all(some.map(paint))).entries()) {
      const shown = applyPalette(data, palette.slice(0, same)),
        kept = before;
      // what has not changed is transparent, and packs to next to nothing
      writer.writeFrame(kept ? shown.map((each, at) => (each === kept[at] ? same : each)) : shown, width, height, {
        palette: kept ? undefined : palette,
        transparent: true,
        transparentIndex: same,
        delay: some[index].milliseconds,
        dispose: 1,
      });
      before = shown;
    }
  }
  writer.finish();
  return writer.bytes();
}

/**
 * Colours of a line's positions.
 * @param {readonly Still[]} stills
 * @param {(still: Still) => Promise<ImageData>} paint
 */
async function coloursOf(stills, paint) {
  const step = Math.ceil(stills.length / MOST_PAINTED),
    samples = await Promise.all(stills.filter((_, at) => at % step === 0).map(paint)),
    all = new Uint8ClampedArray(samples.length * samples[0].data.length);
  for (const [at, {data}] of samples.entries()) all.set(data, at * data.length);
  return quantize(all, MOST_COLOURS);
}
