// Problems as puzzles: the solver's moves judged one by one, the best reply to each, hints, and the end of a puzzle
// (kr/problems/puzzles.py, which says in full how).
//
// A move is right if it keeps the value that the solver plays for. It is judged by the rules and the endgame database,
// where they reach; by the solution, as long as that is followed; else by a search of the position after it, compared
// with one of the best move. If that leaves it open, `keeps` is null.

import {opposite} from "./chances.js";
import {exactMoves, hardestMove} from "./exact.js";
import {countOf} from "./notation.js";
import {continued, isSeen, reasons} from "./review/coach.js";
import {BLACK, Board, NO_MOVE, NO_PIECES, NO_PROGRESS, Position, REPETITION, sideName} from "./rules.js";
import {KrError, Refused} from "./text.js";
import {chancesOf, known, signOf} from "./weighing.js";

/** @typedef {import("./rules.js").Move} Move */
/** @typedef {import("./chances.js").Value} Value */
/** @typedef {import("./weighing.js").Analysis} Analysis */
/** @typedef {import("./house.js").DatabasePort} DatabasePort */
/** @typedef {import("./exact.js").ExactMove} ExactMove */

/**
 * As kr/page/data.py writes it; what is empty is left out. exact: its value by the database, of the person's own; plan,
 * moves: of a step of a course; moves: right ones after which it is solved, whatever is left
 * @typedef {{
 *   fen: string, result?: string, title?: string, author?: string, source?: string, solution?: string,
 *   first_move?: string, keeping_moves?: string[], exact?: Value, themes?: string[], rating?: number,
 *   evidence?: string, disproved?: boolean, plan?: string, moves?: number,
 * }} Problem
 */
/**
 * A search within limits of its own, of a position after earlier ones that could be repeated. The same positions must
 * give the same answer.
 * @typedef {(position: Position, history: readonly Position[]) => Promise<Analysis>} Sight
 */
/**
 * Judgement of the solver's last move, with its evidence, and what follows: the opponent's move if the game goes on;
 * true if the puzzle ends here, solved; why it ends here, "" if it goes on.
 * @typedef {{keeps: boolean | null, by: string, reply: Move | null, solved: boolean, ended: Sentence | null}} Verdict
 */
/**
 * Value of a problem for its side to move, by searches; the share of such verdicts that come true, null if it is
 * unclear; true if it is that of a composed problem, not of any position.
 * @typedef {{value: Value, chance: number | null, composed: boolean}} Guess
 */
/** @typedef {{solved: boolean, ended: Sentence}} End */
/** @typedef {import("../texts.js").Sentence} Sentence */

/** How the rules end a game, by the names of sentences. @type {Record<string, string>} */
const RULES = {
  [NO_PIECES]: "no_pieces",
  [NO_MOVE]: "no_move",
  [REPETITION]: "repetition",
  [NO_PROGRESS]: "no_progress",
};

/** @param {string} name @param {Sentence["with"]} [values] @returns {Sentence} */
const sentence = (name, values) => ({say: `puzzle.${name}`, with: values});

/** Evidence for a judgement; the rules count as the database. */
const DATABASE = "database",
  SOLUTION = "solution",
  SEARCH = "search";
/** Least probability by the policy of a move that looks natural. */
const LEAST_NATURAL = 0.1;
/** @type {Record<string, number | null>} */
const WINNERS = {"B-win": 0, "W-win": 1, draw: null};

/** True if two moves from one position lead to the same position. @param {Move} one @param {Move} other */
const sameMove = (one, other) =>
  one.origin === other.origin && one.target === other.target && one.captured === other.captured;

/** @param {Analysis} analysis */
const bestOf = ({lines}) => lines[0].pv[0];

/** A game that can go on apart from this one. @param {Board} board @param {number} [plies] moves that it has */
export function copyOf(board, plies = board.moves.length) {
  const copy = new Board(board.start);
  for (const move of board.moves.slice(0, plies)) copy.play(move);
  return copy;
}

