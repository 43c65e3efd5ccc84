// The start of the page: its language, then all else, so that every text is asked for in that language.

import {applyPreferences, language} from "./preferences.js";
import {speak} from "./texts.js";

const code = language();
speak(code, code === "en" ? {} : (await import(`./languages/${code}.js`)).default);
document.documentElement.lang = code;
applyPreferences();
await import("./shell.js");
