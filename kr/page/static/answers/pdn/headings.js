// Meaning of a game's tags: who plays Black, who begins, and the names of squares in its moves (kr/pdn/headings.py).

import {ENGLISH} from "./writer.js";
import {quoted} from "../text.js";
import {BLANK, wholeNumber, words} from "../blanks.js";
import {DraftLine, Fault, told} from "./drafts.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("./drafts.js").Draft} Draft */
/** @typedef {Map<string, string>} Tags */
/** @typedef {Map<string, number>} Squares numbers 1-32 by the names of squares */

// [GameType "21,B,8,8,N1,0"]: side that begins, files, rows, notation with the corner of its first square, invert flag
const GAME_TYPE = /^21,([WB])(?:,8,8(?:,([ANS])([0-3])(?:,([01]))?)?)?$/iu;
const VARIANT = /american|english|checkers/iu;
const OTHER_VARIANT = /pool|russian|brazil|czech|international/iu;
const SQUARE_NAME = /[a-h][1-8]|\p{Nd}+/giu;
const FEN_SIDE = new RegExp(`(?:^[^\\p{L}\\p{N}_]*|:[${BLANK}]*)[WB]`, "giu");
const FEN_ITEM = new RegExp(`(K?)(?:([a-h][1-8])|(\\p{Nd}{1,2})(?:[${BLANK}]*-[${BLANK}]*K?(\\p{Nd}{1,2}))?)`, "giu");
/** @type {Record<string, string>} */
const OTHER_SIDE = {W: "B", B: "W", w: "b", b: "w"};

/** @param {Tags} tags */
const plainGameType = tags => words(tags.get("GameType") ?? "").join("");

/**
 * The tags with the players as Black, who begins, and White, and a warning if a tag of theirs had another meaning. Red
 * begins, and P1 on sites without colours; a GameType may say that White does.
 * @param {Tags} tags
 * @returns {[Tags, Said]}
 */
export function settlePlayers(tags) {
  // a FEN names the side that begins, unless the GameType also says that White begins from the first squares
  const match = GAME_TYPE.exec(plainGameType(tags)),
    whiteBegins =
      match !== null && "Ww".includes(match[1]) && Boolean(match[2] || !words(tags.get("FEN") ?? "").length);
  /** @type {Record<string, string>} */
  let names = {};
  /** @type {Said} */
  let warning = "";
  if (tags.has("Red") && !(tags.has("Black") && tags.has("White"))) {
    if (tags.has("Black")) {
      names = {Red: "Black", Black: "White"};
      warning = told("pdn.red");
    } else names = whiteBegins ? {White: "Black", Red: "White"} : {Red: "Black"};
  } else if (tags.has("P1") && tags.has("P2") && !tags.has("Black") && !tags.has("White"))
    names = {P1: "Black", P2: "White"};
  else if (whiteBegins) names = {White: "Black", Black: "White"};
  if (names.White === "Black") warning = told("pdn.white_begins");
  if (!whiteBegins && !Object.keys(names).length) return [tags, warning];
  const settled = new Map([...tags].map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]));
  if (whiteBegins) {
    // the first W as B, then the first w too
    settled.set("GameType", (tags.get("GameType") ?? "").replace("W", "B").replace("w", "B"));
    const fen = settled.get("FEN");
    if (fen !== undefined)
      settled.set(
        "FEN",
        fen.replace(FEN_SIDE, side => side.replace(/[WBwb]/g, letter => OTHER_SIDE[letter])),
      );
  }
  return [settled, warning];
}

/**
 * Writes the moves and FEN of a draft with the numbers of kr's squares for the names that its tags give them. Returns a
 * warning if that changed something. Letters stay where no tag says that the game is English draughts: with letters
 * Russian, Brazilian and Czech games look alike. Throws a Fault for a FEN with squares that its board lacks.
 * @param {Draft} draft
 * @returns {Said}
 */
