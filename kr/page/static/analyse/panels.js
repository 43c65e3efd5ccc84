// The panels of Analyse, and ways to send a game: what a board does without until it is there.

import {Departure} from "./departure.js";
import {panel as explorer} from "../explorer/panel.js";
import {changing} from "./move-sheet.js";
import {panel as files} from "../files/panel.js";
import {panel as people} from "../people/panel.js";
import {Proofs} from "../proofs/panel.js";
import {panel as regions} from "../regions/panel.js";
import {panel as repertoire} from "../repertoire/panel.js";
import {panel as review} from "../review/panel.js";
import {actions} from "../send.js";
import {Setup} from "../setup/setup.js";

/** @param {import("../shell.js").App} app @param {import("../moves.js").MoveList} list the moves of the game */
export function panels(app, list) {
  const games = files(app),
    setup = new Setup(app),
    proofs = new Proofs(app),
    reviewed = review(app);
  games.reading.oncertificate = file => proofs.file(file);
  return {
    games,
    setup,
    review: reviewed.begin,
    departure: new Departure(app),
    sheet: changing(list, app.say),
    sending: actions(/** @type {any} */ (app)),
    all: [reviewed, explorer(app), people(app), regions(app), repertoire(app), games, setup.panel, proofs.panel],
  };
}
