// Why a marked move is worse than the better one, in words: kr/analysis/annotation/coach.py.

import {countOf, squareName} from "../notation.js";
import {WHITE} from "../rules.js";
import {MARKS} from "./judging.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {import("../house.js").Fact} Fact */
/** @typedef {import("../pdn/tree.js").Game} Game */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("./judging.js").JudgedMove} JudgedMove */

/** Moves of a line that are looked at; where a search left off before, it is searched on. */
const LONG_ENOUGH = 12;
/** Reasons that say little. */
const LITTLE = ["why.exchange_wrong", "why.exchange_missed", "why.too_late"];
/** Kinds of facts that are no reason for an inaccuracy. */
const SLIGHT = ["exchange_wrong", "exchange_missed", "square_taken", "square_left", "too_late"];
const KINGS = ["crowns", "run", "back_rank", "king_missed"];
/** Plies within which a king is a reason for an inaccuracy. */
const SOON = 13;
/** Kinds of facts of a line that wins pieces. */
const GAINS = ["wins", "shot_missed", "two_for_one_missed", "breeches_missed", "attack_missed", "bind_missed"];
/** Kinds of facts of a line that loses pieces. */
const LOSING = [
  ...["threat", "shot", "two_for_one", "breeches", "attacked", "cut_off", "losing_exchange", "at_once", "no_safe_move"],
  "loses",
];
/** Centi-men. A search that sees less than half of the pieces of a fact sees them come back after its line. */
const PIECE = 100;
/** Plies of the line that begins with the only reply that punishes a mistake. */
const REPLY_PLIES = 5;

/**
 * Judgements with the reasons for their marks.
 * @param {Game} game
 * @param {readonly JudgedMove[]} moves
 * @param {Pick<import("../house.js").EnginePort, "facts">} port
 * @param {(position: Position, line: readonly Move[]) => Promise<readonly Move[]>} longer a line, searched on if short
 * @param {Pick<import("./searches.js").Searches, "replies" | "decided" | "judged">} searches
 * @param {import("./judging.js").Thresholds} thresholds
 */
export async function withReasons(game, moves, port, longer, searches, thresholds) {
  const positions = game.positions(),
    /** @type {JudgedMove[]} */
    found = [];
  for (const judged of moves) {
    const {ply} = judged,
      position = positions[ply];
    if (judged.refutation.length) {
      const refutation = await longer(position, judged.refutation),
        line = await longer(position, judged.line),
        explained = {...judged, refutation, line};
      const facts = await port.facts(position, refutation, line);
      let why = reasons(
        explained,
        facts.filter(fact => isSeen(fact, position, judged)),
      );
      if (judged.mark !== MARKS[0] && why.every(({say}) => LITTLE.includes(say))) {
        const more = [
          await replyFails(position, explained, port, searches),
          await onlyReply(position, explained, searches, thresholds),
        ].filter(each => each !== null);
        if (more.length) why = more;
      }
      found.push({...explained, why});
    } else found.push(judged);
  }
  return found;
}

/**
 * A line, searched on from its end where it is short and nothing is known.
 * @param {Position} position
 * @param {readonly Move[]} line
 * @param {import("../house.js").DatabasePort | null} database
 * @param {(position: Position) => Promise<readonly Move[]>} search the best line of a position
 */
export async function continued(position, line, database, search) {
  const whole = [...line];
  let at = line.reduce((before, move) => before.after(move), position);
  while (whole.length < LONG_ENOUGH && !at.isOver && (!database?.has(at) || at.legalMoves()[0].captured)) {
    const moves = await search(at);
    if (!moves.length) break;
    whole.push(...moves);
    at = moves.reduce((before, move) => before.after(move), at);
  }
  return whole;
}

/** Pieces that the side to move has more than the other. @param {Position} position */
const leadOf = ({black, white, side}) => (countOf(white) - countOf(black)) * (side === WHITE ? 1 : -1);

/**
 * True if a score says that a side with this lead has won so many pieces.
 * @param {number} score
 * @param {number} count
 * @param {number} lead
 */
const agrees = (score, count, lead) => 2 * score >= PIECE * (2 * lead + count);

/**
 * True if the scores of the searches agree with the pieces of a fact.
 * @param {Fact} fact
 * @param {Position} position
 * @param {Pick<JudgedMove, "score" | "bestScore">} judged
 */
