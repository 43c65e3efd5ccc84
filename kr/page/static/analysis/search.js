// The searches of the position on the board: one engine or two side by side, begun, stopped and heard.

/** @typedef {import("./lines.js").Lines} Lines */
/**
 * @typedef {{lines: number, within: number, limit: string, threat: boolean, engines: number[]}} Wanted engines: their
 * numbers, or -1
 */

const SETTLE_MS = 120; // while one steps quickly, positions that are only passed are not searched

export class Search {
  /**
   * @param {Pick<import("../shell.js").App, "live" | "api">} app
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
          if (i === 0 && event.exact !== undefined) {
            [this.exact, this.draw] = [event.exact, event.draw || ""];
            if (!threat) void this._order(asked);
          }
          block.hear(event);
          this._onnews();
        }),
      );
    });
  }

  /**
   * Of several moves that draw the harder ones for people come first.
   * @param {{start: string, moves: string[]}} game
   */
  async _order({start, moves}) {
    const {exact} = this;
    if (exact?.value !== "draw" || exact.moves.length < 2) return;
    const found = await this._app.api("endings/values", {fen: start, moves, harder: true}).catch(() => null);
    if (!found?.harder || this.exact !== exact) return;
    /** @type {Map<string, object>} */
    const known = new Map(exact.moves.map((/** @type {{text: string}} */ move) => [move.text, move]));
    this.exact = {
      ...exact,
      moves: found.moves.map((/** @type {{text: string}} */ {text}) => known.get(text)),
      isOrdered: true,
    };
    this._onnews();
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
