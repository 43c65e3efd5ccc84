// How the page looks and sounds, as the person likes it: kept in the browser, shown by attributes of the document.

import {choices, looksToChoose} from "./choices.js";
import {dialog} from "./dialog.js";
import {el} from "./dom.js";
import {muted, sound} from "./sounds.js";
import {keep, kept} from "./store.js";
import {t} from "./texts.js";

/** @import {Choices} from "./choices.js" */

const LANGUAGES = {en: "English", it: "Italiano"};

/** @type {Record<string, string>} what each preference is where nothing was chosen */
const DEFAULTS = {
  theme: "",
  board: "green",
  pieces: "flat",
  coordinates: "numbers",
  size: "100",
  sound: "on",
  language: "",
};

/** @param {string} name */
function preference(name) {
  const value = kept(name, DEFAULTS[name]);
  return typeof value === "string" ? value : DEFAULTS[name];
}

/**
 * The language to speak: the one that was chosen, else the first of the browser's that there is.
 * @returns {string}
 */
export function language() {
  const wanted = [preference("language"), ...navigator.languages.map(each => each.slice(0, 2).toLowerCase())];
  return wanted.find(each => each in LANGUAGES) ?? "en";
}

/** Shows what was chosen. */
export function applyPreferences() {
  const {dataset, style} = document.documentElement;
  for (const name of ["board", "pieces", "coordinates"]) dataset[name] = preference(name);
  const theme = preference("theme");
  if (theme) dataset.theme = theme;
  else delete dataset.theme;
  style.setProperty("--board-size", String(Number(preference("size")) / 100));
  muted(preference("sound") !== "on");
}

/** @returns {Array<{name: string, title: string, options: Choices<string>}>} */
function questions() {
  return [
    {
      name: "theme",
      title: t("Colours"),
      options: {"": t("as the device"), light: t("light"), dark: t("dark")},
    },
    ...looksToChoose(),
    {
      name: "size",
      title: t("Size of the board"),
      options: [
        ["100", t("large")],
        ["85", t("medium")],
        ["70", t("small")],
      ],
    },
    {
      name: "sound",
      title: t("Sounds"),
      options: {on: t("on"), off: t("off")},
    },
    {name: "language", title: t("Language"), options: [["", t("as the browser")], ...Object.entries(LANGUAGES)]},
  ];
}

/**
 * Opens the dialog of all preferences.
 * @param {string} version of kr
 */
export function choosePreferences(version) {
  const before = language();
  const fields = questions().map(({name, title, options}) =>
    choices(title, `preference-${name}`, options, preference(name), value => {
      keep(name, value);
      applyPreferences();
      if (name === "sound") sound("move");
      // texts are put in as the page is built
      if (language() !== before) location.reload();
    }),
  );
  dialog(t("Settings"), [...fields, el("p", {class: "muted"}, `kr ${version}`)]);
}
