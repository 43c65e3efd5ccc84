// Tables that a click on a column's header sorts by it.

import {button} from "./dom.js";

/**
 * What a row is sorted by in a column: the `data-sort` of its cell, or else the text.
 * @param {HTMLTableRowElement} row
 * @param {number} column
 */
export const valueOf = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();

/** @param {string} a @param {string} b */
function order(a, b) {
  const x = parseFloat(a),
    y = parseFloat(b);
  // moves begin with equal numbers: "9-13 21-17"
  return (Number.isNaN(x) || Number.isNaN(y) ? 0 : x - y) || a.localeCompare(b, "en", {numeric: true});
}

/** @param {HTMLTableElement} table one with a head */
function sortable(table) {
  const heads = [...(table.tHead?.rows[0].cells || [])],
    body = table.tBodies[0];
  heads.forEach((head, column) => {
    const sort = () => {
      const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...body.rows].map(row => ({value: valueOf(row, column), row}));
      body.append(...rows.sort((a, b) => sign * order(a.value, b.value)).map(({row}) => row));
    };
    head.replaceChildren(button(head.textContent, sort));
  });
}

for (const table of document.querySelectorAll("table.sortable")) sortable(/** @type {HTMLTableElement} */ (table));
