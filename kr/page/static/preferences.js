// How the page looks and sounds, as the person likes it: kept in the browser, shown by attributes of the document.

import LANGUAGES from "./language-names.js";
import {loudness} from "./sounds.js";
import {keep, kept} from "./store.js";

/** @type {Record<string, string>} what each preference is where nothing was chosen */
const DEFAULTS = {
  theme: "",
  board: "green",
  pieces: "flat",
  coordinates: "numbers",
  size: "100",
  // a game may be opened where others work: heard, but not far
  sound: "quiet",
  voice: "off",
  motion: "",
  language: "",
};

/** @type {Record<string, number>} share of the loudest, by preference */
const LOUDNESS = {off: 0, quiet: 0.35, on: 1};

/** @param {string} name */
export function preference(name) {
  const value = kept(name, DEFAULTS[name]);
  return typeof value === "string" ? value : DEFAULTS[name];
}

/**
 * The language to speak: the one that was chosen, else the first of the browser's that there is.
 * @returns {string}
 */
export function language() {
  const languages = [preference("language"), ...navigator.languages.map(each => each.slice(0, 2).toLowerCase())];
  return languages.find(each => each in LANGUAGES) ?? "en";
}

/** Shows what was chosen. */
export function applyPreferences() {
  const {dataset, style} = document.documentElement;
  for (const name of ["board", "pieces", "coordinates"]) dataset[name] = preference(name);
  const theme = preference("theme");
  if (theme) dataset.theme = theme;
  else delete dataset.theme;
  const motion = preference("motion");
  if (motion) dataset.motion = motion;
  else delete dataset.motion;
  sizeBoard(Number(preference("size")));
  loudness(LOUDNESS[preference("sound")] ?? 0);
  // for first.js
  keep("looks", {data: {...dataset}, style: style.cssText});
}

/** @param {number} size percent of the usual one */
export const sizeBoard = size => document.documentElement.style.setProperty("--board-size", String(size / 100));

/**
 * Keeps what was chosen, and shows it.
 * @param {string} name
 * @param {string} value
 */
export function prefer(name, value) {
  keep(name, value);
  applyPreferences();
}