export function numberSquares(draft) {
  const gameType = plainGameType(draft.tags),
    match = GAME_TYPE.exec(gameType);
  let kind = "",
    corner = 0,
    inverted = false;
  if (match?.[2]) {
    kind = match[2].toUpperCase();
    corner = Number(match[3]);
    inverted = match[4] === "1";
  }
  const variant = draft.tags.get("Variant") ?? "",
    isEnglish =
      gameType.split(",")[0] === ENGLISH || (!gameType && VARIANT.test(variant) && !OTHER_VARIANT.test(variant));
  const byLetters = kind === "A",
    letters = isEnglish ? squaresNamed("A", byLetters ? corner : 0, inverted && byLetters) : null,
    renumbered = (kind === "N" || kind === "S") && !(corner === 1 && !inverted),
    numbers = renumbered ? squaresNamed("N", corner, inverted) : null;
  if (!letters && !numbers) return "";
  /** @type {Said} */
  let first = "";
  if (kind && !(byLetters && corner === 0 && !inverted)) first = numberStart(draft, letters, numbers);
  /** @type {DraftLine[]} */
  const lines = [draft];
  for (const line of lines) {
    // letters come after digits, and nearly all games have none
    const isNamed = numbers || line.moves.some(move => move >= "A");
    for (const [index, text] of isNamed ? line.moves.entries() : []) {
      const names = /^[a-h]/i.test(text) ? letters : numbers;
      if (!names) continue;
      const written = text.match(SQUARE_NAME) ?? [],
        squares = written.map(name => names.get(name.toLowerCase().replace(/^0+/, "")));
      if (squares.includes(undefined)) continue;
      line.moves[index] = squares.join(/[x:]/i.test(text) ? "x" : "-");
      first ||= told("pdn.read_as", {text, read: line.moves[index]});
    }
    for (const [, note] of line.notes) if (note instanceof DraftLine) lines.push(note);
  }
  if (numbers && (first || draft.setup || draft.tags.has("FEN"))) draft.tags.set("GameType", ENGLISH);
  if (!first) return "";
  return told(numbers ? "pdn.corner" : "pdn.letters", {example: first});
}

/**
 * Writes the FEN of a draft with the numbers of kr's squares. Returns a note of the change, or "".
 * @param {Draft} draft
 * @param {Squares | null} letters
 * @param {Squares | null} numbers
 */
function numberStart(draft, letters, numbers) {
  const [fen, offset] = draft.setup ?? [draft.tags.get("FEN") ?? "", draft.tagOffsets.get("FEN") ?? 0];
  let plain = "";
  try {
    plain = renumbered(fen, letters, numbers);
  } catch (error) {
    if (!(error instanceof NoSquare)) throw error;
    const why = told("pdn.no_square", {square: error.square});
    throw new Fault(offset, told("pdn.bad_fen", {fen: quoted(fen), why, type: plainGameType(draft.tags)}));
  }
  if (draft.setup) draft.setup = [plain, offset];
  else if (fen) draft.tags.set("FEN", plain);
  return plain === fen ? "" : told("pdn.fen_read_as", {fen, read: plain});
}

class NoSquare extends Error {
  /** @param {string} square */
  constructor(square) {
    super();
    this.square = square;
  }
}

/**
 * A FEN with the numbers of kr's squares.
 * @param {string} fen
 * @param {Squares | null} letters
 * @param {Squares | null} numbers
 */
function renumbered(fen, letters, numbers) {
  /** @param {string} item @param {string} king @param {string} letter @param {string} low @param {string} high */
  const numbered = (item, king, letter, low, high) => {
    const list = letter ? letters : numbers;
    if (!list) return item;
    /** @type {string[]} */
    const names = letter ? [letter.toLowerCase()] : [];
    if (!letter) for (let i = wholeNumber(low), end = wholeNumber(high || low); i <= end; i++) names.push(String(i));
    const lost = names.find(name => !list.has(name));
    if (lost !== undefined) throw new NoSquare(lost);
    return names.map(name => `${king}${list.get(name)}`).join(",");
  };
  const fields = fen.split(":");
  for (const index of [1, 2]) {
    const field = fields[index];
    if (field === undefined) continue;
    // a list begins with the letter of its side, which is not part of a square
    const blanks = field.length - field.replace(new RegExp(`^[${BLANK}]+`, "u"), "").length,
      start = blanks + ((field.codePointAt(blanks) ?? 0) > 0xffff ? 2 : 1);
    fields[index] = field.slice(0, start) + field.slice(start).replace(FEN_ITEM, numbered);
  }
  return fields.join(":");
}

/** @type {Map<string, Squares>} */
const named = new Map();

/**
 * Numbers 1-32 of kr by the names of squares, letters (A) or numbers (N).
 * @param {string} kind
 * @param {number} corner of the first square, as the side that begins sees the board: bottom left, bottom right, top
 *   left, top right
 * @param {boolean} inverted the bottom left corner is not played on; such a board is kr's in a mirror
 */
function squaresNamed(kind, corner, inverted) {
  const key = `${kind}${corner}${inverted}`,
    known = named.get(key);
  if (known) return known;
  const ascending = [0, 1, 2, 3, 4, 5, 6, 7],
    descending = [...ascending].reverse(),
    isLow = corner === 0 || corner === 1,
    isLeft = corner === 0 || corner === 2;
  /** @type {Squares} */
  const names = new Map();
  for (const row of isLow ? ascending : descending) {
    for (const file of isLeft ? ascending : descending) {
      if ((row + file) % 2 !== Number(inverted)) continue;
      const letter = isLeft ? file : 7 - file,
        rank = isLow ? row : 7 - row,
        name = kind === "A" ? `${"abcdefgh"[letter]}${rank + 1}` : String(names.size + 1),
        column = inverted ? 7 - file : file;
      names.set(name, 4 * row + 4 - (column >> 1));
    }
  }
  named.set(key, names);
  return names;
}
