// The panel Proof: proves the position on the board, or checks it as a problem, by one click beside the analysis; opens
// certificates, and steps through one on the board.

import {PositionPanel} from "../analyse/position.js";
import {choice, filePicker} from "../controls.js";
import {progressWords} from "../composing/state.js";
import {button, el, unbroken} from "../dom.js";
import {iconButton} from "../icons.js";
import {proofCost, tooLarge} from "../offers.js";
import {give} from "../send.js";
import {newDocument} from "../setup/fen.js";
import {inUnit, t} from "../texts.js";
import {ProblemCheck} from "./problem.js";
import {claimWords, effort, limits, stepWords, uncovered, verdict} from "./state.js";
import {certificateFile, LARGEST, openCertificate} from "./stream.js";
import {certificateRow, claimRow, crumbs, replyRow, replyTable} from "./view.js";

/** @typedef {import("../shell.js").App} App */
/** @typedef {import("./state.js").Certificate} Certificate */
/** @typedef {import("./state.js").Move} Move */
/** @typedef {import("./state.js").Step} Step */

/** Seconds of the check of a problem. */
const LONGEST_CHECK = 60;

/** @extends {PositionPanel<Step | null>} */
export class Proofs extends PositionPanel {
  _said = el("p", {class: "verdict", role: "status"});
  _effort = el("p", {class: "muted"});
  _cost = el("p", {class: "muted", hidden: true}, proofCost());
  _claims = el("ul", {class: "claims"});
  _found = el("ul", {class: "certificates"});
  _step = el("section", {class: "step", hidden: true});
  _title = el("h2", null);
  _crumbs = el("nav", {class: "crumbs", "aria-label": t("Moves of the line")});
  _words = el("p", {role: "status"});
  _replies = replyTable();
  _uncovered = el("p", {class: "muted"});
  _own = button("", () => this._answer?.move && this._play([this._answer.move]), {hidden: true, class: "primary"});
  _hardest = button(t("Hardest defence"), () => this._resist(), {hidden: true, class: "primary"});
  _back = button(t("Back"), () => this.app.tree.back());

  /** @param {App} app */
  constructor(app) {
    super(app, "proof", t("Proof"));
    /** @type {Certificate[]} */
    this._certificates = [];
    /** @type {Certificate | null} */
    this._open = null;
    /** @type {{stop: () => void} | null} */
    this._stream = null;
    /** What the stream does. @type {"" | "prove" | "soundness"} */
    this._doing = "";
    /** The position that it is about. */
    this._fen = "";
    this._problem = new ProblemCheck(app);
    this._opening = 0;
    this._limit = choice(t("Time for a proof"), limits(), {
      value: app.kept("prove-seconds", "10"),
      onchange: value => app.keep("prove-seconds", value),
    });
    this._prove = button("", () => this._toggle("prove"), {class: "primary"});
    this._check = button("", () => this._toggle("soundness"));
    this._name();
    /** For the analysis: what proves, or checks, by one click. */
    this.openers = [
      iconButton("proof", t("Prove"), () => this._start("prove"), {shown: true}),
      iconButton("puzzle", t("Is it sound?"), () => this._start("soundness"), {shown: true}),
    ];
    this.panel = {...this._panel, element: this._element(), untabbed: true};
  }

  _element() {
    const picker = filePicker(".krproof", file => this.file(file));
    this._step.append(
      this._title,
      this._crumbs,
      this._words,
      el("div", {class: "row"}, this._own, this._hardest, this._back),
      this._replies.table,
      this._uncovered,
    );
    this._replies.table.append(this._replies.rows);
    return el(
      "div",
      {class: "proofs"},
      this._step,
      el(
        "div",
        {class: "row"},
        this._prove,
        this._check,
        this._limit,
        button(t("Open certificate…"), () => picker.click(), {
          title: t("A file of kr prove; or drop it on the page"),
        }),
        picker,
      ),
      this._said,
      this._effort,
      this._cost,
      this._problem.element,
      this._claims,
      this._found,
    );
  }

  /** A proof goes on only while somebody looks. @override */
  _hide() {
    this._stop();
    super._hide();
  }

  // --- certificates of files

  /** Opens a certificate. @param {File} file */
  async file(file) {
    this.app.panel("proof");
    this._stop();
    const own = ++this._opening,
      isOver = () => own !== this._opening;
    if (file.size > LARGEST) {
      this.app.fail(new Error(tooLarge(file.name, LARGEST / 1e6)));
      return;
    }
    this._tell(t("Checking {name} …", {name: file.name}));
    try {
      const checked = (/** @type {number} */ share) =>
        this._tell(t("Checking {name} …", {name: file.name}), inUnit(Math.round(100 * share), "percent"));
      const certificate = await openCertificate(this.app, file, {isOver, checked});
      if (!certificate || isOver()) return;
      this._take([certificate]);
      this._tell(t("Proved: {claim}", {claim: claimWords(certificate)}));
      this.app.open(newDocument(certificate.fen), []);
      this._choose(certificate);
    } catch (error) {
      if (isOver()) return;
      this._take([]);
      this._tell(/** @type {Error} */ (error).message);
    }
  }

  // --- proving

  /** Opens the panel, and begins at once. @param {"prove" | "soundness"} what */
  _start(what) {
    this.app.panel("proof");
    this._toggle(what);
  }

  /** @param {"prove" | "soundness"} what */
  _toggle(what) {
    const own = this._doing === what;
    this._stop();
    if (!own) this._begin(what);
  }

