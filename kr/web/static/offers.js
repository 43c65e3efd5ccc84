// What the page offers that needs a server: a page without one has another module in its place.

import {t} from "./texts.js";

/** Archives of games, explored by position, player and pattern. */
export const EXPLORER = true;
/** The page Runs. */
export const RUNS = true;
/** Matches of engines against each other. */
export const MATCHES = true;
/** Evolved players. */
export const EVOLVED = true;

/** What to say if a part of the page did not load. */
export const unloaded = () => t("The page did not load. Is kr web still running?");
