// Positions and moves on the way between threads, which carries no classes.

import {Move, Position} from "./rules.js";

/** Moves of a line that the coach looks at. */
export const MOST_LINE = 40;

/** @param {readonly number[]} bits */
export const positionOf = bits => new Position(bits[0], bits[1], bits[2], bits[3]);

/** @param {Position} position */
export const bitsOf = ({black, white, kings, side}) => [black, white, kings, side];

/** @param {Move} move as it has come */
export const moveOf = ({path, captured, whole}) => new Move(path, captured, whole);
