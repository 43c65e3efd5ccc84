// The tags in which PDN carries what the library says of a game, so that it comes back from a file.

import {placeText, stepsOf} from "../files/link.js";
import {folderName, tagNames} from "./cards.js";

/** @typedef {import("./cards.js").Card} Card */
/** @typedef {import("./cards.js").Source} Source */

/** @type {readonly Source[]} */
const SOURCES = ["played", "pasted", "file", "link", "archive", "board"];

/**
 * What is said of a game, as tags.
 * @param {Pick<Card, "folder" | "tags" | "source" | "path">} card
 * @returns {Record<string, string>}
 */
export const asTags = ({folder, tags, source, path}) => ({
  ...(folder && {Folder: folder}),
  ...(tags.length && {Tags: tags.join("; ")}),
  KeptFrom: source,
  ...(path.length && {LeftAt: placeText(path)}),
});

/**
 * What tags say of a game; what they don't say is left out.
 * @param {Record<string, string>} tags
 * @returns {Partial<Pick<Card, "folder" | "tags" | "source" | "path">>}
 */
export function fromTags({Folder: folder, Tags: tags, KeptFrom: from, LeftAt: place}) {
  const source = SOURCES.find(each => each === from);
  return {
    ...(folder && {folder: folderName(folder)}),
    ...(tags && {tags: tagNames(tags.split(";"))}),
    ...(source && {source}),
    ...(/^[\d.]{1,60000}$/.test(place ?? "") && {path: stepsOf(place)}),
  };
}
