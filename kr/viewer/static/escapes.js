// Characters from files that a page would obey or hide, such as marks of direction: their escapes.
// tests/cases/texts.json holds what it has in common with kr/text.py.

/** The escape of a character: "\x1b". @param {string} character */
export function escaped(character) {
  if (character === "\r") return "\\r";
  const code = /** @type {number} */ (character.codePointAt(0)).toString(16);
  if (code.length < 3) return `\\x${code.padStart(2, "0")}`;
  return code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

/** Text of several lines with such characters escaped. @param {string} text */
export const visible = text => text.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, escaped);