export class Puzzle {
  /**
   * @param {Problem} problem
   * @param {Record<string, number>} terms of kr/page/data.py: bounds by which moves are judged and puzzles end
   * @param {() => Promise<DatabasePort | null>} load the database, which only judgements need
   * @param {Sight} search
   * @param {(analysis: Analysis, after: Analysis) => Promise<Guess>} judge of a position whose value is not known, by
   *   searches of it and of the position after its best move
   */
  constructor(problem, terms, load, search, judge) {
    this.problem = problem;
    this._terms = terms;
    this._enough = problem.moves ?? Number.POSITIVE_INFINITY;
    this.position = Position.fromFen(problem.fen);
    this._load = load;
    /** @type {DatabasePort | null} */
    this._database = null;
    this._search = search;
    this._judge = judge;
    /** Value for the side to move; null until a search has guessed it. */
    this._value = problem.exact ?? publishedValue(problem, this.position.side);
    /** What the goal is a guess by, where it is one. @type {Guess | null} */
    this.guess = null;
    /** Known moves that keep the published result, if all of them are known. */
    this.keeping = (problem.keeping_moves ?? []).map(text => this.position.parseMove(text));
    this.published = publishedLine(this.position, problem);
  }

  /** Value that the solver plays for; null until it is known. @returns {Value | null} */
  get goal() {
    return this._value === "loss" ? "win" : this._value;
  }

  /** The side of the person: the one to move, or in a lost position the other. */
  get solver() {
    const {side} = this.position;
    return this._value === "loss" ? 1 - side : side;
  }

  /** Waits for what judges a move. */
  async prepare() {
    this._database = await this._load();
    if (!this._value) {
      const analysis = await this._search(this.position, []),
        after = await this._search(this.position.after(bestOf(analysis)), [this.position]),
        guess = await this._judge(analysis, after);
      this._value = guess.value;
      this.guess = guess;
    }
    return this;
  }

  /** Right moves after which the puzzle counts as solved, unless it ends before. */
  get rightMoves() {
    const published = this.#solvers(this.published).length,
      {win_moves: won, draw_moves: drawn, most_moves: most} = this._terms;
    return Math.min(published || (this.goal === "win" ? won : drawn), most);
  }

  /** The game at the start, with the first move if that is the opponent's. */
  async begin() {
    const board = new Board(this.position);
    if (!this._value) await this.prepare();
    if (board.side === this.solver) return board;
    await this.prepare();
    board.play(await this.reply(board));
    return board;
  }

