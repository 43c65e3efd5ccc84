// Positions: legal moves, FENs that people type. Asked at once when a page opens, so that it
// leaves out the name of an opening, which the page takes from its line (opening_requests.js).

import {positionJson} from "./rules.js";

/** @typedef {import("./request.js").PageRequest} PageRequest */

/** A position with its legal moves. @param {unknown} _house @param {PageRequest} request */
const showPosition = (_house, request) => positionJson(request.position());

export const ROUTES = {position: showPosition};
