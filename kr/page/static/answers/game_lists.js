// Texts and files that the page brings, and those of a server: read at once, or listed.

import {UploadList, MOST_FILE_GAMES} from "./upload_list.js";
import {boundedDocument, MOST_FAULTS, readText, shortened, summary} from "./pasted_games.js";
import {lengthOf} from "./blanks.js";
import {told} from "./pdn/drafts.js";
import {Text} from "./pdn/source.js";
import {opener} from "./pdn/unpack.js";
import {RESULT_CONVENTIONS, writeGame} from "./pdn/writer.js";
import {Refused} from "./text.js";

/** @typedef {import("../texts.js").Said} Said */
/** @typedef {import("../texts.js").Sentence} Sentence */
/** @typedef {import("./house.js").House} House */
/** @typedef {import("./house.js").FilesPort} FilesPort */
/** @typedef {import("./pdn/tree.js").Game} Game */
/** @typedef {import("./pdn/writer.js").Results} Results */
/** @typedef {import("./request.js").PageRequest} PageRequest */

/** Characters of PDN that are read at once; of a packed file those that come out of it. */
const LONGEST_PASTE = 2_000_000;
/** Games that a page gets at once; of more it gets a list. */
const MOST_PASTED_GAMES = 2000;
/** Bytes of a file that a page uploads. */
const LARGEST_UPLOAD = 64 << 20;
/** Uploads that are kept, and bytes of them all together; the oldest go. */
const MOST_UPLOADS = 4,
  LARGEST_UPLOADS = 128 << 20;

/**
 * @typedef {{
 *   name: string, bytes: Uint8Array, fault: Sentence | null, lists: Map<Results, Promise<UploadList>>,
 * }} Kept
 */

/** Uploads of the page and files of the server, by name. */
class Shelf {
  /** @type {Map<string, Kept>} */
  #uploads = new Map();
  /** Files on their way. @type {Map<string, Promise<void>>} */
  #coming = new Map();

  /** The shelf of a page. @param {House} house */
  static of(house) {
    const shelf = shelves.get(house) ?? new Shelf();
    shelves.set(house, shelf);
    return shelf;
  }

  /** Keeps an upload, and returns its name. @param {House} house @param {Uint8Array} bytes */
  add(house, bytes) {
    const name = Math.floor(house.random() * 2 ** 52).toString(36);
    this.#put(name, {name: "the upload", bytes, fault: null, lists: new Map()});
    return name;
  }

  /** Adds to an upload. @param {string} name @param {Uint8Array} piece */
  extend(name, piece) {
    const upload = this.#upload(name),
      {bytes, lists} = upload;
    if (!bytes.length) refuseUpload();
    if (lists.size) throw new Refused("refused.read_already");
    if (bytes.length + piece.length > LARGEST_UPLOAD) {
      this.#uploads.delete(name);
      throw new Refused("refused.large_file", {most: LARGEST_UPLOAD >> 20});
    }
    const both = new Uint8Array(bytes.length + piece.length);
    both.set(bytes);
    both.set(piece, bytes.length);
    this.#put(name, {...upload, bytes: both});
  }

  /** The list that a request names. @param {House} house @param {PageRequest} request @returns {Promise<UploadList>} */
  async games(house, request) {
    const results = resultsOf(request),
      name = request.has("upload") ? request.text("upload") : await this.#file(house, request),
      upload = this.#upload(name);
    this.#put(name, upload);
    let list = upload.lists.get(results);
    if (!list) {
      // games read by the other convention make room
      upload.lists.clear();
      list = opener(upload.bytes, upload.fault).then(open => new UploadList(upload.name, open, results));
      upload.lists.set(results, list);
    }
    return list;
  }

