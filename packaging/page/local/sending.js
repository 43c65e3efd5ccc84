// A game or a position to send, as kr/web/sending.py: as a page that needs no server, as a picture, as an animated one.

import {SQUARES} from "./notation.js";
import {lengthOf} from "./blanks.js";
import {SHAPE_COLOURS} from "./pdn/commands.js";
import {board, COORDINATES, PIECES, STYLES} from "./svg.js";
import {grouped, KrError} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */
/** @typedef {import("./rules.js").Move} Move */

/** Moves of an animated picture. */
const MOST_GIF_PLIES = 400;
/** Arrows and circles of a picture, each. */
const MOST_SHAPES = 200;
/** Texts of a language, and their characters. */
const MOST_TEXTS = 5000,
  MOST_TEXT_CHARACTERS = 300_000;
const DIGITS = Uint8Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", each =>
  each.charCodeAt(0),
);
const PADDING = 61;
const COLOURS = SHAPE_COLOURS.split("");
const DRAWN = ["drawn green", "drawn red", "drawn yellow", "drawn blue"];

/**
 * A game as a page of HTML in one file, with all that its comments tell.
 * @param {House} house
 * @param {PageRequest} request
 */
async function sendPage(house, request) {
  const {style, pieces, coordinates, flipped} = looksOf(request),
    looks = {language: languageOf(request), texts: textsOf(request), board: style, pieces, coordinates, flipped};
  const game = await request.document(),
    [{gamePage}, shell, drawing] = await Promise.all([
      import("./game_page.js"),
      house.data("game-page"),
      house.data("drawing"),
    ]);
  return {html: gamePage(game, looks, shell, drawing)};
}

/** Moves from a position as an animated GIF, in base64. @param {House} house @param {PageRequest} request */
async function sendGif(house, request) {
  const start = request.position("start");
  /** @type {Move[]} */
  const moves = [];
  let position = start;
  for (const text of request.texts("moves", MOST_GIF_PLIES, 100)) {
    moves.push(position.parseMove(text));
    position = position.play(moves[moves.length - 1]);
  }
  const looks = looksOf(request),
    [{animation}, pictures] = await Promise.all([import("./gif.js"), house.data("pictures")]),
    content = await animation(pictures, start, moves, looks);
  return {gif: base64(content)};
}

/** Bytes as base64; that of btoa, which would take text, is slow for megabytes. @param {Uint8Array} bytes */
function base64(bytes) {
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3)).fill(PADDING);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const three = (bytes[from] << 16) | (bytes[from + 1] << 8) | bytes[from + 2],
      digits = Math.min(bytes.length - from, 3) + 1;
    for (let digit = 0; digit < digits; digit++) text[to + digit] = DIGITS[(three >> (18 - 6 * digit)) & 63];
  }
  return new TextDecoder().decode(text);
}

/**
 * A position as SVG, with the squares of the move before it marked, and arrows and circles.
 * @param {House} house
 * @param {PageRequest} request
 */
async function positionPicture(house, request) {
  const path = request.squares("last", []),
    square = (/** @type {PageRequest} */ shape, /** @type {string} */ name) => shape.number(name, 1, SQUARES) - 1;
  const arrows = [
    ...request.objects("circles", MOST_SHAPES, []).map(each => ({path: [square(each, "square")], colour: drawn(each)})),
    ...request
      .objects("arrows", MOST_SHAPES, [])
      .map(each => ({path: [square(each, "from"), square(each, "to")], colour: drawn(each)})),
  ];
  const position = request.position(),
    looks = looksOf(request),
    touched = path.length > 1 ? path : [];
  return {svg: board(await house.data("drawing"), position, looks, {touched, arrows})};
}

/** The name of a shape's colour. @param {PageRequest} shape */
const drawn = shape => DRAWN[COLOURS.indexOf(shape.choice("colour", COLOURS))];

/** The looks of a board. @param {PageRequest} request @returns {import("./svg.js").Looks} */
const looksOf = request => ({
  flipped: request.flag("flipped"),
  coordinates: request.choice("coordinates", COORDINATES, "numbers"),
  style: request.choice("board", STYLES, "green"),
  pieces: request.choice("pieces", PIECES, "flat"),
});

/** @param {PageRequest} request */
function languageOf(request) {
  const language = request.text("language", 3, "en");
  if (!/^[a-z]{2,3}$/.test(language)) throw new KrError("language is not a code such as it");
  return language;
}

/** Texts of the language by the English ones. @param {PageRequest} request @returns {Record<string, string>} */
function textsOf(request) {
  const texts = request.has("texts") ? request.object("texts").fields : {},
    pairs = Object.entries(texts);
  if (pairs.length > MOST_TEXTS) throw new KrError(`more than ${grouped(MOST_TEXTS)} texts`);
  if (!pairs.every(([, text]) => typeof text === "string")) throw new KrError("texts are texts by the English ones");
  const characters = pairs.reduce((sum, [english, text]) => sum + lengthOf(english) + lengthOf(text), 0);
  if (characters > MOST_TEXT_CHARACTERS)
    throw new KrError(`texts have more than ${grouped(MOST_TEXT_CHARACTERS)} characters`);
  return texts;
}

export const ROUTES = {"send/page": sendPage, "send/gif": sendGif, "games/svg": positionPicture};
