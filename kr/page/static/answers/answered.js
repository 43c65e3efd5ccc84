// What the worker of the page answers, by the first part of a name; a machine answers all else. tsc compares it with
// FEATURES of answers.js, which the page itself does not load.

export const ANSWERED = /** @type {const} */ ([
  ...[
    "analysis",
    "annotate",
    "book",
    "certificate",
    "endings",
    "engines",
    "games",
    "lessons",
    "library",
    "opening",
    "openings",
    "people",
  ],
  ...["play", "position", "proofs", "prove", "puzzles", "regions", "selfplay", "send", "soundness", "variations"],
]);
/** @typedef {(typeof ANSWERED)[number]} Answered */
