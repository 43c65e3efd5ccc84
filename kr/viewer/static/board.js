// The board: 32 squares of SVG under a grid of cells for pointers, keys and screen readers. It knows no rules:
// it is given the legal moves of its position, and says which one a person has chosen.

import {el, svg} from "./dom.js";

const CELL = 45, EDGE = 3, WIDTH = 8 * CELL + 2 * EDGE;
const NAMES = {b: "black man", B: "black king", w: "white man", W: "white king"};
const MOVE_MS = 160;
const COLOURS = {G: "green", R: "red", Y: "yellow", B: "blue"};

// column and row, 0 to 7 from the top left, of a square 1-32
export function place(square, flipped) {
  const row = (square - 1) >> 2, column = 2 * ((square - 1) & 3) + 1 - row % 2;
  return flipped ? [7 - column, 7 - row] : [column, row];
}

// pieces by square of a canonical FEN: {18: "W", 1: "b"}
export function placed(fen) {
  const pieces = {};
  for (const part of fen.split(":").slice(1)) {
    const colour = part[0].toLowerCase();
    for (const name of part.slice(1).split(",").filter(Boolean)) {
      const king = name[0] === "K";
      pieces[Number(king ? name.slice(1) : name)] = king ? colour.toUpperCase() : colour;
    }
  }
  return pieces;
}

const ofSide = (piece, side) => (piece.toLowerCase() === "w") === (side === "white");
const either = words => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
const MOST_NAMED = 4;        // captures that a text names

// the squares beside a square that a piece could step to on an empty board
function besides(square, piece) {
  const row = (square - 1) >> 2, odd = row % 2, found = [];
  for (const down of [true, false]) {
    if ((down ? piece === "w" : piece === "b") || (down ? row === 7 : row === 0)) continue;
    const straight = square + (down ? 4 : -4), aside = straight + (odd ? -1 : 1);
    found.push(straight);
    if ((aside - 1) >> 2 === (straight - 1) >> 2) found.push(aside);
  }
  return found.sort((a, b) => a - b);
}

export const sideOf = fen => fen[0] === "W" ? "white" : "black";

export class Board {
  // label: what the board is called; say: hears what should be announced; refuse: hears why a piece can't be moved, on
  // boards that are given all legal moves
  constructor({label = "Board", say = () => {}, refuse = null, numbers = true} = {}) {
    this.say = say;
    this.refuse = refuse;
    this.onidle = null;      // tells why nothing can be moved, where no moves are given
    this.onmove = null;      // hears the move that a person has chosen
    this.onedit = null;      // {click(square), drag(from, to or null)}: takes the place of moves
    this.flipped = false;
    this.fen = "";
    this.pieces = {};
    this.moves = [];
    this._picked = [];       // squares of the move so far
    this._wanted = null;     // the last square of the move, where several ways lead
    this._focus = 1;
    this._refused = 0;       // the square of a piece that couldn't be moved, and was chosen last
    this._marks = {arrows: [], must: [], drawn: [], circles: [], heat: null, heatLabels: {}, labels: {}, regions: []};
    this._layers = {};
    for (const name of ["squares", "heat", "last", "numbers", "targets", "pieces", "labels", "arrows"]) {
      this._layers[name] = svg("g", {class: name});
    }
    this._svg = svg("svg", {viewBox: `0 0 ${WIDTH} ${WIDTH}`, "aria-hidden": "true"},
      svg("rect", {class: "edge", width: WIDTH, height: WIDTH}),
      svg("rect", {class: "light", x: EDGE, y: EDGE, width: 8 * CELL, height: 8 * CELL}),
      Object.values(this._layers));
    this._grid = el("div", {class: "grid", role: "grid", "aria-label": label});
    this.element = el("div", {class: "board" + (numbers ? "" : " plain")}, this._svg, this._grid);
    this._build();
    this._listen();
  }

