// In place of kr/web/static/offers.js: what needs a server isn't offered.

import {t} from "./texts.js";

export const EXPLORER = false;
export const RUNS = false;
export const MATCHES = false;
export const EVOLVED = false;

export const unloaded = () => t("This part of the page did not load. Is there a connection?");
