// Buttons that save and copy the game and the position.

import {button, el} from "../dom.js";
import {t} from "../texts.js";
import {LONGEST_LINK, packed} from "./link.js";
import {restOf} from "./state.js";

/** @typedef {import("../shell.js").App} App */

/**
 * @param {App} app
 * @param {string} text
 * @param {string} words said once it is done
 */
export async function copy(app, text, words) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard without https on another host, but for this old way
    const area = el("textarea", {value: text});
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) {
      app.say(t("The browser does not let this page copy"));
      return;
    }
  }
  app.say(words);
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  el("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * A row of buttons.
 * @param {App} app
 * @param {() => string} results the convention of results in files
 */
export function savingButtons(app, results) {
  const {tree} = app;
  const trying = (/** @type {() => Promise<void>} */ act) => () => act().catch(error => app.fail(error.message));
  const pdn = async (/** @type {"file" | "link"} */ form) =>
    (await app.api("games/pdn", {document: tree.document(), results: form === "link" ? "english" : results(), form}))
      .pdn;
  const picture = async () =>
    (
      await app.api("games/svg", {
        fen: tree.node.fen,
        last: tree.node.path,
        flipped: app.board.flipped,
        numbers: app.kept("numbers", true),
      })
    ).svg;
  return el(
    "div",
    {class: "row"},
    button(
      t("Save PDN"),
      trying(async () => download(fileName(tree.headers, "pdn"), await pdn("file"), "application/x-draughts-pdn")),
    ),
    button(
      t("Copy PDN"),
      trying(async () => copy(app, await pdn("file"), t("PDN copied"))),
    ),
    button(t("Copy FEN"), () => copy(app, tree.node.fen, t("FEN copied"))),
    button(
      t("Save SVG"),
      trying(async () => download(fileName(tree.headers, "svg"), await picture(), "image/svg+xml")),
    ),
    button(
      t("Copy SVG"),
      trying(async () => copy(app, await picture(), t("SVG copied"))),
    ),
    button(
      t("Copy link"),
      trying(async () => {
        const data = await packed(await pdn("link"));
        if (data.length > LONGEST_LINK)
          throw new Error(t("The game is too long for a link ({size} kB); save it as PDN", {size: data.length >> 10}));
        const link = `${location.origin}${location.pathname}#analyse/g/${data}/${restOf(tree.path())}`;
        await copy(app, link, t("Link copied: it holds the whole game"));
      }),
      {title: t("A link that holds the whole game")},
    ),
  );
}

/**
 * @param {Record<string, string>} headers
 * @param {string} end
 */
function fileName(headers, end) {
  const parts = [headers.Black, headers.White, headers.Date].filter(part => part && !/^[?.]+$/.test(part));
  return `${
    parts
      .join("-")
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 80) || "game"
  }.${end}`;
}
