// The Worker that answers the page where a server has the engine: kr web's own, with its databases and books.

import {Messenger} from "../messenger.js";
import {Dispatcher} from "./answers.js";
import {House} from "./house.js";
import {RemoteBook} from "./native/book.js";
import {RemoteCertificates} from "./native/certificates.js";
import {RemoteDatabase} from "./native/database.js";
import {RemoteEngine} from "./native/engine.js";
import {RemoteFiles} from "./native/files.js";

const worker = /** @type {any} */ (globalThis);

const server = new Messenger(message => worker.postMessage({server: message}));
const house = new House({
  loadJson: name => server.api(`data/${name}`),
  openDatabase: () => RemoteDatabase.open(server),
  openCertificates: () => RemoteCertificates.open(server),
  openBook: () => RemoteBook.open(server),
  openProver: async () => new (await import("./native/prover.js")).RemoteProver(server),
  engine: new RemoteEngine(server),
  files: new RemoteFiles(server),
});
const dispatcher = new Dispatcher(house, message => worker.postMessage(message));

worker.onmessage = (/** @type {MessageEvent} */ {data}) => {
  if (data.server) server.hear(data.server);
  else if (data.back) house.forget();
  else dispatcher.take(data);
};
