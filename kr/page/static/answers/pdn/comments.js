// Notes of a game that is read: put into its tree, and the positions that they set up (kr/pdn/comments.py).

import {Position, sideName} from "../rules.js";
import {KrError, quoted, Refused} from "../text.js";
import {DraftLine, DraftSetup, Judgement, plainMove, told} from "./drafts.js";
import {Replay} from "./replay.js";
import {ChildNode, NOT_KNOWN} from "./tree.js";

/** @typedef {import("../../texts.js").Said} Said */
/** @typedef {import("../rules.js").Move} Move */
/** @typedef {import("./drafts.js").PlacedNote} PlacedNote */
/** @typedef {import("./tree.js").GameNode} GameNode */

/**
 * Puts the notes of a line into the tree; returns warnings about illegal variations.
 * @param {GameNode[]} line the root of a game and the nodes of its main continuation, still without notes
 * @param {PlacedNote[]} notes
 */
export function plantNotes(line, notes) {
  /** @type {Said[]} */
  const warnings = [];
  /** @type {[GameNode[], PlacedNote[], number][]} */
  const waiting = [[line, notes, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [nodes, entries, before] = next;
    for (const [ply, note] of entries) if (note instanceof DraftSetup) nodes[ply].setup = note.board;
    // a comment at the beginning is about the game, or about the first move of the variation
    const first = nodes === line ? 0 : 1,
      queue = [...entries].reverse();
    let afterVariation = -1;
    for (let entry = queue.pop(); entry; entry = queue.pop()) {
      const [ply, note] = entry,
        node = nodes[Math.max(ply, first)];
      if (note instanceof Judgement) {
        if (!node.nags.includes(note.text)) node.nags.push(note.text);
      } else if (typeof note === "string") {
        const following = ply === first - 1 || ply === afterVariation ? nodes[ply + 1] : null;
        if (following instanceof ChildNode) following.startingComments.push(note);
        else node.comments.push(note);
      } else if (note instanceof DraftSetup) {
        // set up above
      } else if (!endAtUnknown(note).moves.length) {
        for (let i = note.notes.length; i--; ) queue.push([ply, note.notes[i][1]]);
      } else if (nodes.length === 1) {
        node.comments.push(note.moves.join(" "));
        warnings.push(told("pdn.no_move"));
      } else {
        const index = Math.max(ply, 1) - 1,
          branch = branchOf(nodes[index], before + index, note, warnings);
        waiting.push([branch, note.notes, before + index]);
        // before the first move of the game all comments are about the game
        afterVariation = ply || -1;
      }
    }
  }
  return warnings;
}

/**
 * Ends a variation at an unknown move: the moves after it would be taken for moves of the position before it.
 * @param {DraftLine} line
 */
function endAtUnknown(line) {
  const end = line.played,
    rest = line.moves.slice(end);
  if (!rest.length) return line;
  line.notes = notesUpTo(line.notes, end)
    // a position that is set up behind the unknown move is text as the moves are
    .map(([ply, note]) => [Math.min(ply, end), ply > end && note instanceof DraftSetup ? note.text : note]);
  line.notes.push([end, `${NOT_KNOWN}: ${rest.join(" ")}`]);
  line.moves = line.moves.slice(0, end);
  line.offsets = line.offsets.slice(0, end);
  line.known = null;
  return line;
}

/** Notes without those about moves after some number of them. @param {PlacedNote[]} notes @param {number} end */
export const notesUpTo = (notes, end) =>
  notes.filter(([ply, note]) => ply <= end || !(note instanceof DraftLine || note instanceof Judgement));

/**
 * The node before a variation and the new nodes of its moves; text from the first illegal move on.
 * @param {GameNode} anchor
 * @param {number} ply
 * @param {DraftLine} line
 * @param {Said[]} warnings
 */
function branchOf(anchor, ply, line, warnings) {
  /** @type {(Move | string)[]} */
  let moves = line.moves.map(plainMove);
  /** @type {Position[]} */
  let boards = [];
  if (anchor.isLegal) {
    const texts = /** @type {string[]} */ (moves),
      {replay, notes, refused} = replayLine(anchor.position, texts.slice(0, line.played), line.notes);
    for (const each of replay.ambiguous) warnings.push(each);
    if (refused) warnings.push(told("pdn.in_variation", {why: refused.why}));
    if (replay.error) {
      const failed = ply + replay.moves.length + 1;
      warnings.push(told("pdn.in_variation_at", {ply: String(failed), why: replay.error.told}));
    }
    line.notes = movedNotes(notes, replay.firsts, replay.failed);
    moves = [...replay.moves, ...texts.slice(replay.failed)];
    boards = replay.boards.slice(0, replay.moves.length + 1);
  }
  return grown(anchor, moves, boards);
}

/**
 * Adds moves to a node, one after another; returns it and the new nodes.
 * @param {GameNode} node
 * @param {readonly (Move | string)[]} moves
 * @param {readonly Position[]} boards the position of the node and the ones after its moves, as far as these are legal
 */
export function grown(node, moves, boards) {
  const nodes = [node];
  for (const [index, move] of moves.entries()) {
    const child = new ChildNode(nodes[index], move, null, boards[index + 1] ?? null);
    nodes[index].variations.push(child);
    nodes.push(child);
  }
  return nodes;
}

/**
 * Plays the moves of a line, with the positions that its notes set up. Returns the notes too, with the setups that are
 * not played as comments, and the setup at which the moves end because its position can't be set up there.
 * @param {Position} board
 * @param {string[]} texts
 * @param {PlacedNote[]} notes
 * @returns {{replay: Replay, notes: PlacedNote[], refused: {setup: DraftSetup, why: Said} | null}}
 */
export function replayLine(board, texts, notes) {
  /** @type {[number, DraftSetup][]} */
  const setups = [];
  for (const [ply, note] of notes) if (note instanceof DraftSetup) setups.push([ply, note]);
  if (!setups.length) return {replay: new Replay(board, texts), notes, refused: null};
  const replay = new Replay(board, texts.slice(0, setups[0][0]));
  let refused = null;
  for (const [index, [ply, setup]] of setups.entries()) {
    if (replay.failed < ply || refused) break;
    const end = index + 1 < setups.length ? setups[index + 1][0] : texts.length;
    try {
      setup.board = settable(setup.fen, replay.boards[replay.boards.length - 1]);
    } catch (error) {
      if (!(error instanceof KrError)) throw error;
      refused = {setup, why: error.told};
      continue;
    }
    replay.resume(setup.board, texts.slice(ply, end));
  }
  const remaining = notes.map(([ply, note]) => {
    const placed = note instanceof DraftSetup && !note.board ? note.text : note;
    return /** @type {PlacedNote} */ ([ply, placed]);
  });
  return {replay, notes: remaining, refused};
}

/** The position of a setup command in place of a board. @param {string} fen @param {Position} board */
function settable(fen, board) {
  let position;
  try {
    position = Position.fromFen(fen);
  } catch (error) {
    if (!(error instanceof KrError)) throw error;
    throw new Refused("pdn.bad_setup", {why: error.told}, "pdn");
  }
  if (position.side === board.side) return position;
  const side = sideName(board.side);
  throw new Refused("pdn.other_side", {letter: side[0].toUpperCase(), side, fen: quoted(fen)}, "pdn");
}

/**
 * Notes whose plies count texts, for moves of which some were given in several texts.
 * @param {PlacedNote[]} notes
 * @param {readonly number[]} firsts number of the first text of each move
 * @param {number} replayed number of the texts of them all
 * @returns {PlacedNote[]}
 */
export function movedNotes(notes, firsts, replayed) {
  if (firsts.length === replayed) return notes;
  const joined = replayed - firsts.length;
  return notes.map(([ply, note]) => [ply <= replayed ? countBelow(firsts, ply) : ply - joined, note]);
}

/**
 * How many of some ascending numbers are less than a bound.
 * @param {readonly number[]} numbers
 * @param {number} bound
 */
function countBelow(numbers, bound) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
