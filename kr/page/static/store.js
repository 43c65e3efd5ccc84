// What this browser keeps for the page: preferences, and where one was.

/** @typedef {"localStorage" | "sessionStorage"} Place sessionStorage: for as long as the tab is open */

/**
 * @param {string} name
 * @param {any} [otherwise] where nothing is kept
 * @param {Place} [place]
 * @returns {any}
 */
export function kept(name, otherwise = null, place = "localStorage") {
  try {
    return JSON.parse(window[place].getItem(`kr-${name}`) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {Place} [place]
 */
export function keep(name, value, place = "localStorage") {
  try {
    window[place].setItem(`kr-${name}`, JSON.stringify(value));
  } catch {
    // a full or forbidden store: preferences are lost with the page
  }
}
