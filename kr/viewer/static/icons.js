// Icons of the page: strokes on a field of 24 by 24, in the colour of the text beside them.

import {button, el, svg} from "./dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  start: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-8 7 8 7z",
  next: "M8 5l8 7-8 7z",
  end: "M18 5v14M5 5l9 7-9 7z",
  flip: "M8 20V5M4 9l4-4 4 4M16 4v15M12 15l4 4 4-4",
  play: "M12 3a9 9 0 100 18 9 9 0 000-18zM10 8.5l6 3.5-6 3.5z",
  more: "M5 11.5v1M12 11.5v1M19 11.5v1M4.5 12h1M11.5 12h1M18.5 12h1",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  keys: "M3 7h18v10H3zM6.5 10.5h.01M10 10.5h.01M13.5 10.5h.01M17 10.5h.01M8 14h8",
  notation: "M4 6h3M10 6h4M17 6h3M4 12h3M10 12h4M17 12h3M4 18h3M10 18h4",
  review: "M4 4v16h16M7 14l4-5 3 3 5-7",
  explorer: "M12 6c-2-1.5-5-2-8-2v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2zM12 6v14",
  people:
    "M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20c0-4 2.5-6 6-6s6 2 6 6M16 4.5a3.5 3.5 0 010 6M17.5 14c2.3 .6 " +
    "3.5 2.6 3.5 6",
  regions: "M4 4h16v16H4zM4 12h16M12 4v16",
  repertoire: "M6 3h12v18l-6-4-6 4zM9 8h6M9 11.5h6",
  game: "M3 6h6l2 3h10v10H3z",
  setup: "M4 20l1-5L16 4l4 4L9 19zM13 7l4 4",
  proof: "M4 4h16v10c0 4-4 6-8 7-4-1-8-3-8-7zM8 11l3 3 5-6",
  share: "M12 15V4M8 7l4-4 4 4M5 12v8h14v-8",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 010 10h-3",
  close: "M6 6l12 12M18 6L6 18",
  hint: "M9.5 17h5M10 20.5h4M12 3a6 6 0 00-3.5 10.9c.7 .6 1 1.3 1 2.1h5c0-.8 .3-1.5 1-2.1A6 6 0 0012 3z",
  solution:
    "M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5S5 16.5 2.5 12zM12 9a3 3 0 100 6 3 3 0 000-6z",
  skip: "M4 12h15M13 6l6 6-6 6",
  puzzle: "M4 4h16v16H4zM9 9.5a3 3 0 115 2.2c-1.2 .8-2 1.3-2 2.3M12 17v.01",
  ending: "M4 12a8 8 0 1016 0 8 8 0 00-16 0zM9 12a3 3 0 106 0 3 3 0 00-6 0z",
  lesson: "M12 3l2.6 6 6.4 .5-4.9 4.2 1.5 6.3-5.6-3.4L6.4 20l1.5-6.3L3 9.5 9.4 9z",
  lessons: "M12 4L2.5 9l9.5 5 9.5-5zM6 11v5.5c2 2 10 2 12 0V11M21.5 9v6",
  list: "M4 6h1M9 6h11M4 12h1M9 12h11M4 18h1M9 18h11",
  progress: "M5 20v-6M12 20V9M19 20V4",
  values: "M4 6h16M4 12h16M4 18h16M10 4v16",
  begin: "M12 5v14M5 12h14",
};

/**
 * An icon by name.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg("svg", {class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true"}, svg("path", {d: PATHS[name]}));
}

/**
 * A button of an icon, whose name is its label and its tooltip; key: what to press in its place.
 * @param {string} name of the icon
 * @param {string} title
 * @param {() => void} act
 * @param {{key?: string, shown?: boolean} & Record<string, unknown>} [options] shown: the name stands beside the icon
 * @returns {HTMLButtonElement}
 */
export function iconButton(name, title, act, {key = "", shown = false, ...props} = {}) {
  const made = button("", act, {"aria-label": title, title: key ? `${title} (${key})` : title, ...props});
  // a click leaves the focus where it is, so that keys go on stepping through the game
  made.addEventListener("mousedown", event => event.preventDefault());
  made.classList.add("icon-button");
  made.append(icon(name), ...(shown ? [el("span", null, title)] : []));
  return made;
}
