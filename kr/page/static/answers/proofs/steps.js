// What the strategy of a certificate does in a position. tests/cases/certificates.json holds what this has in common
// with kr/proofs/lines.py.

import {moveJson} from "../rules.js";

/** @typedef {import("../house.js").DatabasePort} DatabasePort */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {import("./certificate.js").Certificate} Certificate */
/** @typedef {import("./told.js").End} End */
/** @typedef {{move: Move, after: Position, rank: number | undefined, end: End | null}} Reply */

/** More than any distance: a reply that the strategy has to answer. */
const ANSWERED = 1e6;

/**
 * "own" at the strategy's side, with its "move"; "replies" of the other side, the hardest defence first, each with its
 * "answer"; "left", the most plies to the end of a line; "end", why a line ends here; "outside" if the certificate says
 * nothing of the position.
 * @param {Certificate} certificate
 * @param {Position} position
 * @param {DatabasePort | null} database
 * @returns {Promise<import("./told.js").Step>}
 */
export async function stepAt(certificate, position, database) {
  const wins = certificate.goal === "win",
    move = certificate.move(position),
    rank = certificate.rank(position),
    none = {fen: position.fen, own: position.side === certificate.side, move: null, replies: [], left: null, end: null};
  if (move) return {...none, move: played(position, move), left: wins && rank ? 2 * rank - 1 : null};
  const [end] = await endsOf(certificate, [position], database);
  if (end) return isGood(certificate, position, end) ? {...none, end} : {...none, outside: true};
  const replies = none.own ? [] : await repliesTo(certificate, position, database);
  // what all replies to it lead to proves it, wherever it came from
  if (!replies.length || !replies.every(each => each.rank !== undefined || isGood(certificate, each.after, each.end)))
    return {...none, outside: true};
  return {
    ...none,
    left: wins ? 2 * Math.max(...replies.map(each => each.rank ?? 0)) : null,
    replies: replies.map(each => replyJson(certificate, position, each)),
  };
}

/**
 * The opponent's moves to different positions, the hardest defence first: for a win the highest rank, then positions of
 * the database by their distance; for a draw first those that the strategy answers.
 * @param {Certificate} certificate
 * @param {Position} position
 * @param {DatabasePort | null} database
 * @returns {Promise<Reply[]>}
 */
async function repliesTo(certificate, position, database) {
  /** @type {Map<string, {move: Move, after: Position}>} */
  const different = new Map();
  for (const move of position.legalMoves()) {
    const after = position.after(move);
    if (!different.has(after.key)) different.set(after.key, {move, after});
  }
  const moves = [...different.values()],
    ends = await endsOf(
      certificate,
      moves.map(({after}) => after),
      database,
    );
  const held = (/** @type {Reply} */ {rank, end}) =>
    rank === undefined ? (end?.plies ?? 0) : ANSWERED + (certificate.goal === "win" ? rank : 0);
  return moves
    .map(({move, after}, i) => {
      const rank = certificate.rank(after);
      return {move, after, rank, end: rank === undefined ? ends[i] : null};
    })
    .sort((one, other) => held(other) - held(one));
}

/** @param {Certificate} certificate @param {Position} position @param {Reply} reply */
function replyJson(certificate, position, {move, after, rank, end}) {
  const answer = certificate.move(after);
  return {
    ...played(position, move),
    answer: answer && played(after, answer),
    left: certificate.goal === "win" && rank !== undefined ? 2 * rank : null,
    end,
  };
}

/** @param {Position} position @param {Move} move */
const played = (position, move) => ({...moveJson(move), fen: position.after(move).fen});

/**
 * Why a line ends in positions, with the value for the side to move; null where it goes on.
 * @param {Certificate} certificate
 * @param {readonly Position[]} positions
 * @param {DatabasePort | null} database
 * @returns {Promise<(End | null)[]>}
 */
async function endsOf(certificate, positions, database) {
  const isLeaf = (/** @type {Position} */ each) => certificate.isLeaf(each) && database?.has(each),
    known = (await database?.look(positions.filter(each => !each.isOver && isLeaf(each)))) ?? [];
  return positions.map(each => {
    if (each.isOver) return {by: "rule", value: "loss", plies: 0};
    const entry = isLeaf(each) ? known.shift() : null;
    return entry?.value ? {by: "database", value: entry.value, plies: entry.distance} : null;
  });
}

/**
 * True if an end is what the certificate claims at least.
 * @param {Certificate} certificate
 * @param {Position} position
 * @param {End | null} end
 */
function isGood(certificate, position, end) {
  if (!end) return false;
  const bad = position.side === certificate.side ? "loss" : "win";
  return end.value !== bad && (end.value !== "draw" || certificate.goal === "draw");
}