  // Shows a position. moves: its legal moves, [] for none; last: path of the move that led to it.
  show(fen, {moves = [], last = null, animate = false} = {}) {
    const same = fen === this.fen;
    if (!same || !moves.length) this._forgive();
    this.fen = fen;
    this.moves = moves;
    this._last = last;
    if (same) {
      // the pieces stay: one may be gliding, or be held
      if (this._picked.length && !this._candidates().length) this._unpick();
      this._drawLast();
      this._drawTargets();
      return;
    }
    this.pieces = placed(fen);
    this._unpick();
    this._draw();
    if (animate && last && last.length > 1) this._glide(last);
  }

  flip(on = !this.flipped) {
    this.flipped = on;
    this.element.classList.toggle("flipped", on);
    this._build();
    this._draw();
  }

  numbers(on) { this.element.classList.toggle("plain", !on); }

  // arrows: [{path, kind: best, other, threat or better, label}]
  arrows(list) {
    this._marks.arrows = list || [];
    this._drawArrows();
  }

  // what the author of a game drew on its board: arrows [{from, to, colour}], circles [{square, colour}], if any;
  // colours are G, R, Y and B
  drawings({arrows, circles} = {}) {
    this._marks.drawn = (arrows || []).map(({from, to, colour}) =>
      ({path: [from, to], kind: `drawn ${COLOURS[colour]}`}));
    this._marks.circles = circles || [];
    this._drawArrows();
  }

  // values: {square: -1 to 1}, or null for none; labels: {square: text}
  heat(values, labels = {}) {
    this._marks.heat = values;
    this._marks.heatLabels = labels;
    this._drawHeat();
    this._drawLabels();
  }

  labels(texts) {
    this._marks.labels = texts || {};
    this._drawLabels();
  }

  // outlines squares, such as those of a region
  outline(squares) {
    this._marks.regions = squares || [];
    this._drawHeat();
  }

  get isPicking() { return this._picked.length > 0; }

  unpick() {
    this._unpick();
    this._drawTargets();
  }

  focus() { this._cells[this._focus].focus(); }

  // --- drawing

  _centre(square) {
    const [column, row] = place(square, this.flipped);
    return [EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL];
  }

  _rect(square, props) {
    const [x, y] = this._centre(square);
    return svg("rect", {x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, ...props});
  }

  // squares, numbers and cells, whenever the board is turned
  _build() {
    const squares = [], numbers = [], at = {};
    for (let square = 1; square <= 32; square++) {
      const [x, y] = this._centre(square);
      squares.push(this._rect(square, {class: "dark"}));
      numbers.push(svg("text", {x: x - CELL / 2 + 1.5, y: y - CELL / 2 + 8}, String(square)));
      at[place(square, this.flipped)] = square;
    }
    this._layers.squares.replaceChildren(...squares);
    this._layers.numbers.replaceChildren(...numbers);
    const focused = this._grid.contains(document.activeElement);
    this._cells = {};
    const rows = [];
    for (let row = 0; row < 8; row++) {
      const cells = [];
      for (let column = 0; column < 8; column++) {
        const square = at[[column, row]];
        const cell = el("div", square ? {role: "gridcell", tabindex: -1, "data-square": square} : {role: "gridcell"});
        if (square) this._cells[square] = cell;
        cells.push(cell);
      }
      rows.push(el("div", {role: "row"}, cells));
    }
    this._grid.replaceChildren(...rows);
    this._cells[this._focus].tabIndex = 0;
    if (focused) this.focus();
  }

  _draw() {
    const pieces = [];
    this._uses = {};
    for (const [square, piece] of Object.entries(this.pieces)) {
      const [x, y] = this._centre(Number(square));
      const name = NAMES[piece].replace(" ", "-");
      const use = svg("use", {
        href: `#piece-${name}`, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL,
        class: `piece ${NAMES[piece]}`, "data-square": square,
      });
      this._uses[square] = use;
      pieces.push(use);
    }
    this._layers.pieces.replaceChildren(...pieces);
    this._drawLast();
    this._drawHeat();
    this._drawTargets();
    this._drawArrows();
    this._drawLabels();
  }

