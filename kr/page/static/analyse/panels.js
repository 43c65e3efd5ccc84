// The panels of Analyse, and ways to send a game: what a board does without until it is there.

import {Departure} from "./departure.js";
import {panel as explorer} from "../explorer/panel.js";
import {changing} from "./move-sheet.js";
import {OpeningName} from "./opening.js";
import {panel as files} from "../files/panel.js";
import {panel as people} from "../people/panel.js";
import {Proofs} from "../proofs/panel.js";
import {panel as regions} from "../regions/panel.js";
import {panel as repertoire} from "../repertoire/panel.js";
import {panel as review} from "../review/panel.js";
import {actions} from "../send.js";
import {Setup} from "../setup/setup.js";
import {START} from "../squares.js";
import {Welcome} from "./welcome.js";

/**
 * @typedef {object} Screen what they stand on
 * @property {HTMLElement | undefined} side
 * @property {import("../stage.js").Stage} stage
 * @property {import("../analysis/panel.js").Analysis} analysis
 * @property {import("../keys.js").Keys} keys
 * @property {boolean} isActive
 */

/**
 * While one looks for a move, nothing beside the board gives it away. A side is seen from below then; afterwards the
 * board is turned back.
 * @param {Screen} screen
 * @returns {(on: boolean, side?: "black" | "white") => void}
 */
function practising(screen) {
  const {stage, analysis} = screen;
  let turned = false;
  return (on, side) => {
    screen.side?.classList.toggle("practising", on);
    if (on) turned = stage.board.flipped;
    stage.flip(on ? side === "black" : turned);
    if (on) analysis.hide();
    else if (screen.isActive) analysis.show();
  };
}

/**
 * @param {import("../shell.js").App} app
 * @param {import("../moves.js").MoveList} list the moves of the game
 * @param {Screen} screen
 * @param {HTMLElement} doors what stands where there is no game
 */
export function panels(app, list, screen, doors) {
  app.practise = practising(screen);
  const games = files(app),
    setup = new Setup(app),
    proofs = new Proofs(app),
    reviewed = review(app);
  // reviews in the background go on where an earlier page stopped
  if (app.kept("reviews")?.waiting?.length) void import("../reviews/job.js").then(({reviewsOf}) => reviewsOf(app));
  games.reading.oncertificate = file => proofs.file(file);
  const form = () => {
    app.panel("game");
    games.paste();
  };
  return {
    games,
    welcome: new Welcome(
      app,
      doors,
      {pick: games.pick, form, reading: games.reading},
      {
        leave: () => setup.begin(START),
        analyse: () => screen.keys[" "]?.(),
      },
    ),
    setup,
    review: reviewed.begin,
    openers: proofs.openers,
    opening: new OpeningName(app),
    departure: new Departure(app),
    sheet: changing(list, app.say),
    sending: actions(/** @type {any} */ (app)),
    all: [reviewed, explorer(app), people(app), regions(app), repertoire(app), games, setup.panel, proofs.panel],
  };
}
