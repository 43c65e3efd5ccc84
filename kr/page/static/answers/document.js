// Games as JSON for the page: a flat list of nodes, in place of a tree too deep to nest (kr/viewer/document.py, whose
// beginning describes the fields).

import {formatFen, formatPath, SQUARES} from "./notation.js";
import {beginning, lengthOf} from "./blanks.js";
import {distinct, drawnText, SHAPE_COLOURS, splitDrawn} from "./pdn/commands.js";
import {checked, movesNamed} from "./pdn/replay.js";
import {ChildNode, Game} from "./pdn/tree.js";
import {NAG, TAG_NAME} from "./pdn/writer.js";
import {Move, moveJson, NO_PROGRESS_PLIES, Position, ruleOf} from "./rules.js";
import {grouped, KrError, quoted, wholeCharacters} from "./text.js";

/** @typedef {import("./pdn/tree.js").GameNode} GameNode */
/** @typedef {import("./pdn/commands.js").DrawnArrow} DrawnArrow */
/** @typedef {import("./pdn/commands.js").DrawnCircle} DrawnCircle */
/** @typedef {Record<string, any>} Fields */

/** Most nodes of a document that is read. */
export const MOST_NODES = 20_000;
/** Most characters of all its headers, comments and judgements together. */
export const MOST_CHARACTERS = 1_000_000;

const FIELDS = ["headers", "start", "result", "nodes"];
// a move by the grammar of PDN, so that a text is one move when it is written
const MOVE_TEXT = /^(?:[0-9]{1,3}(?: ?[-x:] ?[0-9]{1,3})+|[a-h][1-8](?:[-x:]?[a-h][1-8])+)$/;
const LONGEST_MOVE = 100;

/** A game as JSON. @param {Game} game */
export function gameDocument(game) {
  /** @type {Fields[]} */
  const nodes = [{parent: null, fen: game.start.fen, ...remarks(game), nags: [...game.nags]}];
  /** @type {Map<GameNode | null, number>} */
  const numbers = new Map([[game, 0]]);
  const draws = drawsOf(game);
  for (const node of game.descendants()) {
    const draw = draws.get(node);
    numbers.set(node, nodes.length);
    nodes.push({
      parent: numbers.get(node.parent),
      ...(node.isLegal ? moveJson(node.move) : {text: node.text, path: [], captured: []}),
      fen: node.isLegal ? formatFen(node.position) : null,
      ...(node.setup && {setup: true}),
      ...remarks(node),
      nags: [...node.nags],
      ...(draw && {draw}),
    });
  }
  return {headers: Object.fromEntries(game.headers), start: game.start.fen, result: game.result, nodes};
}

/** The rules by which the game, or a variation, can be claimed drawn, by the node. @param {Game} game */
function drawsOf(game) {
  /** @type {Map<GameNode, string>} */
  const rules = new Map();
  // plies before a node that kings made without a capture, and how often its position has been on the board
  /** @type {Map<GameNode | null, {quiet: number, nth: number}>} */
  const reached = new Map([[game, {quiet: 0, nth: 1}]]);
  for (const node of game.descendants()) {
    const {parent} = node;
    if (!node.isLegal || !parent) continue;
    const {move, position} = node,
      lasting = move.isCapture || !((parent.position.kings >>> move.origin) & 1) || node.setup,
      quiet = lasting ? 0 : (reached.get(parent)?.quiet ?? 0) + 1;
    let nth = 1;
    /** @type {GameNode | null} */
    let before = parent;
    for (let back = Math.min(quiet, NO_PROGRESS_PLIES); back && before; back--, before = before.parent)
      if (before.position.equals(position)) {
        nth += reached.get(before)?.nth ?? 0;
        break;
      }
    reached.set(node, {quiet, nth});
    const rule = ruleOf(nth, quiet);
    if (rule) rules.set(node, rule);
  }
  return rules;
}

