// A try at a puzzle, as it counts for the rating and for the puzzles in a row.

import {dayNumber} from "./training.js";

/** @import {Puzzle} from "./state.js" */

export class Attempt {
  /** @param {import("./training.js").Training} training */
  constructor(training) {
    this._training = training;
    this.streak = 0; // puzzles solved in a row without a wrong move or a hint
    this.gain = 0; // of the rating
    this.isLikely = false; // a search has judged a move
    this._isClean = true;
  }

  begin() {
    this.gain = 0;
    this.isLikely = false;
    this._isClean = true;
  }

  /**
   * A wrong move, or help.
   * @param {Puzzle} puzzle
   * @param {"tries" | "hints"} what
   */
  miss({key, rating}, what) {
    this.streak = 0;
    this._isClean = false;
    this._rate(day => this._training.miss(key, what, rating, day));
  }

  /** @param {Puzzle} puzzle */
  solve({key, rating}) {
    if (this._isClean) this.streak += 1;
    const how = {clean: this._isClean, likely: this.isLikely};
    this._rate(day => this._training.solve(key, rating, day, how));
  }

  /** Remembers by how much something changes the rating. @param {(day: number) => void} act */
  _rate(act) {
    this._training.refresh();
    const day = dayNumber(),
      before = this._training.ratingOn(day).rating;
    act(day);
    this.gain += this._training.ratingOn(day).rating - before;
  }
}
