// Games to PDN text (kr/pdn/writer.py).

import {Position} from "../rules.js";
import {KrError, quoted} from "../text.js";
import {beginning, lengthOf, linesOf, stripped, words} from "../blanks.js";
import {RESULTS} from "./tree.js";

/** @typedef {import("./tree.js").Game} Game */
/** @typedef {import("./tree.js").GameNode} GameNode */
/** @typedef {import("./tree.js").ChildNode} ChildNode */
/** @typedef {"english" | "white"} Results meaning of "1-0": Black, who begins, won (english), or White won (white) */

/** @type {Results[]} */
export const RESULT_CONVENTIONS = ["english", "white"];
export const ENGLISH = "21";
const LINE_WIDTH = 79;
/** Tags of every game in normal form, in this order. */
const ROSTER = ["Event", "Site", "Date", "Round", "Black", "White", "Result"];
const SETUP_TAGS = ["FEN", "SetUp", "Setup"];
const UNKNOWN = new Map([
  ["Date", "????.??.??"],
  ["Result", "*"],
]);
const TURNED = new Map([
  ["1-0", "0-1"],
  ["0-1", "1-0"],
  ["2-0", "0-2"],
  ["0-2", "2-0"],
]);
const DASHES = /[\u2010-\u2014\u2212]/gu;
/** Other ways of writing a result; two points for a win are those of PDN 3.0. */
const RESULT_FORMS = new Map([
  ["2-0", "1-0"],
  ["0-2", "0-1"],
  ["1-1", "1/2-1/2"],
  ["1/2", "1/2-1/2"],
  ["½-½", "1/2-1/2"],
  ["½", "1/2-1/2"],
]);

export const TAG_NAME = /^[\p{L}\p{N}_]+$/u;
export const NAG = /^(?:\$\p{Nd}{1,3}|\([!?]+\)|[!?]+|\*)$/u;
/** Signs of the judgements that have a number too. */
export const SIGNS = new Map([
  ["$1", "!"],
  ["$2", "?"],
  ["$3", "!!"],
  ["$4", "??"],
  ["$5", "!?"],
  ["$6", "?!"],
  ["$7", "*"],
  ["$8", "*"],
]);

/** A result in its form in RESULTS; any other text unchanged. @param {string} text */
export function plainResult(text) {
  const plain = text.replace(DASHES, "-").replaceAll(" ", ""),
    result = RESULT_FORMS.get(plain) ?? plain;
  return RESULTS.includes(result) ? result : text;
}

/** A result, as text, in the other convention for the player named first. @param {string} result */
export const turned = result => TURNED.get(result) ?? TURNED.get(plainResult(stripped(result))) ?? result;

/**
 * PDN of a game, ending with a newline; reading it gives an equal game. Tags are written unchanged. FEN is canonical,
 * and added if the game does not begin at the usual start.
 * @param {Game} game
 * @param {{results?: Results}} [options]
 */
export function writeGame(game, {results = "english"} = {}) {
  const told = (/** @type {string} */ result) => (results === "white" ? turned(result) : result),
    tags = writtenTags(game, told),
    moves = new MoveText(game.start.side);
  moves.writeFrom(game);
  moves.add(told(game.result));
  const header = [...tags].map(([name, value]) => `[${name} "${escaped(value)}"]\n`);
  return `${header.join("")}\n${moves.wrapped()}\n`;
}

/**
 * Brings a game into normal form: the tags of ROSTER first, in order, GameType last, and a single result. Empty tags
 * become "?", and the Result tag agrees with the result. Judgements $1 to $8 become signs.
 * @param {Game} game
 */
export function normalise(game) {
  const {headers} = game,
    own = new Set([...ROSTER, ...SETUP_TAGS, "GameType"]),
    first = ROSTER.map(name => [name, stripped(headers.get(name) ?? "") || (UNKNOWN.get(name) ?? "?")]),
    rest = [...headers].filter(([name]) => !own.has(name));
  game.headers = new Map(/** @type {[string, string][]} */ ([...first, ...rest, ["GameType", ENGLISH]]));
  game.headers.set("Result", game.result);
  for (const node of game.descendants())
    if (node.nags.length) node.nags = [...new Set(node.nags.map(nag => SIGNS.get(nag) ?? nag))];
}

/** Brings a game of a page into a form that can be written, the normal one. @param {Game} game */
export function writable(game) {
  // comments that PDN can't write as they are go into one line
  for (const node of [game, ...game.descendants()])
    node.comments = node.comments.map(text => (text.includes("}") ? words(text).join(" ") : text));
  normalise(game);
}

/** @param {Game} game @param {(result: string) => string} told */
function writtenTags(game, told) {
  const tags = new Map(game.headers);
  for (const name of tags.keys())
    if (!TAG_NAME.test(name))
      throw new KrError(`a tag can't be called ${quoted(name)}: letters, digits and _ only`, "pdn");
  if (tags.has("FEN") || !game.start.equals(new Position())) {
    if (!tags.has("SetUp") && !tags.has("Setup")) tags.set("SetUp", "1");
    tags.set("FEN", game.start.fen);
  }
  const result = tags.get("Result");
  if (result !== undefined) tags.set("Result", told(result));
  return tags;
}

