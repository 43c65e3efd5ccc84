// A game in words, for the page that is sent: its facts, its moves and notes as text, and what kr says of it.
// tests/cases/game_text.json holds what it has in common with kr/analysis/annotation/game_text.py.

import {stripped, words} from "./blanks.js";
import {SIDE_NAMES} from "./notation.js";
import {SIGNS} from "./pdn/writer.js";
import {MARK_KINDS} from "./review/marking.js";

/** @typedef {import("./pdn/tree.js").ChildNode} ChildNode */
/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./pdn/tree.js").GameNode} GameNode */
/**
 * @typedef {{label: string, signs: string, kind: string, words: string, comments: string[], lines: string[]}} Note on a
 *   move: all judgements of it, kr's mark, kr's words, others' comments, and variations as text
 */

/**
 * @typedef {{
 *   title: string, facts: string[], judgement: string, moves: string, about: string[], notes: Note[],
 *   headers: [string, string][],
 * }} GameText facts: place and time; judgement: kr's words about the whole game; about: comments of others on it;
 *   headers: tags that stand nowhere else
 */
/** @typedef {(english: string, values?: Record<string, string>) => string} Said */

/** Tags of a game that the page shows elsewhere than in its table, or in no words. */
const SHOWN = "Event Site Date Round Black White Result FEN SetUp Setup GameType".split(" ");
const UNKNOWN = "?. ";
// a comment with the first is kr's own, one with the second about the whole game
const OWN = "[%kr",
  OWN_GAME = "[%kr game";
