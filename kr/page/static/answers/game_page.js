// A game as a page of HTML in one file. What is the same on every page, the scripts and styles of the viewer among it,
// is data ("game-page").

import {OF_GAMES} from "../texts.js";
import {gameDocument} from "./document.js";
import {gameText} from "./game_text.js";
import {html, Markup, scriptData} from "./html.js";
import {lengthOf} from "./blanks.js";
import {board, USUAL_LOOKS} from "./svg.js";

/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./svg.js").Drawing} Drawing */
/** @typedef {import("./game_text.js").Note} Note */
/**
 * @typedef {{
 *   language: string, texts: Record<string, string>, english: Record<string, string>, board: string,
 *   pieces: string, coordinates: string, flipped: boolean,
 * }} PageLooks texts in the language, and the English sentences by name
 */
/** @typedef {import("./game_text.js").GameText} GameText */
/** @typedef {import("./game_text.js").Said} Said */
/**
 * @typedef {{
 *   frame: string[], accuracy: string, marks: Record<string, string>, results: Record<string, string>,
 * }} Shell frame: the page before its language, its title and its body, and after that, the script in it; marks: the
 *   least that each gives away; results in words
 */

/** Characters from which a word of a line may be broken. */
const LONG_WORD = 12;
const PLACE = /\{([\p{L}\p{N}_]+)\}/gu;

/**
 * The page.
 * @param {Game} game
 * @param {PageLooks} looks
 * @param {Shell} shell
 * @param {Drawing} drawing
 */
export function gamePage(game, looks, shell, drawing) {
  const said = speaking(looks.texts),
    text = gameText(game, said),
    start = new Markup(board(drawing, game.start, USUAL_LOOKS)),
    [head, top, body, end] = shell.frame.map(each => new Markup(each));
  const data = scriptData({
    document: gameDocument(game),
    looks: {...looks, ...usedTexts(looks, end.text)},
  });
  return html`${head}${looks.language}${top}${text.title}${body}
<header class="top">
<h1>${text.title}</h1>
${factsHtml(text, game.result, shell, said)}
</header>
<main>
<div class="start">${start}</div>
<div class="text">
${textHtml(text, said)}
<div class="about">
${aboutHtml(text, game.headers.get("Annotator") ?? "", shell, said)}</div>
</div>
</main>
<script type="application/json" id="game">${data}</script>
${end}`.text;
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

/** Place, time and result. @param {GameText} text @param {string} result @param {Shell} shell @param {Said} said */
function factsHtml({facts}, result, {results}, said) {
  return html`<p class="facts">${facts.map(fact => html`${fact} · `)}${result}, ${said(results[result])}</p>`;
}

/** What kr says of the game, its moves, and the notes on it. @param {GameText} text @param {Said} said */
function textHtml({judgement, moves, about, notes}, said) {
  const comments = about.map(comment => html`<li>“${comment}”</li>\n`),
    noted = notes.map(noteHtml);
  return html`${judgement ? html`<p class="judgement">${judgement}</p>\n` : ""}<h2>${said("Moves")}</h2>
<p>${lineHtml(moves)}</p>
<h2>${said("Notes")}</h2>
<ul class="notes">
${comments}${noted.length ? noted : html`<li class="muted">${said("No move is marked.")}</li>\n`}</ul>`;
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

/**
 * Further tags, and how the marks came about.
 * @param {GameText} text
 * @param {string} signature
 * @param {Shell} shell
 * @param {Said} said
 */
function aboutHtml({headers, judgement}, signature, shell, said) {
  const rows = headers.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
  const table = rows.length ? html`<table>${rows}</table>\n` : "";
  return html`${table}${judgement ? explanation(signature, shell, said) : ""}`;
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

/**
 * Those of a language's texts that stand in the script of the page, and sentences that games have.
 * @param {PageLooks} looks
 * @param {string} end the page after the game
 */
function usedTexts({texts, english}, end) {
  const script = end.slice(end.indexOf("<script>") + "<script>".length, end.indexOf("</script>")),
    used = Object.fromEntries(Object.entries(english).filter(([name]) => OF_GAMES.test(name)));
  // of "piece|pieces" the script has the first word
  const isUsed = (/** @type {string} */ name) => Object.hasOwn(used, name) || script.includes(name.split("|")[0]);
  return {english: used, texts: Object.fromEntries(Object.entries(texts).filter(([name]) => isUsed(name)))};
}
