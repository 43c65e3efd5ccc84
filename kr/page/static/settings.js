// The dialog of all preferences.

import {readAloud, voices} from "./aloud.js";
import {choices, looksToChoose} from "./choices.js";
import {dialog} from "./dialog.js";
import {el} from "./dom.js";
import LANGUAGES from "./language-names.js";
import {language, prefer, preference} from "./preferences.js";
import {sound} from "./sounds.js";
import {t} from "./texts.js";

/** @import {Choices} from "./choices.js" */

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
      options: {off: t("off"), quiet: t("quiet"), on: t("loud")},
    },
    {name: "voice", title: t("Read moves aloud"), options: {off: t("off"), on: t("on")}},
    {
      name: "motion",
      title: t("Animations"),
      options: {"": t("as the device"), less: t("off"), full: t("on")},
    },
    {name: "language", title: t("Language"), options: [["", t("as the browser")], ...Object.entries(LANGUAGES)]},
  ];
}

/** Says so where moves can't be read aloud; browsers take a moment to find their voices. */
function voiceNote() {
  const note = el("p", {class: "muted"}, t("This browser has no voice of its own in this language.")),
    show = () => {
      note.hidden = voices().length > 0;
    };
  show();
  if ("speechSynthesis" in window) speechSynthesis.onvoiceschanged = show;
  return note;
}

/**
 * Opens the dialog of all preferences.
 * @param {string} version of kr
 */
export function choosePreferences(version) {
  const before = language();
  const fields = questions().flatMap(({name, title, options}) => [
    choices(title, `preference-${name}`, options, preference(name), value => {
      prefer(name, value);
      if (name === "sound") sound("move");
      if (name === "voice") readAloud("11-15");
      // texts are put in as the page is built
      if (language() !== before) location.reload();
    }),
    ...(name === "voice" ? [voiceNote()] : []),
  ]);
  dialog(t("Settings"), [el("div", {class: "form"}, fields, el("p", {class: "muted"}, `kr ${version}`))]);
}
