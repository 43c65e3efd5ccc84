// The moves of a game as text: variations, comments and marks, the current move marked; and a sheet to change a move.

import {button, el, visible} from "./dom.js";

export const NAGS = {"!": "good move", "!!": "excellent move", "?": "mistake", "??": "blunder",
  "!?": "interesting move",
  "?!": "inaccuracy", "*": "only move"};
const NUMBERED = {$1: "!", $2: "?", $3: "!!", $4: "??", $5: "!?", $6: "?!", $7: "*", $8: "*"};
const KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only", "!!": "only", "*": "only"};
const SHORT_MOVES = 8, SHORT_TEXT = 80;   // a variation of at most this stands within its line
const LONG_TEXT = 1200;                   // a comment of more is shown in full when asked
const DEEPEST = 5;                        // variations further in are indented no more
const TAG = /\[%(\w+)\s+([^\[\]]*)\]/g;

// text of others: control characters, and those that turn the direction of what follows, are made visible
export const plain = text => visible(text);

// a comment without its tags such as [%clk 0:04:59]
export const words = comment => comment.replace(TAG, "").trim();

// a clock's time as people say it: 1.3 s, 4:59, 1:02:03
function time(text) {
  const seconds = text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  return seconds < 60 ? `${Number(seconds.toFixed(1))} s` : text.replace(/^(0*:0?)|\.\d+$/g, "");
}

// what a clock shows: "4:59 left", or "White 10:00 left, Black 9:57 left" of [%clock w0:10:00 B0:09:57]
const left = text => [...text.matchAll(/([wb]?)([\d:.]+)/gi)].map(([, side, shown]) =>
  `${{w: "White ", b: "Black "}[side.toLowerCase()] || ""}${time(shown)} left`).join(", ");

// kr's own, and the score beside it, are what the graph shows
const tags = comment => comment.includes("[%kr ") ? [] : [...comment.matchAll(TAG)].map(([, name, value]) =>
  name === "clk" || name === "clock" ? left(value) : name === "emt" ? `took ${time(value.trim())}` :
    `${name} ${value.trim()}`);

// "8." or "8..." for the move that leads to a node
export function number(node) {
  let root = node;
  while (root.parent) root = root.parent;
  return numbered(node, root);
}

function numbered(node, root) {
  const before = node.ply - 1 + (root.fen[0] === "W" ? 1 : 0);
  return `${(before >> 1) + 1}${before % 2 ? "..." : "."}`;
}

export const sign = nag => NUMBERED[nag] || nag;
export const named = node => `${number(node)} ${node.text}` +
  node.nags.map(nag => `, ${NAGS[sign(nag)] || nag}`).join("");

// true for a line without variations that is short enough to stand within another
function isShort(node) {
  let text = 0;
  for (let count = 0; node; count++, node = node.children[0]) {
    for (const each of [...node.comments, ...node.starting_comments]) text += each.length;
    if (count === SHORT_MOVES || text > SHORT_TEXT || node.children.length > 1) return false;
  }
  return true;
}

export class MoveList {
  // edit: moves may be changed, by a sheet that a right click or `change` opens; say: hears what should be announced
  constructor(tree, {edit = false, say = () => {}} = {}) {
    this.tree = tree;
    this.say = say;
    this.element = el("div", {class: "moves", role: "group", "aria-label": "Moves"});
    this._buttons = new Map();
    this._nodes = new Map();
    this.isShown = true;   // false: it is out of sight, and drawn when it is shown again
    this.element.addEventListener("click", event => {
      const node = this._nodeOf(event);
      if (node) this.tree.select(node);
    });
    if (edit) this._edited();
    tree.on("node", () => this._mark());
    tree.on("edit", () => this.draw());
    tree.on("game", () => this.draw());
    this.draw();
  }

  // Writes everything anew.
  draw() {
    if (!this.isShown) return;
    const focused = this.element.contains(document.activeElement);
    this._buttons.clear();
    this._nodes.clear();
    this.element.replaceChildren(...this._blocks());
    this._current = null;
    this._mark();
    if (focused && this._current) this._current.focus();
  }

