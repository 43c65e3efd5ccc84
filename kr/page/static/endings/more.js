// The build of more endings: offered with what it takes, then its progress. Only with a server.

import {button, el} from "../dom.js";
import {formatted, inUnit, t} from "../texts.js";

/**
 * What a server tells. pieces: up to which it offers a build, 0 if none; running: one is under way; built: it is done
 * @typedef {{pieces: number, seconds?: number, bytes?: number, running: {share: number, seconds: number | null} | null,
 *     built: boolean}} Build
 */

const LOOK_MS = 2000;

export class MoreEndings {
  /**
   * @param {import("../shell.js").App} app
   * @param {HTMLElement} place
   */
  constructor(app, place) {
    this._app = app;
    this._place = place;
    this._bar = el("progress", {max: 1});
    this._words = el("p", {class: "muted"});
    this._act = button("", () => this._ask(this._isRunning ? "stop" : "begin"));
    this._isRunning = false;
    this._timer = 0;
    place.append(this._words, this._bar, el("div", {class: "row"}, this._act));
  }

  /** Shows what there is, and looks again while a build is under way. */
  begin() {
    return this._ask("state");
  }

  /** @param {"state" | "begin" | "stop"} what */
  async _ask(what) {
    clearTimeout(this._timer);
    try {
      this._show(await this._app.api(`build/${what}`));
    } catch (error) {
      this._place.hidden = true;
      this._app.fail(error);
    }
  }

  /** @param {Build} build */
  _show(build) {
    const {pieces, running, built} = build;
    this._isRunning = Boolean(running);
    this._words.textContent = moreWords(build);
    this._bar.value = running?.share ?? 0;
    this._bar.ariaLabel = t("Build of more endings");
    this._bar.hidden = !running;
    this._act.textContent = running ? t("Stop") : t("Build them");
    this._act.hidden = built;
    this._place.hidden = !pieces;
    // while another page is shown nobody looks
    if (running) this._timer = window.setTimeout(() => this._place.isConnected && this.begin(), LOOK_MS);
  }
}

/** @param {Build} build */
function moreWords({pieces, seconds = 0, bytes = 0, running, built}) {
  if (built)
    return t("All endings with up to {count} pieces are built. The next start of kr web uses them.", {count: pieces});
  if (!running)
    return t(
      "Endings with up to {count} pieces can be built here beside other work: about {minutes} min, {megabytes} MB.",
      {
        count: pieces,
        minutes: minutes(seconds),
        megabytes: formatted(Math.ceil(bytes / 1e6)),
      },
    );
  const share = inUnit(Math.floor(100 * running.share), "percent");
  return running.seconds === null
    ? t("Endings with up to {count} pieces: {share} built.", {count: pieces, share})
    : t("Endings with up to {count} pieces: {share} built, {minutes} min left.", {
        count: pieces,
        share,
        minutes: minutes(running.seconds),
      });
}

const minutes = (/** @type {number} */ seconds) => formatted(Math.max(1, Math.round(seconds / 60)));
