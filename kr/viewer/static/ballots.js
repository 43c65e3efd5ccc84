// Tables of ballots: sorted by a click on a column's head, and filtered by the fields above them.

import {valueOf} from "./sorting.js";

/** @typedef {HTMLSelectElement | HTMLInputElement} Field */

const table = /** @type {HTMLTableElement | null} */ (document.querySelector("table.ballots"));
const fields = /** @type {Field[]} */ ([...document.querySelectorAll("[data-filter]")]);
const rows = table ? [...table.tBodies[0].rows] : [];

/**
 * @param {HTMLTableRowElement} row
 * @param {Field} field
 */
function fits(row, {dataset, value}) {
  const text = value.trim(),
    name = dataset.filter ?? "";
  if (!text) return true;
  if (name === "words") return [...row.cells].some((_, column) => contains(valueOf(row, column), text));
  if (name === "games") return Number(row.dataset.games) >= Number(text);
  return row.dataset[name] === text;
}

/** @param {string} text @param {string} words */
const contains = (text, words) => text.toLowerCase().includes(words.toLowerCase());

function filter() {
  for (const row of rows) row.hidden = !fields.every(field => fits(row, field));
  const output = document.querySelector(".filter output");
  if (output) output.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length}`;
}

document.body.classList.add("live");
for (const each of fields) each.addEventListener("input", filter);
document.querySelector("form.filter")?.addEventListener("submit", event => event.preventDefault());
// a browser may have kept what was chosen
filter();
