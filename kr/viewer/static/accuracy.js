// The accuracy of both players, as kr's comment before the first move of a judged game has it.

const ACCURACY = /\[%kr game [^[\]]*\baccuracy=(-|\d{1,3}(?:\.\d)?)\/(-|\d{1,3}(?:\.\d)?)/;

/** True if a game was judged. @param {{comments?: string[]} | undefined} root its first node */
export const isJudged = root => (root?.comments ?? []).some(text => text.includes("[%kr game"));

/**
 * Accuracy of both players, from 0 to 100; null for one who had no choice. null if the game has not been judged.
 * @param {{comments: string[]}} root the first node of a game
 * @returns {{black: number | null, white: number | null} | null}
 */
export function accuracyOf(root) {
  for (const comment of root.comments) {
    const [, black, white] = ACCURACY.exec(comment) ?? [];
    if (black) return {black: figure(black), white: figure(white)};
  }
  return null;
}

const figure = (/** @type {string} */ text) => (text === "-" ? null : Number(text));