  /**
   * Judges the last move of a game from the start, which is the solver's.
   * @param {Board} board
   * @returns {Promise<Verdict>}
   */
  async judge(board) {
    if (!board.moves.length || board.side === this.solver)
      throw new Refused("refused.not_last_move", {side: sideName(this.solver)});
    const [keeps, by] = await this.#keeps(board),
      verdict = {keeps, by, reply: null, solved: false, ended: null};
    if (!keeps) return verdict;
    const end = await this.#end(board);
    if (end) return {...verdict, ...end};
    const reply = await this.reply(board),
      after = copyOf(board);
    after.play(reply);
    return {...verdict, reply, ...this.#endByRule(after)};
  }

  /**
   * Why the last move is wrong, by a fact of the line that begins with it; none where only a search says so. The
   * right move is not told.
   * @param {Board} board
   * @param {Pick<Verdict, "keeps" | "by">} verdict
   * @param {Pick<import("./house.js").EnginePort, "facts">} port
   * @returns {Promise<Sentence[]>}
   */
  async why(board, {keeps, by}, port) {
    const isProved = by === DATABASE || (by === SOLUTION && ["", "proved"].includes(this.problem.evidence ?? ""));
    if (keeps !== false || !isProved || board.position.isOver) return [];
    const before = copyOf(board, board.moves.length - 1),
      {position} = before,
      [right] = await this.best(before),
      [solution] = await this.solution(before),
      search = async (/** @type {Position} */ at) => (await this._search(at, [])).lines[0].pv,
      refutation = await continued(position, board.moves.slice(-1), this._database, search),
      line = await continued(position, solution[0]?.equals(right) ? solution : [right], this._database, search),
      facts = await port.facts(position, refutation, line),
      {lines} = await this._search(board.position, []),
      seen = {score: -lines[0].score, bestScore: null};
    // the first tells most
    return reasons(
      {mark: "", refutation, line},
      facts.filter(fact => !fact.better && isSeen(fact, position, seen)),
    ).slice(0, 1);
  }

  /**
   * Of the solver's wrong moves the one that people most likely play, and why it fails; null where none is known to be
   * wrong, or no fact of its line tells why (kr/problems/natural.py).
   * @param {Board} board
   * @param {Pick<import("./house.js").EnginePort, "facts" | "people">} port
   */
  async natural(board, port) {
    const isKnown = !board.moves.length && this.keeping.length > 0;
    for (const {move, probability} of await port.people([board.position])) {
      if (probability < LEAST_NATURAL) break;
      const tried = copyOf(board);
      tried.play(move);
      // a search would take its time, and prove nothing
      if (!isKnown && !this._database?.has(tried.position)) continue;
      const [keeps, by] = await this.#keeps(tried),
        [reason] = await this.why(tried, {keeps, by}, port);
      if (reason) return {move: String(move), reason};
    }
    return null;
  }

  /** The opponent's answer. @param {Board} board @returns {Promise<Move>} */
  async reply(board) {
    const hardest = await hardestMove(this._database, board.position, board.history);
    return hardest?.move ?? this.#nextPublished(board) ?? bestOf(await this._search(board.position, board.history));
  }

  /** A right move for the solver, and the evidence for it. @param {Board} board @returns {Promise<[Move, string]>} */
  async best(board) {
    const exact = await exactMoves(this._database, board.position),
      published = this.#nextPublished(board);
    if (exact.length) {
      const keeping = exact.filter(each => each.value === exact[0].value);
      if (published && keeping.some(each => sameMove(published, each.move))) return [published, DATABASE];
      return [await this.#choice(board, keeping), DATABASE];
    }
    if (published) return [published, SOLUTION];
    if (!board.moves.length && this.keeping.length) return [this.keeping[0], SOLUTION];
    return [bestOf(await this._search(board.position, board.history)), SEARCH];
  }

  /**
   * One of the moves that keep the best value.
   * @param {Board} board @param {ExactMove[]} keeping @returns {Promise<Move>}
   */
  async #choice(board, keeping) {
    const [{move, value, distance}] = keeping;
    if (value === "draw") {
      // a draw is safest where the opponent's answers are fewest
      const answers = (/** @type {ExactMove} */ each) => each.after.entries.length,
        fewest = (/** @type {ExactMove} */ one, /** @type {ExactMove} */ other) =>
          answers(other) < answers(one) ? other : one;
      return keeping.reduce(fewest).move;
    }
    if (keeping.length > 1 && value === "win" && distance === null) {
      // any of them wins, but only a search makes progress
      const searched = bestOf(await this._search(board.position, board.history));
      return keeping.find(each => sameMove(each.move, searched))?.move ?? move;
    }
    return move;
  }

  /**
   * A line from this position on, both sides playing their best, and the evidence for its first move.
   * @param {Board} game
   * @returns {Promise<[Move[], string]>}
   */
  async solution(game) {
    const followed = this.#followed(game),
      rest = followed === null ? [] : this.published.slice(followed);
    if (rest.length > 1) return [rest.slice(0, this._terms.longest_solution), SOLUTION];
    /** @type {Move[]} */
    const moves = [];
    const board = copyOf(game);
    let by = "";
    while (moves.length < this._terms.longest_solution && !board.outcome()) {
      if (!(await exactMoves(this._database, board.position)).length) {
        if (!moves.length) by = SEARCH;
        moves.push(...(await this._search(board.position, board.history)).lines[0].pv);
        break;
      }
      let move;
      if (board.side === this.solver) {
        const [best, evidence] = await this.best(board);
        move = best;
        by ||= evidence;
      } else move = await this.reply(board);
      moves.push(move);
      board.play(move);
    }
    return [moves, by];
  }

  // --- judging

  /** @param {Board} board @returns {Promise<[boolean | null, string]>} */
  async #keeps(board) {
    const move = board.moves[board.moves.length - 1],
      after = board.position,
      [{value: exact}] = await known(this._database, [after]);
    if (exact) return [this.#isEnough(exact), DATABASE];
    if (board.moves.length === 1 && this.keeping.length)
      return [this.keeping.some(each => sameMove(move, each)), SOLUTION];
    const previous = copyOf(board, board.moves.length - 1),
      published = this.#nextPublished(previous);
    if (published && sameMove(move, published)) return [true, SOLUTION];
    return [await this.#keepsBySearch(previous, after, published), SEARCH];
  }

  /** True if a value for the opponent is what the solver plays for. @param {Value} value */
  #isEnough(value) {
    return signOf(opposite(value)) >= signOf(/** @type {Value} */ (this.goal));
  }

  /** @param {Board} previous @param {Position} after @param {Move | null} published */
  async #keepsBySearch({position: before, history}, after, published) {
    const analysis = await this._search(after, []);
    if (analysis.value) return this.#isEnough(analysis.value);
    const root = await this._search(before, history);
    let best = chancesOf(root).expected;
    if (published) {
      const other = await this._search(before.play(published), []);
      best = Math.max(best, 1 - chancesOf(other).expected);
    } else if (before.play(bestOf(root)).equals(after)) {
      // beyond the published line the search is the best judge, and this move is its hint
      return true;
    }
    if (Number((best - (1 - chancesOf(analysis).expected)).toFixed(6)) >= this._terms.given_away) return false;
    const {value, chance, composed} = await this._judge(
      analysis,
      await this._search(after.after(bestOf(analysis)), [after]),
    );
    return (chance !== null && !composed && this.#isEnough(value)) || null;
  }

  /** Plies of the published line that a game has followed; null if it left the line. @param {Board} board */
  #followed(board) {
    const count = board.moves.length;
    if (count > this.published.length) return null;
    let position = board.start;
    for (let ply = 0; ply < count; ply++) {
      position = position.play(this.published[ply]);
      if (!position.equals(board.positions[ply + 1])) return null;
    }
    return count;
  }

