// A game as a tree of moves: where one stands in it, and every change of it with its undoing. It knows no rules:
// moves come from the server or from the document of a game (kr/viewer/document.py).

const START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
const MOST_CHANGES = 500;

export class GameTree {
  constructor() {
    this._hear = {node: [], edit: [], game: []};
    this._done = [];
    this._undone = [];
    this._ids = 0;
    this._put(this._plant({headers: {}, start: START, result: "*", nodes: []}));
  }

  // what: "node" (another position is shown), "edit" (the tree, its texts or the headers have changed) or "game"
  // (another game has taken its place; "node" follows)
  on(what, hear) { this._hear[what].push(hear); }

  // --- where one stands

  // Shows a node; those of illegal variations can't be.
  select(node) {
    if (!node || node.fen === null) return false;
    this.node = node;
    this._tell("node");
    return true;
  }

  start() { return this._step(this.root); }
  back() { return this._step(this.node.parent); }
  next() { return this._step(this.node.children[0]); }

  end() {
    let node = this.node;
    while (node.children.length && node.children[0].fen !== null) node = node.children[0];
    return this._step(node);
  }

  // the variation beside the current move: 1 for the one below, -1 for the one above
  sibling(step) {
    const others = this.node.parent ? this.node.parent.children.filter(node => node.fen !== null) : [];
    return this._step(others[others.indexOf(this.node) + step]);
  }

  // the nearest move with a mark before (-1) or after (1) the current one, along its line
  mark(step) {
    const line = [...this.line(), ...this._following(this.node)];
    for (let i = line.indexOf(this.node) + step; line[i]; i += step) {
      if (line[i].nags.length) return this._step(line[i]);
    }
    return false;
  }

