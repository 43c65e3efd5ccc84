// The expected result of Black over a game, as kr's comments tell it, and what is known of a single move.

import {number, words} from "./move-words.js";
import {signed, t} from "./texts.js";

/** @import {BoardArrow} from "./board-drawing.js" */
/** @import {GameTree, LegalNode, TreeNode} from "./tree.js" */

/** @typedef {"inaccuracy" | "mistake" | "blunder" | "only"} Mark */
/** @typedef {Mark | ""} Kind */
/**
 * What kr says of a move. expected: result of Black, 0 to 1; kind: of its mark; best: as good as any other; once: seen
 * by one search only; reason: why it was not judged; evaluation: the score, as [%eval] has it
 * @typedef {{expected: number, kind: Kind, judged: boolean, best: boolean, once: boolean, reason: string,
 *   evaluation: string}} Judgement
 */
/**
 * A position of a game in the graph. expected: null where it was not searched
 * @typedef {Omit<Judgement, "expected"> & {node: LegalNode, ply: number, label: string, expected: number | null}} Point
 */
/** @typedef {Point & {expected: number}} KnownPoint */

/** @type {Record<string, Mark>} */
export const KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"};
/** @type {Record<Mark, string>} */
export const WORDS = {
  get inaccuracy() {
    return t("inaccuracy");
  },
  get mistake() {
    return t("mistake");
  },
  get blunder() {
    return t("blunder");
  },
  get only() {
    return t("only move");
  },
};
/** Name of a mark; "" for none. @param {Kind} kind */
export const kindName = kind => kind && WORDS[kind];

/** Sign of a mark; "" for none. @param {Kind} kind */
export const signOf = kind => Object.keys(KINDS).find(sign => KINDS[sign] === kind) ?? "";

/** @type {Record<string, () => string>} */
const REASONS = {
  opening: () => t("Not judged: the opening."),
  forced: () => t("Not judged: there was no other move."),
  unsearched: () => t("Not judged: the search was too short to see another move."),
};

// kr's tag in a comment: [%kr exp=0.21 nag=?? turn=drawn/lost once], [%kr line exp=0.55] at a better line
const TAG = /\[%kr ([^[\]]{1,80})\]/;
const EVALUATION = /\[%eval (#?-?\d{1,4}(?:\.\d{1,2})?)/;

/**
 * What is known of a move that was not searched.
 * @type {Omit<Judgement, "expected"> & {expected: null}}
 */
export const UNKNOWN = {
  expected: null,
  kind: "",
  judged: false,
  best: false,
  once: false,
  reason: "",
  evaluation: "",
};

/**
 * What kr's comment says of a node; null without such a comment.
 * @param {TreeNode} node
 * @returns {Judgement | null}
 */
export function judgement(node) {
  for (const comment of node.comments) {
    const tag = TAG.exec(comment);
    const expected = tag && /\bexp=(\d\.\d\d)/.exec(tag[1]);
    if (!expected) continue;
    const facts = tag[1].split(" ");
    const reason = facts.find(fact => Object.hasOwn(REASONS, fact)) || "";
    const sign = /\b(?:nag|mark)=([?!]{1,2})/.exec(tag[1]);
    return {
      expected: Number(expected[1]),
      kind: (sign && KINDS[sign[1]]) || "",
      // neither the start of the game nor a better line is a move that was judged
      judged: expected.index === 0 && !reason,
      best: facts.includes("best"),
      once: facts.includes("once"),
      reason,
      evaluation: EVALUATION.exec(comment)?.[1] ?? "",
    };
  }
  return null;
}

/**
 * What kr's comment on the whole game says of both players; "" without one.
 * @param {Pick<TreeNode, "comments">} root
 */
export function reportOf(root) {
  const comment = root.comments.find(text => text.includes("[%kr game"));
  // options of the command line say nothing on a page
  return comment ? words(comment).replace(/ \(--[\w-]+\)/g, "") : "";
}

/**
 * The first move of the line that kr found to be better than the move that led to a node; null without one.
 * @param {TreeNode} node
 * @returns {TreeNode | null}
 */
export function betterNode(node) {
  const line = node.parent?.children.find(
    child => child !== node && child.comments.some(text => text.includes("[%kr line")),
  );
  return (judgement(node)?.kind && line) || null;
}

/**
 * The moves that refute the move that led to a node, along the game as far as it goes on so; none where kr has left
 * none.
 * @param {TreeNode} node
 * @returns {TreeNode[]}
 */
export function refutationOf(node) {
  const moves = [];
  /** @type {TreeNode | undefined} */
  let at = node;
  while (at) {
    const kind = at !== node && judgement(at)?.kind,
      head = at.children.find(child => child.comments.some(text => text.includes("[%kr refutation")));
    if (kind && kind !== "only") break;
    for (let each = head; each; each = each.children[0]) moves.push(each);
    if (head) return moves;
    at = at.children[0];
    if (at) moves.push(at);
  }
  return [];
}

/**
 * The arrow of that move: what Board.arrows takes.
 * @param {TreeNode} node
 * @returns {BoardArrow[]}
 */
export function better(node) {
  const line = betterNode(node);
  return line ? [{path: line.path, kind: "better"}] : [];
}

/**
 * A game as it was played, one point for the start and for each move.
 * @param {GameTree} tree
 * @returns {Point[]}
 */
export function points(tree) {
  return tree.main().map((node, ply) => {
    const label = ply ? `${number(node)} ${node.text}` : t("Start");
    return {node, ply, label, ...UNKNOWN, ...judgement(node)};
  });
}

/**
 * A point in words; its mark stands elsewhere.
 * @param {Pick<Point, "expected" | "kind" | "judged" | "best" | "evaluation" | "reason" | "once">} point
 */
export function told({expected, kind, judged, best, evaluation, reason, once}) {
  if (expected === null) return t("Not searched.");
  const parts = [expectation(Math.round(100 * expected), evaluation)];
  if (judged && !kind) parts.unshift(best ? t("Best move.") : t("Good move."));
  if (reason) parts.push(REASONS[reason]());
  if (once) parts.push(t("Seen by one search only."));
  return parts.join(" ");
}

/**
 * @param {number} chances of Black, in a hundred
 * @param {string} evaluation score of [%eval]: men, or # and plies to a win; "" for none
 */
function expectation(chances, evaluation) {
  const [, win, score] = /^(#?)(-?[\d.]+)$/.exec(evaluation) || [];
  if (!score) return t("Black's chances: {chances} in 100.", {chances});
  if (!win)
    return t("Black's chances: {chances} in 100, score {score}.", {chances, score: signed(Number(score) || 0, 2)});

  return Number(score) < 0
    ? t("Black's chances: {chances} in 100, White wins.", {chances})
    : t("Black's chances: {chances} in 100, Black wins.", {chances});
}