  /** @param {Board} board @returns {Move | null} */
  #nextPublished(board) {
    const followed = this.#followed(board);
    return (followed === null ? null : this.published[followed]) ?? null;
  }

  // --- the end

  /** The solver's moves of a line from the start. @param {readonly Move[]} line */
  #solvers(line) {
    const first = this.position.side === this.solver ? 0 : 1;
    return line.filter((_, ply) => ply % 2 === first);
  }

  /** @param {Board} board @returns {End | null} */
  #endByRule(board) {
    const outcome = board.outcome();
    if (!outcome) return null;
    const {winner, reason} = outcome;
    if (winner === null)
      return {solved: this.goal === "draw", ended: sentence("drawn", {reason: sentence(RULES[reason])})};
    return {
      solved: winner === this.solver,
      ended: sentence("won", {side: sideName(winner), reason: sentence(RULES[reason])}),
    };
  }

  /** @param {Board} board @returns {Promise<End | null>} */
  async #end(board) {
    const byRule = this.#endByRule(board);
    if (byRule) return byRule;
    const moves = this.#solvers(board.moves).length;
    if (moves >= this._enough) return {solved: true, ended: sentence("step")};
    const ended = this.goal === "win" ? await this.#won(board, moves) : await this.#drawn(board, moves);
    return ended ? {solved: true, ended} : null;
  }

  /** Why a win counts as won. @param {Board} board @param {number} moves of the solver */
  async #won(board, moves) {
    const {position} = board,
      ahead = lead(position, this.solver),
      [{value: exact, distance}] = await known(this._database, [position]);
    if (distance !== null && distance < this._terms.plain_plies) return sentence("plain_win");
    if (ahead >= this._terms.plain_lead && ahead > lead(board.start, this.solver) && !position.entries[0].captured) {
      const proved = exact ?? (await this._search(position, [])).value;
      if (proved === "loss") return sentence("ahead", {lead: ahead});
    }
    const isComplete = this.published.length > 1 && this.#followed(board) === this.published.length;
    return isComplete || (distance === null && moves >= this.rightMoves) ? sentence("complete") : null;
  }

  /** Why a draw counts as held. @param {Board} board @param {number} moves of the solver */
  async #drawn({position}, moves) {
    if (moves >= this.rightMoves) return sentence("held");
    if (moves < this._terms.safe_moves || (await known(this._database, [position]))[0].value !== "draw") return null;
    const replies = await exactMoves(this._database, position),
      answers = await Promise.all(replies.map(reply => exactMoves(this._database, reply.after)));
    return answers.flat().every(answer => answer.value !== "loss") ? sentence("safe") : null;
  }
}

/**
 * The published line, as far as it is legal, or the first move alone.
 * @param {Position} start
 * @param {Problem} problem
 */
function publishedLine(start, {solution, first_move: first}) {
  /** @type {Move[]} */
  const line = [];
  let position = start;
  try {
    for (const text of solution?.split(" ") ?? []) {
      const move = position.parseMove(text);
      line.push(move);
      position = position.play(move);
    }
  } catch (error) {
    if (!(error instanceof KrError)) throw error;
  }
  if (!line.length && first) line.push(start.parseMove(first));
  return line;
}

/** @param {Problem} problem @param {number} side to move @returns {Value | null} */
function publishedValue({result}, side) {
  if (!result) return null;
  const winner = WINNERS[result];
  return winner === null ? "draw" : winner === side ? "win" : "loss";
}

/** Pieces that a side has more than the other. @param {Position} position @param {number} side */
function lead({black, white}, side) {
  const ahead = countOf(black) - countOf(white);
  return side === BLACK ? ahead : -ahead;
}
