// Tables that a click on a column's header sorts by it.

import {button} from "./dom.js";

const valueOf = (row, column) => row.cells[column].textContent.trim();

function order(a, b) {
  const x = parseFloat(a), y = parseFloat(b);
  return isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y;
}

export function sortable(table) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const sort = () => {
      const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...body.rows].map(row => [valueOf(row, column), row]);
      body.append(...rows.sort((a, b) => sign * order(a[0], b[0])).map(([, row]) => row));
    };
    head.replaceChildren(button(head.textContent, sort));
  });
}

document.querySelectorAll("table.sortable").forEach(sortable);
