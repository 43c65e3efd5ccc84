// Games in and out: a game that the page has kept is checked, or written as PDN.

import {gameDocument} from "./document.js";
import {ROUTES as LISTS} from "./game_lists.js";
import {RESULT_CONVENTIONS, writable, writeGame} from "./pdn/writer.js";

/** @typedef {import("./house.js").House} House */
/** @typedef {import("./request.js").PageRequest} PageRequest */

/** A game that the page has kept, its moves checked. @param {House} _house @param {PageRequest} request */
const check = async (_house, request) => ({document: gameDocument(await request.document())});

/** A game as PDN, with the usual tags. @param {House} _house @param {PageRequest} request */
async function pdn(_house, request) {
  const game = await request.document();
  writable(game);
  return {pdn: writeGame(game, {results: request.choice("results", RESULT_CONVENTIONS, "english")})};
}

/** Names of the files that the maker of this page was started with. @param {House} house */
async function files(house) {
  const {files, mark} = (await house.files?.names()) ?? {files: [], mark: ""};
  return {files: files.map(({name}) => name), mark};
}

export const ROUTES = {...LISTS, "games/check": check, "games/pdn": pdn, "games/files": files};