/** Comments of a node as lists of texts, and their arrows and circles. @param {GameNode} node */
function remarks(node) {
  /** @type {DrawnArrow[]} */
  const arrows = [];
  /** @type {DrawnCircle[]} */
  const circles = [];
  /** @param {string[]} comments */
  const remaining = comments =>
    comments.map(splitDrawn).flatMap(({text, arrows: drawn, circles: ringed}) => {
      arrows.push(...drawn);
      circles.push(...ringed);
      return text || !(drawn.length || ringed.length) ? [text] : [];
    });
  /** @type {Fields} */
  const fields = {comments: remaining(node.comments)};
  if (node instanceof ChildNode) fields.starting_comments = remaining(node.startingComments);
  if (arrows.length)
    fields.arrows = distinct(arrows).map(each => ({colour: each.colour, from: each.origin + 1, to: each.target + 1}));
  if (circles.length) fields.circles = distinct(circles).map(each => ({colour: each.colour, square: each.square + 1}));
  return fields;
}

/** The game of a document, every move checked by the rules. Only `start` is needed. @param {unknown} document */
export const readDocument = document => new Reading(document).game;

/** @param {string} why @param {string} [kind] @returns {never} */
function refuse(why, kind = "pdn") {
  throw new KrError(why, kind);
}

/** @param {unknown} value @returns {value is Fields} */
const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const isSquare = value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= SQUARES;

/** A document being read; texts are counted as they are taken. */
class Reading {
  #left = MOST_CHARACTERS;
  /** @type {GameNode[]} */
  #read = [];
  // legal moves of the main line are a game, illegal ones only stand in variations
  /** @type {boolean[]} */
  #aside = [];