  _nodeOf(event) {
    const found = event.target.closest("button.move");
    return found && this._nodes.get(found);
  }

  // marks the current move, and brings it into sight within the list
  _mark() {
    if (!this.isShown) return;
    if (this._current) {
      this._current.removeAttribute("aria-current");
      this._current.tabIndex = -1;
    }
    const now = this._current = this._buttons.get(this.tree.node) || null;
    const first = this._buttons.values().next().value;
    if (first) first.tabIndex = now ? -1 : 0;
    if (!now) {
      this.element.scrollTop = 0;
      return;
    }
    now.setAttribute("aria-current", "step");
    now.tabIndex = 0;
    const list = this.element.getBoundingClientRect(), box = now.getBoundingClientRect();
    if (box.top < list.top + 8) this.element.scrollTop -= list.top + 8 - box.top;
    else if (box.bottom > list.bottom - 8) this.element.scrollTop += box.bottom - list.bottom + 8;
  }

  // Blocks of text one after another, however deep variations are nested.
  _blocks() {
    const {root} = this.tree, blocks = [];
    let block = null, fresh = true;
    const begin = (depth, first) => {
      block = el("p", {class: `run d${Math.min(depth, DEEPEST)}${first ? " first" : ""}`});
      blocks.push(block);
      fresh = true;
    };
    const comment = text => {
      if (text.includes("[%kr game")) return;
      const said = plain(words(text)), facts = plain(tags(text).join(", "));
      if (facts) block.append(el("span", {class: "timing"}, facts), " ");
      if (!said) return;
      const shown = el("bdi", {class: "comment"}, said.length > LONG_TEXT ? said.slice(0, LONG_TEXT) : said);
      if (said.length > LONG_TEXT) shown.append(
        button("… more", () => { shown.textContent = visible(said); }, {class: "more"}));
      block.append(shown, " ");
      fresh = true;
    };
    const move = (node, before = "") => {
      node.starting_comments.forEach(comment);
      const black = numbered(node, root), showNumber = fresh || !black.endsWith("...");
      const shown = [before, showNumber && el("span", {class: "number"}, black + "\u00a0"), this._move(node)];
      block.append(el("span", {class: "word"}, shown), " ");
      fresh = false;
      if (node.setup) {
        block.append(el("span", {class: "timing", title: node.fen}, "position set up"), " ");
        fresh = true;
      }
      node.comments.forEach(comment);
    };
    begin(0, true);
    root.comments.forEach(comment);
    // lines to go on with after a node, and variations to begin with one
    const waiting = [{after: root, depth: 0}];
    while (waiting.length) {
      const {after, first, depth} = waiting.pop();
      let node = after || first;
      if (first) {
        begin(depth, true);
        move(first);
      } else if (after !== root) {
        begin(depth);
      }
      while (node.children.length) {
        const [main, ...others] = node.children;
        move(main);
        const long = [];
        for (const other of others) {
          if (!isShort(other)) {
            long.push(other);
            continue;
          }
          fresh = true;
          const within = block;
          block = el("span", {class: "aside"});
          for (let each = other; each; each = each.children[0]) move(each, each === other && "(");
          block.lastChild.replaceWith(") ");
          within.append(block);
          block = within;
          fresh = true;
        }
        if (long.length) {
          waiting.push({after: main, depth}, ...long.reverse().map(each => ({first: each, depth: depth + 1})));
          break;
        }
        node = main;
      }
    }
    if (this.tree.result !== "*") block.append(el("span", {class: "result"}, this.tree.result));
    else if (!root.children.length && !root.comments.length) block.append(
      el("span", {class: "muted"}, "No moves yet."));
    return blocks.filter(each => each.hasChildNodes());
  }

  _move(node) {
    const signs = node.nags.map(nag => {
      const shown = sign(nag);
      return el("span", {class: `nag ${KINDS[shown] || ""}`, title: NAGS[shown] || null}, shown);
    });
    const text = plain(node.text);
    if (node.fen === null) return el("span", {class: "illegal", title: "not a legal move here"}, text, signs);
    const made = el("button", {type: "button", class: "move", tabindex: -1, "aria-label": named(node)}, text, signs);
    this._buttons.set(node, made);
    this._nodes.set(made, node);
    return made;
  }

