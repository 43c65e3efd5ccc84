// Keeps the game on the board in the library as it changes: another one that takes its place leaves it there.

/** @typedef {import("../tree.js").GameTree} GameTree */
/** @typedef {import("./cards.js").Source} Source */
/**
 * What the library has of a game on the board. id: of its card, once it has one, and rev of what the board has of it;
 * isListed: a list has it, so that one only looked at in passing is not kept; isChanged: what the board has is not
 * kept.
 * @typedef {{source: Source, id?: string, rev?: number, isListed?: boolean, isChanged?: boolean}} Kept
 */

const SETTLED_MS = 1000;

export class Keeper {
  /**
   * @param {import("../shell.js").App} app
   * @param {() => void} onkept hears that a game is kept
   */
  constructor(app, onkept) {
    this._app = app;
    /** @type {GameTree} */
    this._tree = app.tree;
    this._onkept = onkept;
    /** @type {WeakMap<object, Kept & {edits: number, isMoved: boolean}>} */
    this._games = new WeakMap();
    /** @type {Kept | undefined} of the game that comes next */
    this._next = undefined;
    this._held = this._tree.hold();
    this._settling = 0;
    this._work = Promise.resolve();
    this._came();
    app.expect = (/** @type {Kept | undefined} */ kept) => this.expect(kept);
    app.keepGame = () => this.flush();
    this._tree.on("game", () => this._came());
    this._tree.on("edit", () => this._edited());
    this._tree.on("node", () => this._stepped());
    addEventListener("pagehide", () => void this.flush());
  }

  /** What is kept of the game on the board. */
  get current() {
    const {source, id, rev, isListed, isChanged} = this._own;
    return {source, id, rev, isListed, isChanged};
  }

  get _own() {
    const {game} = this._held,
      own = this._games.get(game) ?? {source: "board", isChanged: true, edits: 0, isMoved: false};
    this._games.set(game, own);
    return own;
  }

  /** Says what is known of the game that the tree loads next. @param {Kept | undefined} kept */
  expect(kept) {
    this._next = kept;
  }

  /** Shows a game of the library on the board. @param {string} id */
  open(id) {
    const {_app: app} = this;
    return app.attempt(
      async () => {
        await this.flush();
        return (await this._library()).get(id);
      },
      game => {
        if (!game) return;
        const {source, rev, path, person} = game.card;
        this.expect({source, id, rev});
        // the person sits below
        app.open(game.document, path, person ? person === "black" : undefined);
      },
    );
  }

  /** Keeps the game as it is now. */
  flush() {
    clearTimeout(this._settling);
    const own = this._own;
    if (own.isChanged || own.isMoved) this._write(own);
    return this._work;
  }

  _came() {
    const before = this._own;
    if (this._held.game === this._tree.game && this._held.root !== this._tree.root) {
      // another state of it, such as one with the marks of a review
      this._edited();
      return;
    }
    // one that a list has is found there again
    if (!before.isListed) void this.flush();
    this._held = this._tree.hold();
    if (this._next)
      this._games.set(this._held.game, {isChanged: !this._next.id, ...this._next, edits: 0, isMoved: false});
    this._next = undefined;
    this._wait();
  }

  _edited() {
    this._held = this._tree.hold();
    const own = this._own;
    own.edits += 1;
    own.isChanged = true;
    own.isListed = false;
    this._wait();
  }

  _stepped() {
    this._held = this._tree.hold();
    this._own.isMoved = true;
    this._wait();
  }

  _wait() {
    clearTimeout(this._settling);
    this._settling = window.setTimeout(() => void this.flush(), SETTLED_MS);
  }

  async _library() {
    const {libraryOf} = await import("./games.js"),
      library = libraryOf(this._app);
    await library.ready;
    return library;
  }

  /** @param {Kept & {edits: number, isMoved: boolean}} own */
  _write(own) {
    const {root, node} = this._held,
      {edits, isChanged} = own,
      path = this._tree.path(node),
      document = isChanged ? this._tree.document(this._held) : undefined;
    own.isMoved = false;
    // without a move it is no game
    if (!root.children.length || (!own.id && !document)) return;
    this._work = this._work.then(async () => {
      try {
        const library = await this._library(),
          changed = own.id && (await library.update(own.id, {document, rev: own.rev, path}));
        if (!document) return;
        const {id, rev} = changed || (await library.add({document, path, source: own.source}));
        Object.assign(own, {id, rev, isChanged: own.edits !== edits});
        this._onkept();
      } catch (error) {
        this._app.fail(error);
      }
    });
  }
}
