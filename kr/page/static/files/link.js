// Links to a position, to a game at one of its moves, to a moment of its review, and to tasks. A game is in the address
// as its PDN, deflated, as base64url. Nothing here touches the document.

import {decoded} from "../address.js";
import {t} from "../texts.js";

/**
 * What a link names. place: which child to follow at each move; isMoment: the move there is a moment of the review
 * @typedef {{kind: "game", data: string, place: number[], isMoment: boolean} | {kind: "position", fen: string}
 *   | {kind: "task", address: string}} Link
 */

const LONGEST_LINK = 100_000;
const LONGEST_TEXT = 2_000_000;
const LONGEST_GAME = 20_000;

const GAME = /#analyse\/g\/([\w-]+)(?:\/([\d.]*))?(\/moment)?/,
  POSITION = /^\S*#analyse\/fen\/(\S+)$/,
  TASK = /^\S*#((?:learn|lessons|endings)\/\S+)$/;

/**
 * The link in a text, such as an address; null if there is none.
 * @param {string} text
 * @returns {Link | null}
 */
export function linkIn(text) {
  const [, data, place, moment] = GAME.exec(text) ?? [];
  if (data) return {kind: "game", data, place: stepsOf(place), isMoment: Boolean(moment)};
  const fen = decoded(POSITION.exec(text.trim())?.[1] ?? "");
  if (fen) return {kind: "position", fen};
  const [, address] = TASK.exec(text.trim()) ?? [];
  return address ? {kind: "task", address} : null;
}

/**
 * The place in a game that a link names: a number of moves, or with dots which child at each move.
 * @param {string | undefined} rest
 * @returns {number[]}
 */
export function stepsOf(rest) {
  if (!rest) return [];
  const steps = rest.includes(".") ? rest.split(".").filter(Boolean).map(Number) : null;
  return (steps ?? Array(Math.min(Number(rest), LONGEST_GAME)).fill(0)).slice(0, LONGEST_GAME);
}

/** That end of a link. @param {readonly number[]} place */
export const placeText = place => (place.some(Boolean) ? place.map(step => `${step}.`).join("") : String(place.length));

/** What stands behind # for a position. @param {string} fen */
export const positionLink = fen => `analyse/fen/${fen}`;

/**
 * What stands behind # for a game.
 * @param {string} pdn
 * @param {number[]} place
 * @param {boolean} isMoment
 */
export async function gameLink(pdn, place, isMoment) {
  const data = await packed(pdn);
  if (data.length > LONGEST_LINK) throw new Error(t("The game is too long for a link: send it as a page or as PDN"));
  return `analyse/g/${data}/${placeText(place)}${isMoment ? "/moment" : ""}`;
}

/** @param {ReadableStream<any>} stream */
async function* read(stream) {
  const reader = stream.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @param {number} most bytes that may come out
 */
async function through(bytes, stream, most) {
  const chunks = [];
  let length = 0;
  for await (const chunk of read(new Blob([bytes]).stream().pipeThrough(stream))) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Error(t("The link holds too long a text"));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {string} data */
export async function unpacked(data) {
  if (data.length > LONGEST_LINK) throw new Error(t("The link is too long"));
  let bytes;
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    bytes = await through(
      Uint8Array.from(binary, byte => byte.charCodeAt(0)),
      new DecompressionStream("deflate-raw"),
      LONGEST_TEXT,
    );
  } catch {
    throw new Error(t("The link is damaged: it holds no game"));
  }
  return new TextDecoder().decode(bytes);
}

/** @param {string} text */
async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), LONGEST_TEXT);
  const binary = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