  // nodes from the root to the current one, or to another
  line(node = this.node) {
    const nodes = [];
    for (; node; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  // nodes of the game as it was played, from the root
  main() { return [this.root, ...this._following(this.root)]; }

  // for each move of the line to a node, which child it is: what `load` takes
  path(node = this.node) { return this.line(node).slice(1).map(each => each.parent.children.indexOf(each)); }

  // all nodes in the order in which games are written
  * nodes(from = this.root) {
    const waiting = [from];
    while (waiting.length) {
      const node = waiting.pop();
      yield node;
      for (let i = node.children.length - 1; i >= 0; i--) waiting.push(node.children[i]);
    }
  }

  // --- changes

  // the position at the start, or the last one set up before a node or there, and the moves from it
  replay(node = this.node) {
    const line = this.line(node), from = line.findLastIndex(each => each === this.root || each.setup);
    return {start: line[from].fen, moves: line.slice(from + 1).map(each => each.text)};
  }

  // Goes to the position after a move {text, path, captured, fen}: to the child that has it, or a new one.
  play(move) {
    const {node} = this, known = node.children.find(child => child.fen === move.fen);
    if (known) {
      this.select(known);
      return known;
    }
    const child = this._node({...move, comments: [], nags: [], starting_comments: []}, node);
    this._change(() => node.children.push(child), () => node.children.pop(), child);
    return child;
  }

  // Moves the variation that a node belongs to one place up, or makes all of its line the main one.
  promote(node, all = false) {
    const moved = this.line(node).filter(each => each.parent && each.parent.children[0] !== each);
    if (!moved.length) return false;
    const before = new Map((all ? moved : moved.slice(-1)).map(each => [each.parent, [...each.parent.children]]));
    const after = new Map();
    for (const each of all ? moved : moved.slice(-1)) {
      const children = before.get(each.parent), at = children.indexOf(each), to = all ? 0 : at - 1;
      after.set(each.parent, [...children.slice(0, to), each, ...children.slice(to, at), ...children.slice(at + 1)]);
    }
    return this._reorder(before, after, this.node);
  }

  // Removes a move and all that follows it.
  remove(node) {
    const {parent} = node;
    if (!parent) return false;
    const stays = this.line().includes(node) ? parent : this.node;
    const after = parent.children.filter(child => child !== node);
    return this._reorder(new Map([[parent, parent.children]]), new Map([[parent, after]]), stays);
  }

  // Changes the texts of a node: {comments, starting_comments, nags}, those that are given.
  annotate(node, texts) {
    const before = Object.fromEntries(Object.keys(texts).map(name => [name, node[name]]));
    if (JSON.stringify(before) === JSON.stringify(texts)) return;
    this._change(() => Object.assign(node, texts), () => Object.assign(node, before));
  }

  // Changes headers and result.
  describe(headers, result = this.result) {
    const before = [this.headers, this.result];
    this._change(() => { [this.headers, this.result] = [headers, result]; },
      () => { [this.headers, this.result] = before; });
  }

  // Shows another game. path: which child to follow at each move, to the node to show. It can be undone.
  load(document, path = []) {
    const before = this._state(), after = this._plant(document);
    for (const index of path) {
      const child = after.node.children[index];
      if (!child || child.fen === null) break;
      after.node = child;
    }
    this._remember({redo: () => this._put(after), undo: () => this._put(before), what: "game", from: before.node,
      to: after.node});
    this._put(after);
    this._tell("game");
    this._tell("node");
  }

  // Makes the game as it is the first that `undo` leads back to.
  forget() { [this._done, this._undone] = [[], []]; }

  // The game with all that can be undone, to be put back by `resume`.
  hold() { return {...this._state(), _done: this._done, _undone: this._undone}; }

  // Shows a game that was held.
  resume(held) {
    this._put(held);
    this._tell("game");
    this._tell("node");
  }

  get canUndo() { return this._done.length > 0; }
  get canRedo() { return this._undone.length > 0; }

  undo() {
    const change = this._done.pop();
    if (!change) return false;
    this._undone.push(change);
    return this._again(change, change.undo, change.from);
  }

  redo() {
    const change = this._undone.pop();
    if (!change) return false;
    this._done.push(change);
    return this._again(change, change.redo, change.to);
  }

  // the game as JSON, as the server takes it
  document() {
    const numbers = new Map(), nodes = [];
    for (const node of this.nodes()) {
      numbers.set(node, nodes.length);
      const {fen, comments, nags} = node, drawn = {};
      if (node.arrows.length) drawn.arrows = node.arrows;
      if (node.circles.length) drawn.circles = node.circles;
      nodes.push(node.parent ? {
        parent: numbers.get(node.parent), text: node.text, path: node.path, captured: node.captured, fen,
        ...(node.setup ? {setup: true} : {}),
        comments, starting_comments: node.starting_comments, nags, ...drawn,
      } : {parent: null, fen, comments, nags, ...drawn});
    }
    return {headers: this.headers, start: this.root.fen, result: this.result, nodes};
  }

  // --- within

  _node(given, parent) {
    return {
      id: ++this._ids, parent, children: [], ply: parent ? parent.ply + 1 : 0,
      fen: given.fen, text: given.text || "", path: given.path || [], captured: given.captured || [],
      comments: given.comments || [], starting_comments: given.starting_comments || [], nags: given.nags || [],
      draw: given.draw || "",
      arrows: given.arrows || [], circles: given.circles || [], setup: given.setup || false,
    };
  }

  _plant({headers, start, result, nodes}) {
    const made = [this._node({...nodes[0], fen: start}, null)];
    for (const given of nodes.slice(1)) {
      const node = this._node(given, made[given.parent]);
      node.parent.children.push(node);
      made.push(node);
    }
    return {root: made[0], node: made[0], headers: headers || {}, result: result || "*"};
  }

  _state() { return {root: this.root, node: this.node, headers: this.headers, result: this.result}; }
  _put(state) { Object.assign(this, state); }

  _tell(what) { for (const hear of this._hear[what]) hear(this.node); }

  _step(node) { return Boolean(node) && node !== this.node && this.select(node); }

  _following(node) {
    const nodes = [];
    while ((node = node.children[0]) && node.fen !== null) nodes.push(node);
    return nodes;
  }

  _remember(change) {
    this._undone = [];
    this._done.push(change);
    if (this._done.length > MOST_CHANGES) this._done.shift();
  }

  _change(redo, undo, to = this.node) {
    const change = {redo, undo, what: "edit", from: this.node, to};
    this._remember(change);
    this._again(change, redo, to);
  }

  _again(change, act, to) {
    const from = this.node;
    act();
    this.node = to;
    this._tell(change.what);
    if (to !== from) this._tell("node");
    return true;
  }

  // Gives nodes other children, unless an illegal variation would come to stand in the game as it was played.
  _reorder(before, after, to) {
    const set = children => { for (const [node, list] of children) node.children = list; };
    set(after);
    const legal = !this.main().at(-1).children.length;
    set(before);
    if (legal) this._change(() => set(after), () => set(before), to);
    return legal;
  }
}
