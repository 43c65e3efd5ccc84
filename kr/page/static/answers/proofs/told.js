// What a page is told of proofs and certificates.

/** @typedef {import("../../texts.js").Sentence} Sentence */
/** @typedef {import("../chances.js").Value} Value */
/** @typedef {"black" | "white"} Side */
/** @typedef {{text: string, path: number[], captured: number[], fen: string}} Move */
/** @typedef {{by: "rule" | "database", value: Value, plies: number | null}} End value: for the side to move there */
/** @typedef {Move & {answer: Move | null, left: number | null, end: End | null}} Reply */
/**
 * A position of a certificate. own: the strategy's side is to move; left: the most plies that a line has from here.
 * @typedef {{fen: string, own: boolean, move: Move | null, replies: Reply[], left: number | null, end: End | null,
 *   outside?: boolean}} Step
 */
/**
 * What a certificate that proves its claim consists of. in_database: lines that end there; longest: plies of the
 * longest line; quiet: most plies of a line in a row without progress; null for a draw, whose lines may go on for ever.
 * @typedef {{positions: number, in_database: number, longest: number | null, quiet: number | null}} CheckReport
 */
/**
 * A certificate that was checked. goal: "draw" for "does not lose".
 * @typedef {CheckReport & {proof: string, name: string, fen: string, side: Side, goal: "win" | "draw"}} OpenCertificate
 */
/**
 * @typedef {{side: Side, goal: "win" | "draw", holds: boolean | null, proof: number | null, disproof: number | null,
 *   nodes: number, searches: number, resists: string}} Claim
 */
/**
 * How far a proof has come. side: to move; least, most: the values that are left; limit: what ended it unanswered.
 * @typedef {{fen: string, side: Side, value: Value | null, least: Value, most: Value, taken: number, claims: Claim[],
 *   limit?: Sentence | ""}} Told
 */

export {};
