// A game or a position to send: a page that opens anywhere, pictures, PDN and FEN. Downloaded, copied, or given to what
// a phone shares files with.

import {animation, stills} from "./animation.js";
import {gameLink, positionLink} from "./files/link.js";
import {linkCopied} from "./offers.js";
import {spokenTexts, t} from "./texts.js";

/** @import {Board} from "./board.js" */
/** @import {GameTree, LegalNode} from "./tree.js" */

/** Pixels; one for each unit of the drawing. */
const GIF_SIZE = 366,
  PNG_SIZE = 2 * GIF_SIZE;
const MOST_GIF_MOVES = 400;

/** The game on the board, as far as it is sent.
 * @typedef {object} Shown
 * @property {(path: string, body?: object) => Promise<any>} api
 * @property {(text: string) => void} say
 * @property {(text: string) => void} fail
 * @property {(name: string, otherwise?: any) => any} kept
 * @property {GameTree} tree
 * @property {Board} board
 * @property {() => LegalNode | null} [shownMoment] the move of the moment of a review that is shown
 */

/** An entry of a menu.
 * @typedef {object} Action
 * @property {string} name
 * @property {string} label
 * @property {string} title
 * @property {() => Promise<void>} act
 */

/**
 * Name of a file for a game: players and date, as far as they are known.
 * @param {Record<string, string>} headers
 * @param {string} end such as "pdn"
 */
export function fileName(headers, end) {
  const parts = [headers.Black, headers.White, headers.Date].filter(part => part && !/^[?.]+$/.test(part));
  const words = parts
    .join("-")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${words || "game"}.${end}`;
}

/**
 * The moves that an animated picture shows: all of the line through the current position, or what follows it.
 * @param {GameTree} tree
 * @param {boolean} here true for what follows
 * @returns {{start: string, nodes: LegalNode[]}}
 */
export function shownLine(tree, here) {
  let last = tree.node;
  /** @type {LegalNode[]} */
  const following = [];
  // a picture goes on to where another position was set up
  for (let next = last.children[0]; next && next.fen !== null; next = next.children[0]) {
    last = /** @type {LegalNode} */ (next);
    following.push(last);
    if (next.setup) break;
  }
  if (here) return {start: tree.node.fen, nodes: following};
  const origin = tree.origin(last.setup ? (last.parent ?? last) : last),
    line = tree.line(last);
  return {start: origin.fen, nodes: line.slice(line.indexOf(origin) + 1)};
}

/**
 * A drawing, painted.
 * @param {string} drawing SVG with a viewBox and without a size
 * @param {number} size pixels
 */
async function painted(drawing, size) {
  const sized = drawing.replace("<svg ", `<svg width="${size}" height="${size}" `);
  const address = URL.createObjectURL(new Blob([sized], {type: "image/svg+xml"}));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    canvas.getContext("2d", {willReadFrequently: true})?.drawImage(image, 0, 0, size, size);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A painted drawing as PNG. @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
const asPng = canvas =>
  new Promise((done, failed) =>
    canvas.toBlob(blob => (blob ? done(blob) : failed(new Error(t("The browser could not paint the picture"))))),
  );

/** The pixels of a painted drawing. @param {HTMLCanvasElement} canvas */
function pixelsOf(canvas) {
  const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
  if (!pixels) throw new Error(t("The browser could not paint the picture"));
  return pixels;
}

/**
 * Has the browser download a file.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} type
 */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Gives a file to the person: on a phone to what it shares files with, elsewhere as a download.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} type
 */
export async function give(name, content, type) {
  const file = new File([content], name, {type});
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({files: [file]})) {
    try {
      await navigator.share({files: [file]});
      return;
    } catch (error) {
      // the person changed their mind; anything else, such as too long a wait, leaves the download
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
  }
  download(name, content, type);
}

/**
 * Copies a text.
 * @param {{say: (text: string) => void}} app
 * @param {string} text
 * @param {string} told what is said then
 */
async function copy(app, text, told) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard without https on another host, but for this old way
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) return app.say(t("The browser does not let this page copy"));
  }
  return app.say(told);
}

/**
 * Gives a link to the person: on a phone to what it shares with, elsewhere it is copied.
 * @param {{say: (text: string) => void}} app
 * @param {string} rest what stands behind # in the address
 */
export async function giveLink(app, rest) {
  const url = `${location.href.split("#")[0]}#${rest}`;
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({url})) {
    try {
      await navigator.share({url});
      return;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
  }
  await copy(app, url, linkCopied());
}

/**
 * Puts a picture on the clipboard. It is asked for within the click, as some browsers demand.
 * @param {Shown} app
 * @param {Promise<Blob>} picture
 */
async function copyPicture(app, picture) {
  if (!globalThis.ClipboardItem || !navigator.clipboard?.write) {
    throw new Error(t("The browser does not let this page copy"));
  }
  await navigator.clipboard.write([new ClipboardItem({"image/png": picture})]);
  app.say(t("Picture copied"));
}

