// Positions as FEN. Nothing here touches the document.

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

/** True for a board without any pieces. @param {string} fen canonical */
export const isBare = fen => fen.endsWith(":W:B");

/**
 * The document of a new game.
 * @param {string} start FEN
 * @param {import("../board-state.js").BoardMove[]} [moves]
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

/** The way through a document of a single line, as a tree takes it. @param {{nodes: unknown[]}} document */
export const toEnd = ({nodes}) => nodes.slice(1).map(() => 0);
