// Answers that come too late: what an errand brings is stale once a newer one has begun.

/** @typedef {ReturnType<Errands["begin"]>} Errand */

export class Errands {
  _newest = 0;

  /** Begins one; those before it are stale. */
  begin() {
    this.end();
    return this.current();
  }

  /** Makes all that were begun stale. */
  end() {
    this._newest += 1;
  }

  /** The one that was begun last, for another question about the same thing. */
  current() {
    const own = this._newest,
      newest = () => this._newest;
    return {
      get isStale() {
        return own !== newest();
      },
    };
  }
}
