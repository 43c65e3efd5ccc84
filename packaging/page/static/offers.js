// In place of kr/page/static/offers.js: what needs a server isn't offered.

import {t} from "./texts.js";

export const ARCHIVES = false;
export const RUNS = false;
export const MATCHES = false;
export const MISTAKES = false;
export const COUNTS = false;
export const BUILDS = false;

export const proofCost = () =>
  t("It takes one processor core and 64 MB of memory at most; other searches wait until it ends.");

export const waitingWords = () => t("Another search or proof is under way; this begins when it ends");

export const linkCopied = () => t("Link copied");

export const unloaded = () => t("This part of the page did not load. Is there a connection?");

/** @param {string} name @param {number} size in MB */
export const tooLarge = (name, size) => t("{name} is larger than {size} MB", {name, size});
