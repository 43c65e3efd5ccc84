// What the page offers that needs a server: a page without one has another module in its place.

import {t} from "./texts.js";

/** Archives of games, explored by position, player and pattern, and kr's scores of the moves there. */
export const ARCHIVES = true;
/** The page Runs. */
export const RUNS = true;
/** Matches of engines against each other. */
export const MATCHES = true;
/** Known draws played for people's mistakes. */
export const MISTAKES = true;
/** How often patterns of a region were seen in games. */
export const COUNTS = true;
/** A build of more endings. */
export const BUILDS = true;

/** What a proof costs while it lasts. */
export const proofCost = () => t("It takes one processor core of kr web's machine; other searches go on.");

/** What to say of a search that has to wait. */
export const waitingWords = () => t("Many are analysing; this begins when one of them ends");

/** What to say of a link that is copied: whom it leads anywhere. */
export const linkCopied = () => t("Link copied: it opens where this kr web is open. For others: Send as page");

/** What to say if a part of the page did not load. */
export const unloaded = () => t("The page did not load. Is kr web still running?");

/** What to say of a file that is too large to be opened. @param {string} name @param {number} size in MB */
export const tooLarge = (name, size) =>
  t("{name} is larger than {size} MB: add it to the explorer, or start kr web {name}", {name, size});