/** @param {string} value */
function escaped(value) {
  const line = /[\n\r]/.test(value) ? linesOf(value).join(" ") : value;
  return line.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** The moves of a game with their numbers, judgements, comments and variations, in units that lines are made of. */
class MoveText {
  /** @type {string[]} */
  #units = [];
  #ply;
  /** Plies at the ends of the variations that are open. @type {number[]} */
  #plies = [];
  /** True if the next move needs a number, even one of White. */
  #numbered = true;
  #opening = "";
  /** True directly after a move. */
  #touching = false;

  /** @param {number} ply number of the first move, from 0: an even one is Black's */
  constructor(ply) {
    this.#ply = ply;
  }

  /** Writes what a node and all after it hold. @param {GameNode} start */
  writeFrom(start) {
    this.#writeNotes(start);
    // lines to continue, variations to begin; null ends the current variation
    /** @type {({after: GameNode} | {first: ChildNode} | null)[]} */
    const waiting = [{after: start}];
    while (waiting.length) {
      const step = waiting.pop();
      if (!step) {
        this.#endVariation();
      } else if ("after" in step) {
        for (const following of this.#writeLine(step.after)) waiting.push(following);
      } else {
        this.#beginVariation();
        this.#writeMove(step.first);
        waiting.push(null, {after: step.first});
      }
    }
  }

  /**
   * Writes the moves after a node, up to the first that has variations.
   * @param {GameNode} start
   * @returns {({after: GameNode} | {first: ChildNode})[]} what follows it, from the last to the first
   */
  #writeLine(start) {
    for (let node = start.next(); node; node = node.next()) {
      this.#writeMove(node);
      const {variations = []} = node.parent ?? {};
      if (variations.length > 1)
        return [
          {after: node},
          ...variations
            .slice(1)
            .reverse()
            .map(first => ({first})),
        ];
    }
    return [];
  }

  /** @param {string} unit */
  add(unit) {
    this.#units.push(this.#opening + unit);
    this.#opening = "";
  }

  /** The units joined by blanks into lines; one that begins with % gets its own line. */
  wrapped() {
    /** @type {string[][]} */
    const lines = [[]];
    let width = 0;
    for (const unit of this.#units) {
      const length = lengthOf(unit);
      if (unit.startsWith("%")) {
        lines.push([unit], []);
        width = 0;
      } else if (width && width + 1 + length > LINE_WIDTH) {
        lines.push([unit]);
        width = length;
      } else {
        lines[lines.length - 1].push(unit);
        width += length + (width ? 1 : 0);
      }
    }
    const filled = lines.filter(line => line.length);
    return `${filled.map(line => line.join(" ")).join("\n")}\n`;
  }

  #beginVariation() {
    this.#plies.push(this.#ply);
    this.#ply = Math.max(this.#ply - 1, 0);
    this.#opening += "(";
    this.#numbered = true;
    this.#touching = false;
  }

  #endVariation() {
    const last = this.#units.length - 1;
    if (this.#opening || /^\(?%/.test(this.#units[last])) this.add(")");
    else this.#units[last] += ")";
    this.#ply = this.#plies.pop() ?? 0;
    this.#numbered = true;
    this.#touching = false;
  }

  /** @param {ChildNode} node */
  #writeMove(node) {
    for (const comment of node.startingComments) this.#writeComment(comment);
    if (this.#ply % 2 === 0) this.add(`${this.#ply / 2 + 1}.`);
    else if (this.#numbered) this.add(`${(this.#ply + 1) / 2}...`);
    this.add(node.text);
    this.#ply++;
    this.#numbered = false;
    this.#touching = true;
    this.#writeNotes(node);
  }

  /** @param {GameNode} node */
  #writeNotes(node) {
    // a star that touches no move is a result
    for (const nag of node.nags) if (nag === "*") this.#writeNag(nag);
    for (const nag of node.nags) if (nag !== "*") this.#writeNag(nag);
    if (node.setup) {
      this.add(`/FEN "${node.setup.fen}"/`);
      this.#touching = false;
      this.#numbered = true;
    }
    for (const comment of node.comments) this.#writeComment(comment);
  }

  /** @param {string} nag */
  #writeNag(nag) {
    if (!NAG.test(nag))
      throw new KrError(`${quoted(nag)} is not a judgement of a move such as !, ?!, (!), * or $3`, "pdn");
    if (!nag.startsWith("$") && this.#touching) this.#units[this.#units.length - 1] += nag;
    else this.add(nag === "*" ? "$7" : nag);
    this.#touching = false;
  }

  /** @param {string} comment */
  #writeComment(comment) {
    const text = comment.replace(/\r\n?/g, "\n");
    this.#touching = false;
    if (!text.includes("}")) {
      this.add(`{${text}}`);
    } else if (!text.includes("\n")) {
      if (this.#opening) this.add("");
      this.#units.push(`% ${text}`);
    } else {
      throw new KrError(`a comment of several lines can't hold a closing brace: ${quoted(beginning(text, 20))}`, "pdn");
    }
  }
}