  _drawLast() {
    this._layers.last.replaceChildren(...(this._last || []).map(square => this._rect(square)));
  }

  _drawTargets() {
    const marks = [], movable = new Set();
    if (this._picked.length) {
      marks.push(...this._picked.map(square => this._rect(square, {class: "picked"})));
      for (const square of this._targets()) {
        const [cx, cy] = this._centre(square);
        marks.push(svg("circle", {class: "target", cx, cy, r: this.pieces[square] ? 20 : 9}));
      }
    }
    for (const move of this.moves) movable.add(move.path[0]);
    const capturing = this.moves.length > 0 && Boolean(this.moves[0].captured?.length);
    this._layers.targets.replaceChildren(...marks);
    for (let square = 1; square <= 32; square++) {
      const cell = this._cells[square], piece = this.pieces[square];
      const words = [String(square), piece ? NAMES[piece] : "empty"];
      if (this._picked.includes(square)) words.push("chosen");
      else if (this._picked.length && this._targets().has(square)) words.push("can be moved to");
      else if (movable.has(square)) words.push(capturing ? "must capture" : "can move");
      cell.setAttribute("aria-label", words.join(", "));
      cell.classList.toggle("movable", movable.has(square) || Boolean(this.onedit && piece));
    }
  }

  _drawHeat() {
    const {heat, regions} = this._marks;
    const rects = Object.entries(heat || {}).map(([square, value]) =>
      this._rect(Number(square), {class: value < 0 ? "helps-white" : "helps-black",
        "fill-opacity": Math.min(1, Math.abs(value))}));
    rects.push(...regions.map(square => this._rect(square, {class: "region"})));
    this._layers.heat.replaceChildren(...rects);
  }

  _drawLabels() {
    const texts = {...this._marks.heatLabels, ...this._marks.labels};
    this._layers.labels.replaceChildren(...Object.entries(texts).map(([square, text]) => {
      const [x, y] = this._centre(Number(square)), width = Math.min(CELL - 2, 6.2 * text.length + 6);
      return svg("g", null,
        svg("rect", {x: x - width / 2, y: y + 8.5, width, height: 13, rx: 3}),
        svg("text", {x, y: y + 18.5, "text-anchor": "middle"}, text));
    }));
  }

  _drawArrows() {
    const {circles, drawn, arrows, must} = this._marks;
    this._layers.arrows.replaceChildren(...circles.map(circle => this._circle(circle)),
      ...[...drawn, ...arrows, ...must].map(arrow => this._arrow(arrow)));
  }

  _circle({square, colour}) {
    const [cx, cy] = this._centre(square);
    return svg("circle", {class: `ring ${COLOURS[colour]}`, cx, cy, r: CELL / 2 - 3});
  }

  _arrow({path, kind = "best", label = ""}) {
    const points = path.map(square => this._centre(square));
    const [x, y] = points.at(-1), [x0, y0] = points.at(-2) || [x, y];
    const length = Math.hypot(x - x0, y - y0) || 1, dx = (x - x0) / length, dy = (y - y0) / length;
    const [bx, by] = [x - dx * 13, y - dy * 13];
    const line = [...points.slice(0, -1), [bx + dx, by + dy]].map(point => point.join(",")).join(" ");
    const head = [[x + dx * 4, y + dy * 4], [bx - dy * 10, by + dx * 10], [bx + dy * 10, by - dx * 10]];
    const drawn = svg("g", {class: `arrow ${kind}`},
      svg("polyline", {points: line}), svg("polygon", {points: head.map(point => point.join(",")).join(" ")}));
    if (label) drawn.append(svg("text", {x: (x + x0) / 2, y: (y + y0) / 2 + 4, "text-anchor": "middle"}, label));
    return drawn;
  }

