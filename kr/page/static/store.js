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
 * @param {unknown} value undefined: it is kept no longer
 * @param {Place} [place]
 * @returns {boolean} false if the store is full or forbidden: preferences are lost with the page then
 */
export function keep(name, value, place = "localStorage") {
  try {
    if (value === undefined) window[place].removeItem(`kr-${name}`);
    else window[place].setItem(`kr-${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls f when another window of this browser keeps something.
 * @param {(name: string) => void} f
 */
export const onkept = f => addEventListener("storage", ({key}) => key?.startsWith("kr-") && f(key.slice(3)));
