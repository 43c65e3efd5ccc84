// The panel People: how likely people play each move of the position.

import {button, el} from "./dom.js";

const WAIT_MS = 60;      // before a position that may be left at once is asked for
const SHOWN = 8;         // moves listed at first
const GROUPS = {
  3: ["strong players", "players in the middle", "weaker players"],
  5: ["the strongest fifth", "strong players", "players in the middle", "weaker players", "the weakest fifth"],
};

const percent = share => share >= .995 ? "100 %" : share < .01 ? "under 1 %" : `${Math.round(100 * share)} %`;

function bar(share) {
  const part = el("span", {class: "share"});
  part.style.width = `${100 * share}%`;
  return el("span", {class: "bar", "aria-hidden": "true"}, part);
}

export function panel(app) {
  const {tree, board} = app;
  const rows = el("tbody"), said = el("p", {role: "status"});
  const group = el("select", {"aria-label": "Played by", onchange() {
    app.keep("people-group", group.value);
    follow();
  }}, el("option", {value: ""}, "anyone"));
  const whose = el("label", null, "Played by ", group);
  const more = button("", () => {
    all = !all;
    write();
  }, {hidden: true});
  let active = false, all = false, asked = 0, waiting = 0, found = null;

  function showGroups(count) {
    whose.hidden = !count;
    if (group.options.length === count + 1) return;
    const names = GROUPS[count] || Array.from({length: count}, (_, i) => `players of strength ${i + 1} of ${count}`);
    group.replaceChildren(el("option", {value: ""}, "anyone"),
      ...names.map((name, i) => el("option", {value: String(i)}, name)));
    const kept = app.kept("people-group", "");
    group.value = [...group.options].some(each => each.value === kept) ? kept : "";
  }

  function play(move) {
    board.outline([]);
    tree.play({text: move.text, path: move.path, captured: move.captured, fen: move.fen});
    app.say(move.text);
  }

  function write() {
    const {moves} = found, listed = all ? moves : moves.slice(0, SHOWN);
    said.textContent = moves.length ? "" : "The game is over here.";
    rows.replaceChildren(...listed.map(move => {
      const show = () => board.outline(move.path), clear = () => board.outline([]);
      return el("tr", {onmouseenter: show, onmouseleave: clear},
        el("td", null, button(move.text, () => play(move), {
          "aria-label": `Play ${move.text}, ${percent(move.people)} of people`, onfocus: show, onblur: clear,
        })),
        el("td", {class: "right"}, percent(move.people)), el("td", null, bar(move.people)));
    }));
    more.hidden = moves.length <= SHOWN;
    more.textContent = all ? "Fewer moves" : `${moves.length - SHOWN} more`;
  }

  async function ask() {
    const number = ++asked, {node} = tree;
    if (!node.fen) return;
    const before = tree.line(node).slice(-3, -1).map(each => each.fen);
    try {
      const answer = await app.api("people",
        {fen: node.fen, before, ...(group.value ? {group: Number(group.value)} : {})});
      if (!active || number !== asked) return;
      found = answer;
      const first = group.options.length;
      showGroups(answer.groups);
      // a group that was chosen before is known only now
      if (group.value && first === 1) return ask();
      write();
    } catch (error) {
      if (!active || number !== asked) return;
      found = null;
      more.hidden = true;
      rows.replaceChildren();
      said.textContent = error.message;
    }
  }

  function follow() {
    if (!active) return;
    board.outline([]);
    clearTimeout(waiting);
    waiting = setTimeout(ask, WAIT_MS);
  }

  for (const change of ["node", "game"]) tree.on(change, follow);
  app.onback(follow);
  return {
    name: "people", title: "What people play", open: false,
    element: el("div", null, whose,
      el("table", {class: "likely"},
        el("thead", {class: "unseen"},
          el("tr", null, ["Move", "Share of people", "The same as a bar"].map(name => el("th", {scope: "col"}, name)))),
            rows),
      said, more, el("p", {class: "muted"},
        "What people play, learned from recorded games. It tells what is usual, not what is good.")),
    show() {
      active = true;
      follow();
    },
    hide() {
      active = false;
      clearTimeout(waiting);
      board.outline([]);
    },
  };
}
