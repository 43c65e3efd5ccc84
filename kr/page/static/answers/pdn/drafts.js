// Games as written, whose moves are not yet checked, and what is noted while they are read (kr/pdn/grammar.py).

import {quoted} from "../text.js";
import {beginning, stripped} from "../blanks.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../rules.js").Position} Position */
/** @typedef {string | Judgement | DraftSetup | DraftLine} DraftNote */
/** @typedef {[number, DraftNote]} PlacedNote a note, and the number of moves before it */

/** Parts left out of a game that are reported. */
export const MOST_LEFT_OUT = 20;

/** The buffer ends before the text there can be judged. */
export class NeedMore extends Error {}

/**
 * A sentence of kr/language.
 * @param {string} say its name
 * @param {Record<string, Said>} [values]
 */
export const told = (say, values = {}) => ({say, with: values});

/** An error at an offset of the buffer; `resume` is the offset at which to look for the next game. */
export class Fault extends Error {
  /** @param {number} offset @param {Said} why @param {number} [resume] */
  constructor(offset, why, resume = offset) {
    super();
    this.offset = offset;
    this.why = why;
    this.resume = resume;
  }
}

/** Moves of a line as written, with the notes between them. */
export class DraftLine {
  constructor() {
    /** @type {string[]} */
    this.moves = [];
    /** Offset of each move in the buffer. @type {number[]} */
    this.offsets = [];
    /** Comments, judgements, setups and variations, each with the number of moves before it. @type {PlacedNote[]} */
    this.notes = [];
    /** Number of moves before an unknown one; null if all are known. @type {number | null} */
    this.known = null;
    /** The unknown one as written, if it can't be read; of the line that was played alone. */
    this.illegible = "";
  }

  /** Number of moves that can be replayed. */
  get played() {
    return this.known ?? this.moves.length;
  }
}

/** A setup command after a move. */
export class DraftSetup {
  /** @param {string} fen @param {number} offset in the buffer */
  constructor(fen, offset) {
    this.fen = fen;
    this.offset = offset;
    /** The position, once it has been set up. @type {Position | null} */
    this.board = null;
  }

  /** The command as PDN has it. */
  get text() {
    return `/FEN "${this.fen}"/`;
  }
}

/** A judgement of a move as written: "!?", "(!)", "*" or "$3". */
export class Judgement {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** A game as written. */
export class Draft extends DraftLine {
  constructor() {
    super();
    /** Offset of its beginning in the buffer; -1 until it is known. */
    this.offset = -1;
    /** @type {Map<string, string>} */
    this.tags = new Map();
    /** @type {Map<string, number>} */
    this.tagOffsets = new Map();
    /** Offset of the first tag after the last empty line among the tags. */
    this.block = 0;
    /** Offset behind the last tag. */
    this.tagsEnd = 0;
    /** FEN of a setup command before the first move, and its offset. @type {[string, number] | null} */
    this.setup = null;
    /** @type {string | null} */
    this.result = null;
    /** @type {Said[]} */
    this.warnings = [];
    /** Text left out by a forgiving buffer. @type {Fault[]} */
    this.leftOut = [];
  }
}

/** Notes a warning at a place. @param {Draft} draft @param {number} offset @param {Said} why */
export function warn(draft, offset, why) {
  if (draft.leftOut.length < MOST_LEFT_OUT) draft.leftOut.push(new Fault(offset, why));
}

/**
 * True if a tag that the game has already belongs to it: both stand in one block, without an empty line.
 * @param {Draft} draft
 * @param {string} name
 * @param {string} value
 * @param {number} begin
 */
export function repeats(draft, name, value, begin) {
  if (/** @type {number} */ (draft.tagOffsets.get(name)) < draft.block) return false;
  if (value === draft.tags.get(name)) return true;
  if (name === "FEN" || name === "GameType")
    throw new Fault(begin, told("pdn.second_tag", {name, value: quoted(beginning(value, 40))}));
  warn(draft, begin, told("pdn.second_tag_kept", {name, value: quoted(beginning(value, 60))}));
  draft.notes.push([0, `${name}: ${value}`]);
  return true;
}

/**
 * A setup command: the start of a game, or the position after a move.
 * @param {Draft} draft
 * @param {DraftLine} line
 * @param {string} fen
 * @param {number} begin
 */
export function setUp(draft, line, fen, begin) {
  if (line === draft && !line.moves.length && !draft.setup && !stripped(draft.tags.get("FEN") ?? "")) {
    draft.setup = [fen, begin];
    return;
  }
  const setup = new DraftSetup(stripped(fen), begin),
    count = line.moves.length;
  if (count && line.known === null) {
    const values = {move: line.moves[count - 1], fen: beginning(setup.fen, 120)};
    warn(draft, begin, told("pdn.setup_within", values));
    line.notes.push([count, setup]);
    return;
  }
  if (line.known === null) {
    line.known = 0;
    warn(draft, begin, told("pdn.setup_first"));
  }
  line.notes.push([count, setup.text]);
}

/** Notes words outside braces as a comment. @param {DraftLine} line @param {Draft} draft @param {string} said */
export function say(line, draft, said) {
  line.notes.push([line.moves.length, said]);
  draft.warnings.push(told("pdn.outside", {text: quoted(beginning(said, 60))}));
}

/** A move with separators that kr's notation reads. @param {string} text */
export const plainMove = text => text.replace(/[X\u00d7]/g, "x").replace(/[\u2010-\u2014\u2212]/g, "-");
