// What is told by ear: moves in words, for screen readers and, if the person has asked for it, a voice of the device.

import {kept} from "./store.js";
import {spoken, t} from "./texts.js";

const MOVE = /(?<![\d-])\d{1,2}(?:[-x]\d{1,2})+(?![\d-])/g;

/** @param {string} move "11-15", "22x15x8" */
function moveInWords(move) {
  const [first, ...others] = move.split(/[-x]/);
  if ([first, ...others].some(each => Number(each) < 1 || Number(each) > 32)) return move;
  return move.includes("x")
    ? others.reduce((from, to) => t("{from} takes {to}", {from, to}), first)
    : others.reduce((from, to) => t("{from} to {to}", {from, to}), first);
}

/** A text with its moves as they are said: "11 to 15", "22 takes 15 takes 8". @param {string} text */
export const inWords = text => text.replace(MOVE, moveInWords);

/** The voices of this device in the language of the page; others would send the texts away. */
export const voices = () =>
  "speechSynthesis" in window
    ? speechSynthesis.getVoices().filter(each => each.localService && each.lang.slice(0, 2).toLowerCase() === spoken())
    : [];

/** Says a text if moves are read aloud, in place of what is being said. @param {string} text */
export function readAloud(text) {
  if (kept("voice") !== "on" || !text) return;
  const [voice] = voices();
  if (!voice) return;
  speechSynthesis.cancel();
  const words = new SpeechSynthesisUtterance(inWords(text));
  words.voice = voice;
  words.lang = voice.lang;
  speechSynthesis.speak(words);
}

/**
 * Puts a text in a place that screen readers tell, unless it stands there already: it is told once, and read aloud.
 * @param {Element} place
 * @param {string} text
 */
export function tellIn(place, text) {
  if (place.textContent === text) return;
  place.textContent = text;
  readAloud(text);
}
