// Modules as a browser finds them: kr/viewer/static and kr/page/static are one folder there. Errors are told in English.

import {existsSync} from "node:fs";
import * as modules from "node:module";
import {isMainThread} from "node:worker_threads";

const ROOMS = ["viewer", "page"].map(room => new URL(`../../kr/${room}/static/`, import.meta.url).href);

/** A hook of node, by which `import` finds files. @type {modules.ResolveHookSync} */
export const resolve = (specifier, context, next) => {
  const room = specifier.startsWith(".") && ROOMS.find(each => context.parentURL?.startsWith(each));
  if (!room) return next(specifier, context);
  const path = new URL(specifier, context.parentURL).href.slice(room.length);
  const found = ROOMS.map(each => new URL(path, each)).find(each => existsSync(each));
  return next(found ? found.href : specifier, context);
};

// before its version 22.15 node runs hooks in a thread of their own, which loads this module again
if (modules.registerHooks) modules.registerHooks({resolve});
else if (isMainThread) modules.register(import.meta.url);

if (isMainThread) {
  const [{speak}, {textsOf}] = await Promise.all([import("../../kr/viewer/static/texts.js"), import("./texts.js")]);
  speak("en", {}, textsOf("en"));
}