  /** @param {"prove" | "soundness"} what */
  _begin(what) {
    const {fen} = this.app.tree.node,
      seconds = Number(this._limit.value);
    this._opening += 1;
    this._clear();
    this._take([]);
    this._doing = what;
    this._fen = fen;
    this._tell(t("Proving …"));
    const asked = what === "prove" ? {fen, seconds} : this._problem.asked(fen, Math.min(seconds, LONGEST_CHECK));
    this._stream = this.app.live(what, asked, (/** @type {any} */ event) => this._heard(event));
    this._name();
  }

  _stop() {
    if (!this._stream) return;
    this._end();
    this._tell(t("Stopped"));
  }

  _end() {
    this._stream?.stop();
    this._stream = null;
    this._doing = "";
    this._name();
  }

  /** What the buttons do. */
  _name() {
    this._prove.textContent = this._doing === "prove" ? t("Stop") : t("Prove");
    this._check.textContent = this._doing === "soundness" ? t("Stop") : t("Is it sound?");
    this._cost.hidden = !this._doing;
  }

  /** @param {any} event */
  _heard(event) {
    if (event.waits) this._tell(t("All engines are busy; waiting for one."));
    if (event.error !== undefined) {
      this._end();
      this._tell(event.error);
      return;
    }
    if (event.progress) this._tell(t("Proving …"), progressWords(event.progress));
    if (event.verdict) {
      this._end();
      this._tell("");
      this._problem.take(event.verdict, this._fen);
      this.app.announce(this._problem.element.textContent ?? "");
    }
    if (!event.proof) return;
    this._tell(verdict(event.proof), effort(event.proof));
    this._claims.replaceChildren(...event.proof.claims.map(claimRow));
    if (!event.done) return;
    this._end();
    this._take(event.certificates, true);
    // the position may have been left meanwhile
    if (event.certificates.length && this.app.tree.node.fen === event.proof.fen) this._choose(event.certificates[0]);
  }

  /** @param {string} said @param {string} [rest] */
  _tell(said, rest = "") {
    if (this._said.textContent !== said) this._said.textContent = said;
    this._effort.textContent = rest;
  }

  /** @param {Certificate[]} certificates @param {boolean} [stays] whether the claims are those of these */
  _take(certificates, stays = false) {
    this._certificates = certificates;
    this._open = null;
    this._problem.take(null);
    if (!stays) this._claims.replaceChildren();
    this._list();
    this._show_step();
  }

  _list() {
    this._found.replaceChildren(
      ...this._certificates.map(each =>
        certificateRow(each, {step: () => this._choose(each), save: () => this._save(each)}, each === this._open),
      ),
    );
  }

  /** @param {Certificate} certificate */
  async _save(certificate) {
    try {
      const {name, content} = await certificateFile(this.app, certificate);
      await give(name, content, "application/octet-stream");
    } catch (error) {
      this.app.fail(error);
    }
  }

  // --- stepping

  /** @param {Certificate} certificate */
  _choose(certificate) {
    this._open = certificate;
    this._list();
    // from the root, unless the board shows it or what comes after it
    if (!this._trail()) this.app.open(newDocument(certificate.fen), []);
    this._follow();
  }

  /** Nodes from the root of the certificate to the position; null if the game does not have it. */
  _trail() {
    const line = this.app.tree.line(),
      from = line.findLastIndex((/** @type {any} */ each) => each.fen === this._open?.fen);
    return from < 0 ? null : line.slice(from);
  }

  /** @param {Move[]} moves */
  _play(moves) {
    this.app.board.outline([]);
    for (const move of moves) this.app.tree.play(move);
    this.app.announce(moves.map(({text}) => text).join(" "));
  }

  _resist() {
    const [reply] = this._answer?.replies ?? [];
    if (reply) this._play(reply.answer ? [reply, reply.answer] : [reply]);
  }

  /** @override @param {any} node @returns {Promise<Step | null>} */
  async _fetch({fen}) {
    return this._open && this.app.api("proofs/step", {proof: this._open.proof, fen});
  }

  /** @override @param {Step | null} _step */
  _write(_step) {
    this._show_step();
  }

  _show_step() {
    this._problem.draw();
    const {_open: certificate, _answer: step} = this;
    this._step.hidden = !certificate || !step;
    if (!certificate || !step) return;
    const trail = this._trail() ?? [this.app.tree.node];
    this._title.textContent = claimWords(certificate);
    this._crumbs.replaceChildren(...crumbs(trail, node => this.app.tree.select(node)));
    this._words.replaceChildren(...unbroken(stepWords(step, certificate)));
    this._own.hidden = !step.move;
    this._own.textContent = step.move ? step.move.text : "";
    this._hardest.hidden = !step.replies.length;
    this._back.hidden = trail.length < 2;
    this._replies.table.hidden = !step.replies.length;
    const acts = {
      play: (/** @type {Move[]} */ moves) => this._play(moves),
      point: (/** @type {number[]} */ path) => this.app.board.outline(path),
    };
    this._replies.rows.replaceChildren(...step.replies.map(reply => replyRow(reply, acts)));
    this._uncovered.textContent = uncovered(certificate);
    if (step.move) this.app.board.outline(step.move.path);
  }

  /** @override @param {string} why */
  _refuse(why) {
    this._step.hidden = true;
    this._tell(why);
  }
}
