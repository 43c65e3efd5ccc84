// Commands in comments: clocks, and the arrows and circles that are drawn on the board (kr/pdn/commands.py).

import {lettersSquare, SQUARES} from "../notation.js";
import {BLANK, stripped, wholeNumber} from "../blanks.js";

/** Colours of arrows and circles. */
export const SHAPE_COLOURS = "GRYB";

const SQUARE = "(?:\\p{Nd}{1,2}|[a-h][1-8])",
  SHORT_SQUARE = "(?:\\p{Nd}{2}|[a-h][1-8])";
const ARROW = new RegExp(
  `^([${SHAPE_COLOURS}])(?:(${SQUARE})[-x:](${SQUARE})|(${SHORT_SQUARE})(${SHORT_SQUARE}))$`,
  "iu",
);
const CIRCLE = new RegExp(`^([${SHAPE_COLOURS}])(${SQUARE})$`, "iu");
const DRAWN = new RegExp(`\\[%(cal|csl)([${BLANK}][^[\\]]*)\\]`, "gu");
const ITEMS = new RegExp(`[${BLANK},]+`, "u");
const SIDED = "[wWbB]?(?:(?:\\p{Nd}{1,6}:)?\\p{Nd}{1,6}:)?\\p{Nd}{1,9}(?:\\.\\p{Nd}{1,9})?";
/** Time left to the player who moved, or to each side named. */
export const CLOCK = new RegExp(`\\[%(?:clk|clock)[${BLANK}]+(${SIDED})(?:[${BLANK},]+(${SIDED}))?[${BLANK}]*\\]`, "u");
/** Time that a move took. */
export const MOVE_TIME = new RegExp(`\\[%emt[${BLANK}]+(${SIDED})[${BLANK}]*\\]`, "u");

/** @typedef {{colour: string, origin: number, target: number}} DrawnArrow squares 0-31; the colour is G, R, Y or B */
/** @typedef {{colour: string, square: number}} DrawnCircle */
/** @typedef {{side: number | null, seconds: number}} ClockTime side: null for the player who moved */

/** @param {{colour: string}[]} shapes @returns {any[]} those that differ, each where it is first */
export const distinct = shapes => [...new Map(shapes.map(each => [JSON.stringify(each), each])).values()];

/**
 * A comment without its arrows and circles, the arrows, and the circles. A command of another form is text.
 * @param {string} comment
 * @returns {{text: string, arrows: DrawnArrow[], circles: DrawnCircle[]}}
 */
export function splitDrawn(comment) {
  /** @type {DrawnArrow[]} */
  const arrows = [];
  /** @type {DrawnCircle[]} */
  const circles = [];
  if (!comment.includes("[%c")) return {text: comment, arrows, circles};
  let text = comment.replace(DRAWN, (/** @type {string} */ command, kind, /** @type {string} */ listed) => {
    const items = listed.split(ITEMS).filter(Boolean);
    if (kind === "cal") return taken(items.map(arrow), arrows) ? " " : command;
    return taken(items.map(circle), circles) ? " " : command;
  });
  if (arrows.length || circles.length) text = stripped(text.replace(/ {2,}/g, " "));
  return {text, arrows: distinct(arrows), circles: distinct(circles)};
}

/**
 * Adds the shapes of a command if all of them could be read.
 * @template T
 * @param {(T | null)[]} shapes
 * @param {T[]} into
 */
function taken(shapes, into) {
  if (!shapes.length || shapes.includes(null)) return false;
  for (const each of shapes) if (each) into.push(each);
  return true;
}

/**
 * The commands for arrows and circles, each square with two digits; "" if there are none.
 * @param {DrawnArrow[]} arrows
 * @param {DrawnCircle[]} circles
 */
export function drawnText(arrows, circles) {
  const name = (/** @type {number} */ square) => String(square + 1).padStart(2, "0"),
    ringed = circles.map(({colour, square}) => colour + name(square)),
    drawn = arrows.map(({colour, origin, target}) => colour + name(origin) + name(target));
  return (ringed.length ? `[%csl ${ringed}]` : "") + (drawn.length ? `[%cal ${drawn}]` : "");
}

/** Times left, from the first clock command of a comment. @param {string} comment @returns {ClockTime[]} */
export function clockTimes(comment) {
  const match = comment.includes("[%cl") ? CLOCK.exec(comment) : null;
  return match ? match.slice(1).filter(Boolean).map(clockTime) : [];
}

/** Seconds that a move took, from a comment such as [%emt 3.2]; null without such a command. @param {string} comment */
export function moveTime(comment) {
  const match = MOVE_TIME.exec(comment);
  return match ? clockTime(match[1]).seconds : null;
}

/** h:mm:ss, with fractions of a second if there are any. @param {number} seconds */
export function clockText(seconds) {
  const thousandths = Math.round(Number(Math.max(seconds, 0).toFixed(3)) * 1000),
    minutes = Math.floor(thousandths / 60000),
    rest = (thousandths % 60000) / 1000,
    two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [whole, part] = String(rest).split(".");
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${whole.padStart(2, "0")}${part ? `.${part}` : ""}`;
}

/** @param {string} text @returns {ClockTime} */
function clockTime(text) {
  const sides = {w: 1, b: 0},
    side = sides[/** @type {"w" | "b"} */ (text[0].toLowerCase())] ?? null;
  const [hours, minutes, seconds] = ["0", "0", ...(side === null ? text : text.slice(1)).split(":")].slice(-3),
    [whole, part] = seconds.split(".").map(each => [...each].map(wholeNumber).join(""));
  return {
    side,
    seconds: wholeNumber(hours) * 3600 + wholeNumber(minutes) * 60 + Number(part ? `${whole}.${part}` : whole),
  };
}

/** @param {string} text @returns {DrawnArrow | null} */
function arrow(text) {
  const match = ARROW.exec(text);
  if (!match) return null;
  const [origin, target] = match.slice(2).filter(Boolean).map(squareOf);
  return origin === null || target === null || origin === target
    ? null
    : {colour: match[1].toUpperCase(), origin, target};
}

/** @param {string} text @returns {DrawnCircle | null} */
function circle(text) {
  const match = CIRCLE.exec(text),
    square = match ? squareOf(match[2]) : null;
  return match && square !== null ? {colour: match[1].toUpperCase(), square} : null;
}

/** The square 0-31 of its number or letters; null if there is no such square. @param {string} text */
function squareOf(text) {
  if (!/^\p{Nd}+$/u.test(text)) return lettersSquare(text.toLowerCase());
  const number = wholeNumber(text);
  return number >= 1 && number <= SQUARES ? number - 1 : null;
}
