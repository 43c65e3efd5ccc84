// Parts of tables.

import {el} from "./dom.js";

/**
 * The head of a table.
 * @param {string[]} names of its columns
 * @param {import("./dom.js").Props | null} [props]
 */
export const head = (names, props = null) =>
  el(
    "thead",
    props,
    el(
      "tr",
      null,
      names.map(name => el("th", {scope: "col"}, name)),
    ),
  );
