// Games that the browser has kept outside of the library: those of earlier versions, and games of Play that ended as
// the page did. They are taken over once.

import {KeptGames, asAdded} from "../play/kept.js";

/**
 * @param {Pick<import("../shell.js").App, "kept" | "keep">} app
 * @param {import("./games.js").Library} library
 */
export async function takeOver(app, library) {
  // where the browser keeps nothing more, they stay where they are
  if (library.trouble) return;
  const games = new KeptGames(app),
    recent = app.kept("recent", []);
  for (const id of games.ids.reverse()) {
    const kept = games.get(id);
    if (!kept?.game.over) continue;
    if (!library.card(id) && kept.game.document.nodes.length > 1) await library.add(asAdded(kept));
    games.drop(id);
  }
  if (!Array.isArray(recent) || !recent.length) return;
  for (const game of recent.reverse())
    if (game?.document?.nodes?.length > 1)
      // one that no version can read is no loss
      await library.add({document: game.document, path: game.path, source: "board"}).catch(() => {});
  if (!library.trouble) app.keep("recent", undefined);
}