export function isSeen({kind, count}, position, {score, bestScore}) {
  if (LOSING.includes(kind) && score !== null) return agrees(-score, count, -leadOf(position));
  return !GAINS.includes(kind) || bestScore === null || agrees(bestScore, count, leadOf(position));
}

/**
 * The same reply to the better move would lose pieces.
 * @param {Position} position
 * @param {Pick<JudgedMove, "refutation" | "line">} judged
 * @param {Pick<import("../house.js").EnginePort, "facts">} port
 * @param {Pick<import("./searches.js").Searches, "judged">} searches
 * @returns {Promise<Sentence | null>} null if it does not
 */
async function replyFails(position, {refutation, line: [better]}, port, searches) {
  const reply = refutation[1],
    at = position.after(better);
  if (!reply || reply.captured || !at.legalMoves().some(move => String(move) === String(reply))) return null;
  const {lines} = await searches.judged(at.after(reply)),
    line = [better, reply, ...(lines[0]?.line ?? [])],
    gain = (await port.facts(position, refutation, line)).find(
      each => each.better && GAINS.includes(each.kind) && agrees(lines[0].score, each.count, leadOf(position)),
    );
  if (!gain) return null;
  const {count, plies} = gain;
  return {
    say: "why.reply_fails",
    with: {better: String(better), move: String(reply), count, line: line.slice(0, plies).join(" ")},
  };
}

/**
 * True if so many replies, the first, make a move a mistake, and the next one would be one itself and leave it none.
 * @param {number[]} after
 * @param {number} count
 * @param {number} best
 * @param {number} mistake
 */
const punish = (after, count, best, mistake) =>
  after.length > count && Math.min(after[count], best) - after[count - 1] >= mistake && best - after[count] < mistake;

/**
 * The one or two replies that make a move a mistake: any other would be a mistake itself, and leave that move none.
 * @param {Position} position
 * @param {Pick<JudgedMove, "refutation" | "bestExpected">} judged
 * @param {Pick<import("./searches.js").Searches, "replies" | "decided">} searches
 * @param {import("./judging.js").Thresholds} thresholds
 * @returns {Promise<Sentence | null>} null if there is none
 */
async function onlyReply(position, {refutation, bestExpected}, searches, {mistake}) {
  let at = position.after(refutation[0]),
    plies = 1;
  // a forced reply is no choice
  while (at.legalMoves().length === 1 && plies + 2 < refutation.length) {
    at = at.after(refutation[plies]).after(refutation[plies + 1]);
    plies += 2;
  }
  const lines = await searches.replies(at),
    after = lines.map(({expected}) => 1 - expected),
    best = /** @type {number} */ (bestExpected);
  for (const count of [1, 2]) {
    if (!punish(after, count, best, mistake)) continue;
    // those that decide, by searches of their own
    for (let i = 1; i <= count; i += 1) after[i] = (await searches.decided(lines[i].after)).expected;
    if (!punish(after, count, best, mistake)) continue;
    const [move, other] = lines.map(({line}) => String(line[0])),
      line = [...refutation.slice(0, plies), ...lines[0].line.slice(0, REPLY_PLIES)].join(" ");
    return count === 1
      ? {say: "why.only_reply", with: {move, line}}
      : {say: "why.two_replies", with: {move, other_move: other, line}};
  }
  return null;
}

/**
 * The reasons for the mark of a move, the most telling first.
 * @param {Pick<JudgedMove, "mark" | "refutation" | "line">} judged
 * @param {readonly Fact[]} facts of the two lines
 * @returns {Sentence[]}
 */
export const reasons = ({mark, refutation, line: better}, facts) =>
  facts
    .filter(
      ({kind, plies}) =>
        // says little of a mark that a tempo may make
        (kind !== "too_late" || mark === MARKS.at(-1)) &&
        (mark !== MARKS[0] || !(SLIGHT.includes(kind) || (KINGS.includes(kind) && plies > SOON))),
    )
    .map(({kind, better: isBetter, plies, count, given, taken, square, origin}) => {
      const line = (isBetter ? better : refutation).slice(0, plies);
      /** @type {Record<string, Said>} */
      const values = {line: line.join(" ")};
      if (kind === "too_late") values.better = String(better[0]);
      if (["square_left", "square_taken", "threat"].includes(kind)) values.move = String(refutation[1]);
      if (count) values.count = count;
      if (given || taken) Object.assign(values, {given: String(given), taken: String(taken)});
      if (square >= 0) values.square = squareName(square);
      if (origin >= 0) values.origin = squareName(origin);
      return {say: `why.${kind}`, with: values};
    });
