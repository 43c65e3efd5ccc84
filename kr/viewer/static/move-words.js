// What is said of moves: their numbers, marks and comments.

import {formatted, signed, t} from "./texts.js";

/** @import {TreeNode} from "./tree.js" */

/** @type {Record<string, () => string>} */
const MARKS = {
  "!": () => t("good move"),
  "!!": () => t("excellent move"),
  "?": () => t("mistake"),
  "??": () => t("blunder"),
  "!?": () => t("interesting move"),
  "?!": () => t("inaccuracy"),
  "*": () => t("only move"),
};
/** @type {Record<string, string>} */
const NUMBERED = {$1: "!", $2: "?", $3: "!!", $4: "??", $5: "!?", $6: "?!", $7: "*", $8: "*"};
const TAG = /\[%(\w+)\s+([^[\]]*)\]/g;
// what an engine notes of its move: score, depth and time, such as "+0.35/12 1.204s"
const NOTE = /(?<=^|[\s\]])([+-]?\d+\.\d+)\/\d+ \d+\.\d+s(?=\s|$)/g;

// the marks that a person can give
export const MARK_SIGNS = Object.keys(MARKS);

/** @param {string} nag "!" of "!" and of "$1" */
export const sign = nag => NUMBERED[nag] || nag;

/** @param {string} nag */
export const markName = nag => (Object.hasOwn(MARKS, sign(nag)) ? MARKS[sign(nag)]() : nag);

/** @param {string} nag */
export const isMark = nag => Object.hasOwn(MARKS, sign(nag));

/** @param {string} comment without its tags such as [%clk 0:04:59] and an engine's note */
export const words = comment => comment.replace(TAG, "").replace(NOTE, "").trim();

/** @param {string} comment its tags alone, and an engine's note */
export const tagsOf = comment => [...(comment.match(TAG) || []), ...(comment.match(NOTE) || [])];

const secondsOf = (/** @type {string} */ text) => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);

/** @param {string} text a clock's time as people say it: 1.3 s, 4:59, 1:02:03 */
function time(text) {
  const seconds = secondsOf(text);
  return seconds < 60
    ? t("{seconds} s", {seconds: formatted(Number(seconds.toFixed(1)))})
    : text.replace(/^(0*:0?)|\.\d+$/g, "");
}

/** @param {string} text what a clock shows: "4:59 left", or "White 10:00 left, Black 9:57 left" of w0:10:00 B0:09:57 */
function left(text) {
  const shown = [...text.matchAll(/([wb]?)([\d:.]+)/gi)].map(([, side, each]) => {
    const values = {time: time(each)};
    if (!side) return t("{time} left", values);
    return side.toLowerCase() === "w" ? t("White {time} left", values) : t("Black {time} left", values);
  });
  return shown.join(", ");
}

/** @param {string} text the time of a move in words; "" for none to speak of */
const taken = text => (secondsOf(text) < 0.05 ? "" : t("took {time}", {time: time(text)}));

/** @param {string} score in men, as an engine notes it */
function scored(score) {
  return t("score {score}", {score: signed(Number(score), 1)});
}

/**
 * What the tags of a comment say: "4:59 left". kr's own, and the score beside it, are what the graph shows.
 * @param {string} comment
 */
export function facts(comment) {
  if (comment.includes("[%kr ")) return "";
  const told = [...comment.matchAll(TAG)].map(([, name, value]) => {
    if (name === "clk" || name === "clock") return left(value);
    return name === "emt" ? taken(value.trim()) : `${name} ${value.trim()}`;
  });
  const scores = [...comment.matchAll(NOTE)].map(([, score]) => scored(score));
  return [...told, ...scores].filter(Boolean).join(", ");
}

/** @param {TreeNode} node @param {TreeNode} root "8." or "8..." for the move that leads to a node */
export function numbered(node, root) {
  const before = node.ply - 1 + (root.fen?.[0] === "W" ? 1 : 0);
  return `${(before >> 1) + 1}${before % 2 ? "..." : "."}`;
}

/** @param {TreeNode} node */
export function number(node) {
  let root = node;
  while (root.parent) root = root.parent;
  return numbered(node, root);
}

/** @param {TreeNode} node "8... 22-18, good move" */
export const named = node => [`${number(node)} ${node.text}`, ...node.nags.map(markName)].join(", ");
