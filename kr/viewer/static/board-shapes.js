// Arrows and circles that the author of a game draws on its board.

/** @typedef {"G" | "R" | "Y" | "B"} ShapeColour */
/** @typedef {{colour: ShapeColour, from: number, to: number}} DrawnArrow */
/** @typedef {{colour: ShapeColour, square: number}} DrawnCircle */
/** @typedef {{arrows: DrawnArrow[], circles: DrawnCircle[]}} Shapes */

/**
 * Shapes with one more from a square to another, or round it if they are the same. The shape that is there already goes
 * away, or takes the other colour.
 * @param {Shapes} shapes
 * @param {number} from
 * @param {number} to
 * @param {ShapeColour} colour
 * @returns {Shapes}
 */
export function toggled({arrows, circles}, from, to, colour) {
  if (from === to) {
    const others = circles.filter(circle => circle.square !== from);
    const isThere = circles.some(circle => circle.square === from && circle.colour === colour);
    return {arrows, circles: isThere ? others : [...others, {colour, square: from}]};
  }
  const others = arrows.filter(arrow => arrow.from !== from || arrow.to !== to);
  const isThere = arrows.some(arrow => arrow.from === from && arrow.to === to && arrow.colour === colour);
  return {arrows: isThere ? others : [...others, {colour, from, to}], circles};
}

/**
 * The colour that is drawn while keys are held: green; Shift or Ctrl red, Alt blue, both yellow.
 * @param {{shiftKey: boolean, ctrlKey: boolean, altKey: boolean, metaKey: boolean}} event
 * @returns {ShapeColour}
 */
export function colourOf({shiftKey, ctrlKey, altKey, metaKey}) {
  if (altKey || metaKey) return shiftKey || ctrlKey ? "Y" : "B";
  return shiftKey || ctrlKey ? "R" : "G";
}
