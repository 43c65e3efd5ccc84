// Where the page lives: under kr web, whose server does what only a machine can do. A page without a server has
// another module in its place (packaging/page/static/place.js).

export * as machine from "./machine.js";

/** Address of the worker that answers. */
export const worker = () => new URL("./answers/native.js", import.meta.url);