  _glide(path) {
    const use = this._uses[path.at(-1)];
    if (!use || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [x, y] = this._centre(path.at(-1));
    const steps = path.map(square => this._centre(square)).map(
      ([a, b]) => ({transform: `translate(${a - x}px, ${b - y}px)`}));
    use.animate(steps, {duration: MOVE_MS * (path.length > 2 ? 2 : 1), easing: "ease-out"});
  }

  // --- choosing a move

  _candidates() {
    return this.moves.filter(move =>
      this._picked.every((square, i) => move.path[i] === square) &&
      (this._wanted === null || move.path.at(-1) === this._wanted));
  }

  // squares that can be clicked next: where candidates land next, and where they end
  _targets() {
    const next = new Set(), count = this._picked.length;
    for (const move of this._candidates()) {
      next.add(move.path[count]);
      if (this._wanted === null) next.add(move.path.at(-1));
    }
    return next;
  }

  _unpick() {
    this._picked = [];
    this._wanted = null;
  }

  // --- why a piece can't be moved

  _forgive() {
    this._refused = 0;
    if (!this._marks.must.length) return;
    this._marks.must = [];
    this._drawArrows();
  }

  // Says why the piece on a square can't be moved, or not to another one, and shows the captures that there are.
  _refuse(from, to = 0) {
    if (!this.refuse || this.onedit) return;
    if (!this.moves.length) {
      const why = this.onidle && this.onidle();
      if (why) this.refuse(why);
      return;
    }
    const piece = this.pieces[from], side = sideOf(this.fen),
      captures = this.moves.filter(move => move.captured?.length);
    const own = this.moves.filter(move => move.path[0] === from);
    let why = "";
    if (!ofSide(piece, side)) {
      why = `${from} is a ${NAMES[piece]}: ${side === "black" ? "Black" : "White"} is to move`;
    } else if (captures.length) {
      const free = to ? [to] : own.length ? [] : besides(from, piece).filter(square => !this.pieces[square]);
      const meant = free.map(square => `${from}-${square}`);
      const texts = [...new Set(captures.map(move => move.text))];
      const named = texts.length > MOST_NAMED ? [...texts.slice(0, MOST_NAMED), "others"] : texts;
      why = (meant.length === 0 ? `The ${NAMES[piece]} on ${from} can't move` :
        meant.length === 1 ? `${meant[0]} isn't possible` : `${meant.join(" and ")} aren't possible`) +
        `: you must capture, ${either(named)}`;
      this._marks.must = captures.map(move => ({path: move.path, kind: "must"}));
      this._drawArrows();
    } else if (own.length) {
      const targets = [...new Set(own.map(move => move.path.at(-1)))];
      why = `${from}-${to} isn't possible: ${from} can go to ${either(targets)}`;
    } else {
      why = `The ${NAMES[piece]} on ${from} is blocked` + (to ? `: ${from}-${to} isn't possible` : "");
    }
    this._refused = ofSide(piece, side) ? from : 0;
    this.refuse(why);
  }

  _choose(square) {
    if (this.onedit) {
      this.onedit.click(square);
      return;
    }
    const refused = this._refused, before = this._picked;
    this._forgive();
    if (this._picked.length && !(this._picked.length === 1 && this._picked[0] === square)) {
      const candidates = this._candidates();
      const stepping = candidates.filter(move => move.path[this._picked.length] === square);
      const ending = candidates.filter(move => move.path.at(-1) === square);
      if (stepping.length) {
        this._picked.push(square);
        this._settle(stepping);
        return;
      }
      if (ending.length) {
        this._wanted = square;
        this._settle(ending);
        return;
      }
    }
    const again = this._picked[0] === square;
    this._unpick();
    if (!again && this.moves.some(move => move.path[0] === square)) this._picked = [square];
    this._drawTargets();
    if (again || this._picked.length) return;
    if (this.pieces[square]) this._refuse(square);
    else if (before.length > 1) this.refuse?.(
      `The capture goes on from ${before.at(-1)}: begin again with ${before[0]}`);
    else if (before.length || refused) this._refuse(before[0] || refused, square);
  }

  // plays the move if there is one left; different ways with the same outcome are one
  _settle(left) {
    if (left.every(move => move.fen === left[0].fen)) {
      this._unpick();
      this._drawTargets();
      if (this.onmove) this.onmove(left[0]);
      return;
    }
    this._drawTargets();
    this.say(`Several ways: choose the next square, ${[...this._targets()].join(" or ")}`);
  }

  // a piece is put down on another square
  _drop(from, to) {
    if (!this.pieces[to] || !this._picked.length || this._targets().has(to)) {
      this._choose(to);
      return;
    }
    this.unpick();
    this._refuse(from, to);
  }

  // --- pointers and keys

  _squareAt(event) {
    const box = this._grid.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * 8);
    const row = Math.floor((event.clientY - box.top) / box.height * 8);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    for (let square = 1; square <= 32; square++) {
      const [a, b] = place(square, this.flipped);
      if (a === column && b === row) return square;
    }
    return 0;
  }

