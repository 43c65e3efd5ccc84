// Errors in the language of the page, whose sentences may have to come first.

/**
 * @param {import("./texts.js").Said} error
 * @param {string} [otherwise] where they don't come
 * @returns {Promise<string>}
 */
export const told = (error, otherwise = "") =>
  import("./english.js").then(
    ({tell}) => tell(error),
    () => otherwise,
  );
