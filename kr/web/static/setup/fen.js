// Positions as FEN. Nothing here touches the document.

export const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

/**
 * FEN of pieces by square.
 * @param {Record<number, string>} pieces b, B, w and W
 * @param {string} side "B" or "W"
 * @returns {string}
 */
export function fenOf(pieces, side) {
  const list = (/** @type {string} */ colour) =>
    Object.keys(pieces)
      .map(Number)
      .sort((a, b) => a - b)
      .filter(square => pieces[square].toLowerCase() === colour)
      .map(square => (pieces[square] === colour ? "" : "K") + square)
      .join(",");
  return `${side}:W${list("w")}:B${list("b")}`;
}

/**
 * The document of a new game.
 * @param {string} start FEN
 * @param {Array<{text: string, path: number[], captured: number[], fen: string}>} [moves]
 * @param {Record<string, string>} [headers]
 */
export function newDocument(start, moves = [], headers = {}) {
  const remarks = () => ({comments: [], nags: [], starting_comments: []});
  return {
    headers,
    start,
    result: "*",
    nodes: [
      {parent: null, fen: start, comments: [], nags: []},
      ...moves.map((move, i) => ({...remarks(), ...move, parent: i})),
    ],
  };
}
