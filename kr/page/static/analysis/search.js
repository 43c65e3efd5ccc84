// The searches of the position on the board: one engine or two side by side, begun, stopped and heard.

/** @typedef {import("./lines.js").Lines} Lines */
/**
 * @typedef {{lines: number, within: number, limit: string, threat: boolean, engines: number[]}} Wanted engines: their
 * numbers, or -1
 */

const SETTLE_MS = 120; // while one steps quickly, positions that are only passed are not searched

export class Search {
  /**
   * @param {{live: (what: string, args: object, hear: (event: any) => void) => {stop: () => void}}} app
   * @param {import("../tree.js").GameTree} tree
   * @param {Lines[]} blocks which hear the engines
   * @param {() => void} onnews
   */
  constructor(app, tree, blocks, onnews) {
    this._app = app;
    this._tree = tree;
    this._blocks = blocks;
    this._onnews = onnews;
    /** @type {Array<{stop: () => void}>} */
    this._streams = [];
    this._waits = 0;
    this._begun = 0;
    /** @type {any} the node of the position that is searched, or was */
    this.node = null;
    this.draw = "";
    this.forget();
  }

  /** What is known exactly belongs to the position before. */
  forget() {
    /** @type {any} */
    this.exact = null;
    this.draw = "";
  }

  get isHere() {
    return this.node === this._tree.node;
  }

  end() {
    clearTimeout(this._waits);
    this._waits = 0;
    for (const stream of this._streams) stream.stop();
    this._streams = [];
    for (const {told} of this._blocks) if (told) told.now = 0;
  }

  /** @param {Wanted} wanted */
  begin({lines, within, limit, threat, engines}) {
    this.end();
    this._begun = performance.now();
    this.node = this._tree.node;
    this.forget();
    const asked = {...this._tree.replay(), lines, within, limit, threat};
    this._blocks.forEach((block, i) => {
      block.begin(true);
      block.element.hidden = engines[i] < 0;
      if (engines[i] < 0) return;
      this._streams.push(
        this._app.live("analysis", {...asked, engine: engines[i]}, event => {
          if (i === 0 && event.exact !== undefined) [this.exact, this.draw] = [event.exact, event.draw || ""];
          block.hear(event);
          this._onnews();
        }),
      );
    });
  }

  /**
   * Begins again soon: at once, unless one steps through many positions.
   * @param {() => void} begin
   */
  settle(begin) {
    const rest = SETTLE_MS - (performance.now() - this._begun);
    this._begun = performance.now();
    if (rest <= 0) begin();
    else this._waits = window.setTimeout(begin, rest);
  }
}