  /**
   * The name of a file of the server, which is read unless it is here as it is there.
   * @param {House} house
   * @param {PageRequest} request
   */
  async #file(house, request) {
    const {files} = (await house.files?.names()) ?? {files: []};
    if (!files.length) throw new Refused("refused.no_file");
    const number = request.number("file", 1, files.length),
      {name, stamp} = files[number - 1],
      key = `${number} ${stamp}`;
    const read = async () => {
      const {bytes, fault} = await /** @type {FilesPort} */ (house.files).read(number);
      this.#put(key, {name, bytes, fault, lists: new Map()});
    };
    if (!this.#uploads.has(key)) {
      const coming = this.#coming.get(key) ?? read().finally(() => this.#coming.delete(key));
      this.#coming.set(key, coming);
      await coming;
    }
    return key;
  }

  /** @param {string} name */
  #upload(name) {
    return this.#uploads.get(name) ?? refuseUpload();
  }

  /**
   * Puts an upload behind all others; the first of too many go.
   * @param {string} name
   * @param {Kept} upload
   */
  #put(name, upload) {
    this.#uploads.delete(name);
    this.#uploads.set(name, upload);
    let size = 0;
    for (const {bytes} of this.#uploads.values()) size += bytes.length;
    for (const [oldest, {bytes}] of this.#uploads) {
      if (oldest === name || (this.#uploads.size <= MOST_UPLOADS && size <= LARGEST_UPLOADS)) break;
      this.#uploads.delete(oldest);
      size -= bytes.length;
    }
  }
}

/** @type {WeakMap<House, Shelf>} */
const shelves = new WeakMap();

/** @returns {never} */
function refuseUpload() {
  throw new Refused("refused.file_gone");
}

/** @param {PageRequest} request @returns {Results} */
const resultsOf = request => request.choice("results", RESULT_CONVENTIONS, "english");

/** The text of some bytes; null if it is longer than what is read at once. @param {Uint8Array} bytes */
async function wholeText(bytes) {
  const source = new Text((await opener(bytes))()),
    blocks = [];
  let length = 0;
  for (let block = source.read(); block; block = source.read()) {
    blocks.push(block);
    length += lengthOf(block);
    if (length > LONGEST_PASTE) return null;
  }
  return blocks.join("");
}

/**
 * Games of a PDN text, of the bytes of a file in base64, or positions as FEN, one a line. Each game has its row in a
 * list and its PDN; a single one also comes as a document. If there are more games, or a longer text, than a page gets
 * at once, `upload` names a list of them.
 * @param {House} house
 * @param {PageRequest} request
 */
async function read(house, request) {
  const results = resultsOf(request),
    bytes = request.has("data") ? request.data() : new TextEncoder().encode(request.text("text", LONGEST_PASTE)),
    text = await wholeText(bytes);
  /** @type {Game[]} */
  const games = [];
  /** @type {Said[]} */
  const faults = [];
  let isWhole = text !== null;
  for (const game of readText(text ?? "", results, why => faults.push(shortened(why)))) {
    isWhole &&= games.length < MOST_PASTED_GAMES;
    if (!isWhole) break;
    games.push(game);
  }
  if (!isWhole) return {upload: Shelf.of(house).add(house, bytes)};
  if (!games.length) {
    throw new Refused("refused.no_game_found", {why: faults[0] ?? told("pdn.move_or_position")});
  }
  const answer = {faults: faults.slice(0, MOST_FAULTS), left_out: faults.length};
  if (games.length === 1) return {...answer, games: [summary(games[0], 1)], document: boundedDocument(games[0])};
  return {...answer, games: games.map((game, index) => ({...summary(game, index + 1), pdn: writeGame(game)}))};
}

/**
 * A piece of a file in base64: the first, or the next one of `upload`. The answer names the list of its games.
 * @param {House} house
 * @param {PageRequest} request
 */
function upload(house, request) {
  const shelf = Shelf.of(house),
    piece = request.data();
  if (!request.has("upload")) return {upload: shelf.add(house, piece)};
  const name = request.text("upload");
  shelf.extend(name, piece);
  return {upload: name};
}

/** A page of the games of a file. @param {House} house @param {PageRequest} request */
async function listPage(house, request) {
  const start = request.number("start", 0, MOST_FILE_GAMES, 0),
    list = await Shelf.of(house).games(house, request);
  return list.page(house, start, request.text("wanted", 100, ""), request.flag("on"));
}

/** A game of a file. @param {House} house @param {PageRequest} request */
async function openGame(house, request) {
  const list = await Shelf.of(house).games(house, request);
  return list.document(request.number("number", 1, MOST_FILE_GAMES));
}

/** A reviewed game to begin with. @param {House} house */
async function sample(house) {
  const [game] = readText((await house.data("sample")).pdn, "english", () => {});
  return {document: boundedDocument(game)};
}

export const ROUTES = {
  "games/read": read,
  "games/sample": sample,
  "games/upload": upload,
  "games/list": listPage,
  "games/open": openGame,
};
