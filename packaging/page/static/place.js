// In place of kr/page/static/place.js: all is answered in the browser.

import {FILES} from "./files.js";

/** @type {import("../../../kr/page/static/server.js").Machine | null} */
export const machine = null;

export const worker = () => new URL(FILES.main.path, import.meta.url);
