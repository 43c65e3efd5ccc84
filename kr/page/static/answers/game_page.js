// A game as a page of HTML in one file: kr/analysis/annotation/pages.py and its template, game.html. What is the same
// on every page, the scripts and styles of the viewer among it, is made at build time (the data "game-page").

import {gameDocument} from "./document.js";
import {judgementOf, movesOf, notesOf, othersComments, sentencesOf} from "./game_text.js";
import {html, Markup, scriptData} from "./html.js";
import {SIDE_NAMES} from "./notation.js";
import {lengthOf, stripped} from "./blanks.js";
import {board, USUAL_LOOKS} from "./svg.js";

/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./svg.js").Drawing} Drawing */
/** @typedef {import("./game_text.js").Note} Note */
/**
 * @typedef {{
 *   language: string, texts: Record<string, string>, board: string, pieces: string, coordinates: string,
 *   flipped: boolean,
 * }} PageLooks texts in the language by the English ones
 */
/** @typedef {(english: string, values?: Record<string, string>) => string} Said */
/**
 * @typedef {{
 *   head: string, top: string, end: string, accuracy: string, marks: Record<string, string>,
 *   results: Record<string, string>,
 * }} Shell what is before the title, before the heading and after the game, the script among it; the least that each
 *   mark gives away; results in words
 */

/** Tags of a game that the page shows elsewhere than in its table, or in no words. */
const SHOWN = "Event Site Date Round Black White Result FEN SetUp Setup GameType".split(" ");
/** Characters from which a word of a line may be broken. */
const LONG_WORD = 12;
const PLACE = /\{([\p{L}\p{N}_]+)\}/gu;
const UNKNOWN = "?. ";

/**
 * The page.
 * @param {Game} game
 * @param {PageLooks} looks
 * @param {Shell} shell
 * @param {Drawing} drawing
 */
export function gamePage(game, looks, shell, drawing) {
  const said = speaking(looks.texts),
    title = SIDE_NAMES.map(name => stripped(game.headers.get(name) ?? "") || "?").join(" v "),
    start = new Markup(board(drawing, game.start, USUAL_LOOKS));
  const data = scriptData({
    document: gameDocument(game),
    looks: {...looks, texts: usedTexts(looks.texts, game, shell.end)},
  });
  return html`<!DOCTYPE html>
<html lang="${looks.language}">${new Markup(shell.head)}<title>${title}</title>${new Markup(shell.top)}<h1>${title}</h1>
${factsHtml(game, shell, said)}
</header>
<main>
<div class="start">${start}</div>
<div class="text">
${textHtml(game, said)}
<div class="about">
${aboutHtml(game, shell, said)}</div>
</div>
</main>
<script type="application/json" id="game">${data}</script>${new Markup(shell.end)}`.text;
}

/**
 * Texts of a language by the English ones, with values in place of {names}.
 * @param {Record<string, string>} texts
 * @returns {Said}
 */
const speaking =
  texts =>
  (english, values = {}) =>
    (Object.hasOwn(texts, english) ? texts[english] : english).replace(PLACE, (whole, name) =>
      Object.hasOwn(values, name) ? values[name] : whole,
    );

/** Place, time and result. @param {Game} game @param {Shell} shell @param {Said} said */
function factsHtml({headers, result}, {results}, said) {
  const facts = factsOf(headers, said).map(fact => html`${fact} · `);
  return html`<p class="facts">${facts}${result}, ${said(results[result])}</p>`;
}

/** What kr says of the game, its moves, and the notes on it. @param {Game} game @param {Said} said */
function textHtml(game, said) {
  const judgement = judgementOf(game),
    about = othersComments(game.comments).map(text => html`<li>“${text}”</li>\n`),
    notes = notesOf(game).map(noteHtml);
  return html`${judgement ? html`<p class="judgement">${judgement}</p>\n` : ""}<h2>${said("Moves")}</h2>
<p>${lineHtml(movesOf(game))}</p>
<h2>${said("Notes")}</h2>
<ul class="notes">
${about}${notes.length ? notes : html`<li class="muted">${said("No move is marked.")}</li>\n`}</ul>`;
}

/** @param {Note} note */
function noteHtml({label, signs, kind, words, comments, lines}) {
  const told = comments.map(comment => html` “${comment}”`),
    variations = lines.map(line => html`<span class="variation">${lineHtml(line)}</span>`);
  return html`<li>${label}<span class="sign ${kind}">${signs}</span> ${words}${told}${variations}</li>\n`;
}

/** A line of moves, whose words are not broken at their dashes. @param {string} line */
const lineHtml = line =>
  line.split(" ").map(word => (lengthOf(word) < LONG_WORD ? html`<span class="word">${word}</span> ` : html`${word} `));

/** Further tags, and how the marks came about. @param {Game} game @param {Shell} shell @param {Said} said */
function aboutHtml(game, shell, said) {
  const rows = [...game.headers]
    .filter(([name, value]) => !SHOWN.includes(name) && without(value, UNKNOWN))
    .map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
  const table = rows.length ? html`<table>${rows}</table>\n` : "";
  return html`${table}${judgementOf(game) ? explanation(game.headers.get("Annotator") ?? "", shell, said) : ""}`;
}

/** @param {string} signature @param {Shell} shell @param {Said} said */
function explanation(signature, {accuracy, marks}, said) {
  const annotated = said("Annotated by {signature}.", {signature}),
    least = said(
      "A mark shows that a move gave away part of the expected result, where a win counts 1 and a draw ½: at least " +
        "{inaccuracy} for ?!, {mistake} for ?, {blunder} for ??.",
      marks,
    );
  const loss = said(
    "Loss is the mean over all judged moves. The graph changes by the loss only at marked moves; a hollow point and " +
      "a thin line are what only one search has seen. Best: moves as good as any other. Unmarked: moves that gave " +
      "away less.",
  );
  return html`<p>${annotated} ${least} ${said("Accuracy")}: ${said(accuracy)} ${loss}</p>\n`;
}

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

/**
 * Those of a language's texts that stand in the script of the page or in the story of a game.
 * @param {Record<string, string>} texts
 * @param {Game} game
 * @param {string} end the page after the game
 */
function usedTexts(texts, game, end) {
  const sentences = sentencesOf(game),
    script = end.slice(end.indexOf("<script>") + "<script>".length, end.indexOf("</script>"));
  // of "piece|pieces" the script has the first word
  const isUsed = (/** @type {string} */ english) => sentences.has(english) || script.includes(english.split("|")[0]);
  return Object.fromEntries(Object.entries(texts).filter(([english]) => isUsed(english)));
}