/**
 * What can be asked of the server for the game on the board.
 * @param {Shown} app
 */
export function sending(app) {
  const {tree} = app;
  // as the person has chosen them for the page
  const looks = () => {
    const {board = "green", pieces = "flat", coordinates = "numbers"} = document.documentElement.dataset;
    return {board, pieces, coordinates, flipped: app.board.flipped, numbers: coordinates !== "none"};
  };
  /** @param {{fen: string, last: number[], arrows?: object[], circles?: object[]}} board @returns {Promise<string>} */
  const drawn = async ({fen, last, arrows = [], circles = []}) =>
    (await app.api("games/svg", {fen, last, arrows, circles, ...looks()})).svg;
  return {
    /** The game as a page. @returns {Promise<string>} */
    async page() {
      const answer = await app.api("send/page", {document: tree.document(), ...spokenTexts(), ...looks()});
      return answer.html;
    },
    /** The position as SVG. @returns {Promise<string>} */
    async svg() {
      const {fen, path, arrows, circles} = tree.node;
      return drawn({fen, last: path, arrows, circles});
    },
    /** The position in pixels. @returns {Promise<Blob>} */
    async png() {
      return asPng(await painted(await this.svg(), PNG_SIZE));
    },
    /** A line as an animated picture. @param {boolean} here true for what follows the position */
    async gif(here) {
      const {start, nodes} = shownLine(tree, here);
      if (!nodes.length) throw new Error(here ? t("No move follows this position") : t("The game has no moves yet"));
      if (nodes.length > MOST_GIF_MOVES) {
        throw new Error(
          t("A GIF shows at most {most} moves; this line has {count}", {most: MOST_GIF_MOVES, count: nodes.length}),
        );
      }
      return animation(stills(start, nodes), async still => pixelsOf(await painted(await drawn(still), GIF_SIZE)));
    },
    /** The address of the game at the move that is shown, or at the moment; of a game without moves the position. */
    async link() {
      const moment = app.shownMoment?.() ?? null;
      if (!tree.root.children.length) return positionLink(tree.node.fen);
      return gameLink(await this.pdn(), tree.path(moment ?? tree.node), Boolean(moment));
    },
    /** The game as PDN. @returns {Promise<string>} */
    async pdn() {
      const results = app.kept("results", "english");
      return (await app.api("games/pdn", {document: tree.document(), results})).pdn;
    },
  };
}

/**
 * The entries of the menu that sends the game or the position.
 * @param {Shown} app
 * @returns {Action[]}
 */
export function actions(app) {
  const {tree} = app,
    ask = sending(app);
  /** @type {(end: string) => string} */
  const named = end => fileName(tree.headers, end);
  /** @type {(name: string, label: string, title: string, act: () => Promise<void>) => Action} */
  const action = (name, label, title, act) => ({
    name,
    label,
    title,
    act: () => act().catch(error => app.fail(error.message)),
  });
  return [
    action(
      "page",
      t("Send as page"),
      t("One file with the whole review, which opens on any phone or computer"),
      async () => give(named("html"), await ask.page(), "text/html"),
    ),
    action("png", t("Save picture"), t("The position as PNG"), async () =>
      give(named("png"), await ask.png(), "image/png"),
    ),
    action("gif", t("Save GIF of the game"), t("All moves of this line as an animated picture"), async () =>
      give(named("gif"), await ask.gif(false), "image/gif"),
    ),
    action(
      "gif-here",
      t("Save GIF from here"),
      t("The moves that follow this position as an animated picture"),
      async () => give(named("gif"), await ask.gif(true), "image/gif"),
    ),
    action("pdn", t("Save PDN"), t("The game for other programs"), async () =>
      give(named("pdn"), await ask.pdn(), "application/x-draughts-pdn"),
    ),
    action("svg", t("Save SVG"), t("The position as a drawing of any size"), async () =>
      give(named("svg"), await ask.svg(), "image/svg+xml"),
    ),
    action(
      "copy-link",
      t("Copy link"),
      t("The game at this move, or this moment of its review, as an address"),
      async () => giveLink(app, await ask.link()),
    ),
    action("copy-place", t("Copy link to the position"), t("The position as an address"), () =>
      giveLink(app, positionLink(tree.node.fen)),
    ),
    action("copy-picture", t("Copy picture"), t("The position as PNG"), () => copyPicture(app, ask.png())),
    action("copy-pdn", t("Copy PDN"), t("The game as text"), async () => copy(app, await ask.pdn(), t("PDN copied"))),
    action("copy-fen", t("Copy FEN"), t("The position as text"), () => copy(app, tree.node.fen, t("FEN copied"))),
    action("copy-svg", t("Copy SVG"), t("The position as text of a drawing"), async () =>
      copy(app, await ask.svg(), t("SVG copied")),
    ),
  ];
}