  /** @param {unknown} document */
  constructor(document) {
    if (!isObject(document)) refuse("a game is a JSON object");
    const unknown = Object.keys(document).filter(name => !FIELDS.includes(name));
    if (unknown.length)
      refuse(`a game has no field ${quoted(beginning(unknown.sort()[0], 40))}; it has ${FIELDS.join(", ")}`);
    const start = Position.fromFen(this.#text(document.start, "start"));
    this.game = new Game(this.#headers(document.headers), start);
    this.game.result = this.#text(document.result === undefined ? "*" : document.result, "result");
    const {nodes = []} = document;
    if (!Array.isArray(nodes)) refuse("nodes is not a list");
    if (nodes.length > MOST_NODES) refuse(`a game of ${nodes.length} nodes; at most ${MOST_NODES}`);
    for (const [number, node] of nodes.entries()) {
      if (!isObject(node)) refuse(`node ${number} is not an object`);
      this.#add(number, node);
    }
  }

  /** @param {unknown} source */
  #headers(source) {
    /** @type {Map<string, string>} */
    const headers = new Map();
    if (source === undefined || source === null) return headers;
    if (!isObject(source)) refuse("headers is not an object");
    for (const [name, given] of Object.entries(source)) {
      if (!TAG_NAME.test(name))
        refuse(`a header can't be called ${quoted(beginning(name, 40))}: letters, digits and _ only`);
      const value = this.#text(given, `header ${beginning(name, 40)}`);
      headers.set(this.#text(name, "a header's name"), value);
    }
    return headers;
  }

  /** @param {number} number @param {Fields} fields */
  #add(number, fields) {
    const parent = fields.parent ?? null;
    if ((number === 0) !== (parent === null)) refuse(`node ${number}: only node 0, the start, is without a parent`);
    /** @type {GameNode} */
    let node = this.game;
    if (number === 0) {
      this.#aside.push(false);
    } else {
      if (!Number.isInteger(parent) || parent < 0 || parent >= number)
        refuse(`node ${number}: its parent is not the number of a node before it`);
      const before = this.#read[parent];
      this.#aside.push(this.#aside[parent] || before.variations.length > 0);
      const move = this.#move(number, before, fields),
        child = new ChildNode(before, move, this.#setup(number, before, move, fields));
      before.variations.push(child);
      child.startingComments = this.#texts(number, fields, "starting_comments");
      node = child;
    }
    node.comments = this.#texts(number, fields, "comments");
    const drawn = this.#drawn(number, fields);
    if (drawn) node.comments.push(drawn);
    node.nags = this.#texts(number, fields, "nags");
    for (const nag of node.nags)
      if (!NAG.test(nag))
        refuse(`node ${number}: ${quoted(beginning(nag, 20))} is not a judgement of a move such as ! or $3`);
    this.#read.push(node);
  }

  /** @param {number} number @param {GameNode} before @param {Fields} fields @returns {Move | string} */
  #move(number, before, fields) {
    const path = fields.path ?? null;
    if (path !== null && !(Array.isArray(path) && !path.length) && before.isLegal) {
      if (!Array.isArray(path) || path.length < 2 || path.length > SQUARES || !path.every(isSquare))
        refuse(`node ${number}: path is not a list of squares from 1 to 32`);
      return byPath(number, before.position, path.join("-"));
    }
    const text = this.#text(fields.text, `node ${number}: text`);
    if (text.length > LONGEST_MOVE || !MOVE_TEXT.test(text))
      refuse(`node ${number}: ${quoted(beginning(text, 40))} is not a move: write it as 11-15 or 22x15`);
    if (!before.isLegal) return text;
    try {
      movesNamed(before.position, text);
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      if (this.#aside[number]) return text;
      refuse(`node ${number}: ${error.message}`, "move");
    }
    return checked(before.position, text);
  }

  /** @param {number} number @param {GameNode} before @param {Move | string} move @param {Fields} fields */
  #setup(number, before, move, fields) {
    const {setup = false} = fields;
    if (setup === false) return null;
    if (setup !== true) refuse(`node ${number}: setup is neither true nor false`);
    const position = Position.fromFen(this.#text(fields.fen, `node ${number}: fen`));
    if (typeof move === "string") refuse(`node ${number}: no position can be set up after ${move}, which is not legal`);
    if (position.side === before.position.side)
      refuse(`node ${number}: ${position.fen} can't be set up there: the other side is to move`);
    return position;
  }

  /**
   * The arrows and circles of a node as commands of a comment; "" if it has none.
   * @param {number} number
   * @param {Fields} fields
   */
  #drawn(number, fields) {
    const arrows = this.#shapes(number, fields, "arrows", ["from", "to"]).map(
        ({colour, from, to}) => /** @type {DrawnArrow} */ ({colour, origin: from - 1, target: to - 1}),
      ),
      circles = this.#shapes(number, fields, "circles", ["square"]).map(
        ({colour, square}) => /** @type {DrawnCircle} */ ({colour, square: square - 1}),
      );
    const drawn = drawnText(distinct(arrows), distinct(circles));
    this.#left -= drawn.length;
    return drawn;
  }

  /**
   * @param {number} number
   * @param {Fields} fields
   * @param {string} name
   * @param {string[]} squares
   * @returns {Fields[]}
   */
  #shapes(number, fields, name, squares) {
    const shapes = this.#list(number, fields, name);
    for (const shape of shapes) {
      const colour = isObject(shape) && SHAPE_COLOURS.split("").includes(shape.colour);
      if (colour && squares.every(square => isSquare(shape[square]))) continue;
      const form = squares.map(square => `"${square}": 1 to 32`).join(", ");
      refuse(`node ${number}: ${name} are {"colour": one of ${SHAPE_COLOURS}, ${form}}`);
    }
    return shapes;
  }

  /** @param {number} number @param {Fields} fields @param {string} name @returns {any[]} */
  #list(number, fields, name) {
    const listed = fields[name];
    if (listed === undefined) return [];
    return Array.isArray(listed) ? listed : refuse(`node ${number}: ${name} is not a list`);
  }

  /** @param {number} number @param {Fields} fields @param {string} name */
  #texts(number, fields, name) {
    return this.#list(number, fields, name).map(text => this.#text(text, `node ${number}: one of ${name}`));
  }

  /** @param {unknown} value @param {string} what @returns {string} */
  #text(value, what) {
    if (typeof value !== "string")
      return refuse(`${what} is ${value === undefined || value === null ? "missing" : "not text"}`);
    this.#left -= lengthOf(value) + 1;
    if (this.#left < 0) refuse(`a game with more than ${grouped(MOST_CHARACTERS)} characters of text`);
    return wholeCharacters(value);
  }
}

/**
 * The legal move along squares.
 * @param {number} number
 * @param {Position} position
 * @param {string} steps 1-32, such as "9-13"
 */
function byPath(number, position, steps) {
  const entry = position.entries.find(entry => formatPath(entry.path, false) === steps);
  if (entry) return checked(position, new Move(entry.path, entry.captured));
  const legal = position.legalMoves().join(", ") || "none";
  return refuse(`node ${number}: ${steps} is not legal; legal moves: ${legal}`, "move");
}