  _listen() {
    const grid = this._grid;
    let drag = null;
    grid.addEventListener("pointerdown", event => {
      if (event.button !== 0 || drag) return;
      const square = this._squareAt(event);
      if (!square) return;
      this._moveFocus(square);
      const movable = this.onedit ? square in this.pieces : this.moves.some(move => move.path[0] === square);
      // a piece that is the next square of a capture under way is not taken up
      const held = movable && !(this._picked.length && this._targets().has(square)) && this._uses[square];
      drag = {square, id: event.pointerId, x: event.clientX, y: event.clientY, use: held, moved: false,
        before: this._picked[0] === square};
      if (held && !this.onedit && !drag.before) this._choose(square);
      grid.setPointerCapture(event.pointerId);
    });
    grid.addEventListener("pointermove", event => {
      if (!drag || event.pointerId !== drag.id || !drag.use) return;
      // another position has taken its place: a piece of the former one may not come back
      if (!drag.use.isConnected) {
        drag = null;
        return;
      }
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 6) return;
      drag.moved = true;
      const scale = WIDTH / this._svg.getBoundingClientRect().width;
      drag.use.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
      this._layers.pieces.append(drag.use);
    });
    const drop = event => {
      if (!drag || event.pointerId !== drag.id) return;
      const {square, use, moved, before} = drag;
      drag = null;
      if (use) use.removeAttribute("transform");
      if (event.type === "pointercancel" || use && !use.isConnected) return;
      const to = this._squareAt(event);
      if (moved) {
        if (this.onedit) this.onedit.drag(square, to || null);
        else if (to && to !== square) this._drop(square, to);
      } else if (to === square && (this.onedit || !use || before)) {
        this._choose(square);
      } else if (to && to !== square && !use && this.pieces[square] && !this._picked.length) {
        // it was not taken up, because it has no move
        this._forgive();
        this._refuse(square, this.pieces[to] ? 0 : to);
      }
    };
    // a click leaves the focus where it is, so that the arrow keys go on stepping through the game
    grid.addEventListener("mousedown", event => event.preventDefault());
    grid.addEventListener("pointerup", drop);
    grid.addEventListener("pointercancel", drop);
    grid.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const square = Number(event.target.dataset.square);
      if (!square) return;
      if (event.key === "Enter" || event.key === " ") {
        this._choose(square);
      } else if (event.key === "Escape" && this._picked.length) {
        this.unpick();
      } else if (event.key.startsWith("Arrow")) {
        this._step(square, event.key);
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // the next dark square in the direction of an arrow key
  _step(square, key) {
    const [column, row] = place(square, this.flipped);
    const [dx, dy] = {ArrowLeft: [-2, 0], ArrowRight: [2, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
    let [x, y] = [column + dx, row + dy];
    if (dy) x += x % 2 === 0 ? 1 : -1;
    if (y < 0 || y > 7 || x < 0 || x > 7) return;
    for (let other = 1; other <= 32; other++) {
      const [a, b] = place(other, this.flipped);
      if (a === x && b === y) {
        this._moveFocus(other);
        this.focus();
      }
    }
  }

  // the one cell that Tab leads to
  _moveFocus(square) {
    this._cells[this._focus].tabIndex = -1;
    this._focus = square;
    this._cells[square].tabIndex = 0;
  }
}
