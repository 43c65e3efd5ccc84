// Why a move is advised, in sentences, and as arrows; docs/reference/sentences.md has what must be true for each.

import {percent} from "../analysis/words.js";
import {decimal, many, moves, said, t} from "../texts.js";

/**
 * A move with its reasons, as answers/hints.js gives them.
 * @typedef {{text: string, path: number[], score: number, plies: number | null, value?: string | null,
 *     line: import("./state.js").Move[], why?: import("../texts.js").Sentence[],
 *     gain: {pieces: number, plies: number} | null, crowned: number | null}} Advice
 */
/** @typedef {Advice & {forced?: boolean, other: Advice | null, win: number, draw: number, loss: number}} Hint */

const CROWNED_SOON = 7,
  EQUAL = 15, // centi-men by which an alternative is as good
  LEAST = 5; // and that are told

/**
 * Why a move is advised, in sentences.
 * @param {Hint} hint
 * @returns {string[]}
 */
export function hintWords(hint) {
  const move = hint.text,
    words = [];
  if (hint.forced) words.push(t("{move} is the only legal move.", {move}));
  if (hint.value === "win")
    words.push(
      hint.plies
        ? t("{move} wins: a win in {moves}, seen to its end.", {move, moves: moves(hint.plies)})
        : t("{move} wins: that is proved.", {move}),
    );
  else if (hint.value === "draw") words.push(t("{move} holds the draw: that is proved.", {move}));
  else if (hint.value === "loss")
    words.push(
      hint.plies
        ? t("The game is lost in {moves}; {move} holds out longest.", {move, moves: moves(hint.plies)})
        : t("The game is lost by any move; {move} makes it hardest.", {move}),
    );
  else words.push(...prospects(hint));
  if (!hint.forced && hint.other) words.push(...alternative(hint, hint.other));
  return words;
}

/** @param {Hint} hint */
function prospects(hint) {
  const {text: move, gain, crowned, forced} = hint,
    words = [];
  if (gain && gain.pieces > 0)
    words.push(
      t("{move} wins {pieces} in {moves}.", {move, pieces: many(gain.pieces, "piece"), moves: moves(gain.plies)}),
    );
  else if (gain) words.push(sacrifice(hint, -gain.pieces));
  else if (crowned && crowned <= CROWNED_SOON)
    words.push(t("{move} gets a king in {moves}.", {move, moves: moves(crowned)}));
  else if (!forced)
    words.push(
      isEqual(hint)
        ? t("{move} and {other} are equally good.", {move, other: hint.other?.text})
        : t("{move} is best.", {move}),
    );
  const values = {win: percent(hint.win), draw: percent(hint.draw), loss: percent(hint.loss)};
  words.push(t("Of a hundred such games you win {win}, draw {draw} and lose {loss}.", values));
  return words;
}

/**
 * What is said of a move that gives up pieces: another may give up fewer, of which only the next best is known.
 * @param {Hint} hint
 * @param {number} count of the pieces
 */
function sacrifice({text: move, forced, other}, count) {
  const pieces = many(count, "piece");
  return forced || !other
    ? t("{move} gives up {pieces}.", {move, pieces})
    : t("{move} gives up {pieces}, and is best all the same.", {move, pieces});
}

/** True if the best other move is as good. @param {Hint} hint */
const isEqual = ({score, gain, other}) =>
  Boolean(other && score - other.score <= EQUAL && gain?.pieces === other.gain?.pieces);

/**
 * Arrows of a hint: the move, the reply, and what follows where it can be told from them.
 * @param {Hint} hint
 * @returns {Array<{path: number[], kind: string, label: string}>} the last one lies on top
 */
export function hintArrows({line}) {
  /** @type {Set<number>} */
  const seen = new Set(line.slice(0, 2).flatMap(move => move.path));
  const shown = line.slice(0, line[2]?.path.some(square => seen.has(square)) ? 2 : 3);
  return shown
    .map(({path}, i) => ({
      path,
      kind: ["best", "threat", "other"][i],
      label: shown.length > 1 ? String(i + 1) : "",
    }))
    .reverse();
}

/**
 * What the best other move gives up.
 * @param {Hint} hint
 * @param {Advice} other
 */
function alternative(hint, other) {
  const move = other.text,
    less = (hint.gain?.pieces ?? 0) - (other.gain?.pieces ?? 0);
  if (other.value === hint.value && other.value) return [];
  if (other.value === "loss")
    return [
      other.plies ? t("{move} loses in {moves}.", {move, moves: moves(other.plies)}) : t("{move} loses.", {move}),
    ];
  if (hint.value === "win") return [t("With {move}, the next best, no win is seen.", {move})];
  if (other.why?.length) return [t("Why not {move}? {reason}", {move, reason: said(other.why[0])})];
  if (other.gain && other.gain.pieces < 0 && less > 0)
    return [
      t("{move} loses {pieces} in {moves}.", {
        move,
        pieces: many(-other.gain.pieces, "piece"),
        moves: moves(other.gain.plies),
      }),
    ];
  const worse = hint.score - other.score;
  if (isEqual(hint) || worse < LEAST) return [];
  return [t("{move}, the next best, is worse by {men} men.", {move, men: decimal(worse / 100, 1)})];
}