const COMMANDS = /\[%[^[\]]*\]/g,
  MARK = /\[%kr [^[\]]{0,80}(?<![\p{L}\p{N}_])(?:nag|mark)=([?!]{1,2})/u;

/** A comment without its commands. @param {string} comment */
const withoutCommands = comment => words(comment.replace(COMMANDS, "")).join(" ");

/** Comments as text, those of kr left out. @param {readonly string[]} comments */
const othersComments = comments =>
  comments
    .filter(comment => !comment.includes(OWN))
    .map(withoutCommands)
    .filter(Boolean);

/** kr's words about a whole game; "" if it has not judged it. @param {Game} game */
const judgementOf = game => withoutCommands(game.comments.find(comment => comment.includes(OWN_GAME)) ?? "");

/**
 * All that is said of a game.
 * @param {Game} game
 * @param {Said} said words in the language of the page
 * @returns {GameText}
 */
export const gameText = (game, said) => ({
  title: SIDE_NAMES.map(name => stripped(game.headers.get(name) ?? "") || "?").join(" v "),
  facts: factsOf(game.headers, said),
  judgement: judgementOf(game),
  moves: movesOf(game),
  about: othersComments(game.comments),
  notes: notesOf(game),
  headers: [...game.headers].filter(([name, value]) => !SHOWN.includes(name) && without(value, UNKNOWN)),
});

/** Place and time of a game, as far as its tags have them. @param {Map<string, string>} headers @param {Said} said */
function factsOf(headers, said) {
  const tag = (/** @type {string} */ name) => headers.get(name) ?? "",
    round = without(tag("Round"), UNKNOWN);
  const facts = [
    stripped(tag("Event")),
    stripped(tag("Site")),
    // 1886 for 1886.??.??
    without(tag("Date").replace(/[-./]\?+/g, ""), UNKNOWN),
    /^\p{Nd}+$/u.test(round) ? said("round {number}", {number: round}) : round,
  ];
  return facts.filter(fact => without(fact, "?. -"));
}

/** A text without some characters around it. @param {string} text @param {string} characters */
function without(text, characters) {
  let [begin, end] = [0, text.length];
  while (begin < end && characters.includes(text[begin])) begin++;
  while (end > begin && characters.includes(text[end - 1])) end--;
  return text.slice(begin, end);
}

/** Notes on the moves that are marked, commented or have variations. @param {Game} game @returns {Note[]} */
function notesOf(game) {
  const notes = [];
  for (const [index, node] of game.mainline().entries()) {
    const ply = game.start.side + index,
      own = node.comments.filter(comment => comment.includes(OWN)),
      mark = own.map(comment => MARK.exec(comment)).find(Boolean);
    const note = {
      label: `${moveNumber(ply)} ${node.text}`,
      signs: node.nags.map(sign).join(""),
      kind: (mark && MARK_KINDS[mark[1]]) ?? "",
      words: own.map(withoutCommands).join(" "),
      comments: othersComments([...node.startingComments, ...node.comments]),
      lines: (node.parent?.variations.slice(1) ?? []).map(child => lineOf(child, ply)),
    };
    if (note.words || note.comments.length || note.lines.length) notes.push(note);
  }
  return notes;
}

/** The moves of a game, without all else. @param {Game} game */
function movesOf(game) {
  const line = new Line(game.start.side);
  for (const node of game.mainline()) line.addMove(node, false);
  return line.text;
}

/** A variation with all that is in it. @param {ChildNode} head @param {number} ply that of its first move */
function lineOf(head, ply) {
  const line = new Line(ply);
  line.addMove(head);
  // lines to continue, variations to begin; null ends the current variation
  /** @type {({after: GameNode} | {first: ChildNode} | null)[]} */
  const waiting = [{after: head}];
  while (waiting.length) {
    const step = waiting.pop();
    if (!step) {
      line.end();
      continue;
    }
    if ("first" in step) {
      waiting.push(null);
      line.begin();
      line.addMove(step.first);
    }
    /** @type {GameNode} */
    let node = "first" in step ? step.first : step.after;
    while (node.variations.length) {
      const [following, ...others] = node.variations;
      line.addMove(following);
      if (others.length) {
        waiting.push({after: following}, ...others.reverse().map(first => ({first})));
        break;
      }
      node = following;
    }
  }
  return line.text;
}

/** @param {number} ply that of a move, from 0 */
const moveNumber = ply => `${(ply >> 1) + 1}${ply % 2 ? "..." : "."}`;

/** @param {string} nag */
const sign = nag => SIGNS.get(nag) ?? (nag.startsWith("$") ? ` ${nag}` : nag);

/** A line of text that grows by moves. */
class Line {
  /** @type {string[]} */
  #words = [];
  #opening = "";
  #ply;
  /** Plies at the ends of the variations that are open. @type {number[]} */
  #plies = [];
  /** True if the next move needs a number, whoever plays it. */
  #isNumbered = true;

  /** @param {number} ply that of the first move */
  constructor(ply) {
    this.#ply = ply;
  }

  get text() {
    return this.#words.join(" ");
  }

  begin() {
    this.#plies.push(this.#ply);
    this.#ply--;
    this.#opening += "(";
    this.#isNumbered = true;
  }

  end() {
    this.#words[this.#words.length - 1] += ")";
    this.#ply = this.#plies.pop() ?? 0;
    this.#isNumbered = true;
  }

  /** @param {ChildNode} node @param {boolean} commented true for its comments too */
  addMove(node, commented = true) {
    if (commented) this.#addComments(node.startingComments);
    if (this.#ply % 2 === 0 || this.#isNumbered) this.#add(moveNumber(this.#ply));
    this.#ply++;
    this.#isNumbered = false;
    const starsFirst = [...node.nags].sort((a, b) => Number(a !== "*") - Number(b !== "*"));
    this.#add(node.text + starsFirst.map(sign).join(""));
    if (node.setup) {
      this.#add(`[set up: ${node.setup.fen}]`);
      this.#isNumbered = true;
    }
    if (commented) this.#addComments(node.comments);
  }

  /** @param {readonly string[]} comments */
  #addComments(comments) {
    for (const text of comments.map(withoutCommands)) if (text) this.#add(`[${text}]`);
  }

  /** @param {string} word */
  #add(word) {
    this.#words.push(this.#opening + word);
    this.#opening = "";
  }
}
