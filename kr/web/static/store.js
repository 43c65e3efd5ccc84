// What this browser keeps for the page: preferences, and where one was.

/**
 * @param {string} name
 * @param {any} [otherwise] where nothing is kept
 * @returns {any}
 */
export function kept(name, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(`kr-${name}`) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(`kr-${name}`, JSON.stringify(value));
  } catch {
    // a full or forbidden store: preferences are lost with the page
  }
}