  // --- the sheet of a move

  // Opens the sheet of a node: marks, comments, promotion and removal.
  change(node) {
    const {tree} = this;
    const said = node.comments.map(words).filter(Boolean).join("\n");
    const before = node.starting_comments.map(words).filter(Boolean).join("\n");
    const text = el("textarea", {rows: 3, maxlength: 10000, "aria-label": "Comment", value: said});
    const earlier = el("textarea", {rows: 2, maxlength: 10000, "aria-label": "Comment before the move", value: before});
    const beside = node.parent && (before || node.parent.children[0] !== node);
    // tags such as clocks stay; nothing changes if the words do not
    const merged = (comments, now, then) => {
      if (now.trim() === then) return comments;
      const kept = comments.flatMap(each => each.match(TAG) || []).join(" ");
      return [[kept, now.trim()].filter(Boolean).join(" ")].filter(Boolean);
    };
    let gone = false;
    const save = () => gone || tree.annotate(node, {
      comments: merged(node.comments, text.value, said),
      starting_comments: merged(node.starting_comments, earlier.value, before),
    });
    const act = (does, told) => () => {
      save();
      gone = true;
      this._sheet.close();
      this.say(does() === false ? "That is not possible: an illegal variation would become the game" : told);
    };
    const marks = Object.entries(NAGS).map(([nag, name]) => {
      const mark = button(nag, () => {
        const had = node.nags.map(sign).includes(nag);
        tree.annotate(node, {nags: [...node.nags.filter(each => !(sign(each) in NAGS)), ...(had ? [] : [nag])]});
        for (const each of marks) each.setAttribute("aria-pressed", each === mark && !had);
      }, {title: name, "aria-label": name, "aria-pressed": String(node.nags.map(sign).includes(nag))});
      return mark;
    });
    const variation = tree.line(node).some(each => each.parent && each.parent.children[0] !== each);
    const title = node.parent ? `${number(node)} ${plain(node.text)}` : "Before the first move";
    this._sheet.setAttribute("aria-label", title);
    this._sheet.replaceChildren(
      el("h2", null, title),
      node.parent && el("div", {class: "row", role: "group", "aria-label": "Marks"}, marks) || "",
      beside ? el("label", null, "Before the move", earlier) : "",
      el("label", null, "Comment", text),
      el("div", {class: "row"},
        variation && button("Promote", act(() => tree.promote(node), "Promoted"),
          {title: "This variation one place up"}),
        variation && button("Make it the game", act(() => tree.promote(node, true), "Now the main line")),
        button("Clear", () => {
          text.value = earlier.value = "";
          if (node.parent) tree.annotate(node, {nags: [], comments: [], starting_comments: []});
          else tree.annotate(node, {comments: []});
          gone = true;
          this._sheet.close();
        }, {title: "No mark and no comment"}),
        node.parent && button("Delete from here", act(() => tree.remove(node), "Deleted; Undo brings it back")),
        button("Done", () => this._sheet.close(), {class: "primary"})));
    this._sheet.oncancel = () => { gone = true; };
    this._sheet.onclose = () => {
      save();
      const shown = this._buttons.get(node) || this._current;
      if (shown) shown.focus({preventScroll: true});
    };
    this._sheet.showModal();
    text.focus();
  }

  _edited() {
    this._sheet = el("dialog", {class: "sheet"});
    // a click beside the sheet closes it
    this._sheet.addEventListener("click", event => { if (event.target === this._sheet) this._sheet.close(); });
    document.body.append(this._sheet);
    const open = event => {
      const node = this._nodeOf(event);
      if (!node) return;
      event.preventDefault();
      this.change(node);
    };
    this.element.addEventListener("contextmenu", open);
    // a long press, where it is no right click
    let pressing = 0;
    this.element.addEventListener("pointerdown", event => {
      clearTimeout(pressing);
      if (event.pointerType === "touch") pressing = setTimeout(() => this._sheet.open || open(event), 600);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      this.element.addEventListener(end, () => clearTimeout(pressing));
    }
  }
}
