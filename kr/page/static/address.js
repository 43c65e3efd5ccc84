// What addresses hold.

/** @param {string} text of an address @returns {string} "" of one that is damaged */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
