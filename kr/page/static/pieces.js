// Pieces of files, as requests carry them.

import {t} from "./texts.js";

/** Bytes sent at once. */
export const PIECE = 2_900_000;

/**
 * Bytes as base64.
 * @param {Blob} blob
 * @param {string} name of the file, for what goes wrong
 * @returns {Promise<string>}
 */
export const encoded = (blob, name) =>
  new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => failed(new Error(t("{name} can't be read", {name})));
    reader.readAsDataURL(blob);
  });
