// A game or a position to send: as a page that needs no server, as a picture.

import {SQUARES} from "./notation.js";
import {lengthOf} from "./blanks.js";
import {SHAPE_COLOURS} from "./pdn/commands.js";
import {board, COORDINATES, PIECES, STYLES} from "./svg.js";
import {grouped, refusal} from "./text.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */

/** Arrows and circles of a picture, each. */
const MOST_SHAPES = 200;
/** Texts of a language, and their characters. */
const MOST_TEXTS = 5000,
  MOST_TEXT_CHARACTERS = 300_000;
const COLOURS = SHAPE_COLOURS.split("");
const DRAWN = ["drawn green", "drawn red", "drawn yellow", "drawn blue"];

/**
 * A game as a page of HTML in one file, with all that its comments tell.
 * @param {House} house
 * @param {PageRequest} request
 */
async function sendPage(house, request) {
  const {style, pieces, coordinates, flipped} = looksOf(request),
    looks = {
      language: languageOf(request),
      texts: textsOf(request, "texts"),
      board: style,
      pieces,
      coordinates,
      flipped,
      english: textsOf(request, "english"),
    };
  const game = await request.document(),
    [{gamePage}, shell, drawing] = await Promise.all([
      import("./game_page.js"),
      house.data("game-page"),
      house.data("drawing"),
    ]);
  return {html: gamePage(game, looks, shell, drawing)};
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
  if (!/^[a-z]{2,3}$/.test(language)) throw refusal("language is not a code such as it");
  return language;
}

/**
 * Texts by name or by English text.
 * @param {PageRequest} request
 * @param {string} name
 * @returns {Record<string, string>}
 */
function textsOf(request, name) {
  const texts = request.has(name) ? request.object(name).fields : {},
    pairs = Object.entries(texts);
  if (pairs.length > MOST_TEXTS) throw refusal("more than {most} texts", {most: grouped(MOST_TEXTS)});
  if (!pairs.every(([, text]) => typeof text === "string")) throw refusal("{name} are texts by their names", {name});
  const characters = pairs.reduce((sum, [english, text]) => sum + lengthOf(english) + lengthOf(text), 0);
  if (characters > MOST_TEXT_CHARACTERS)
    throw refusal("texts have more than {most} characters", {most: grouped(MOST_TEXT_CHARACTERS)});
  return texts;
}

export const ROUTES = {"send/page": sendPage, "games/svg": positionPicture};
