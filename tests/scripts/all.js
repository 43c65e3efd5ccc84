// All tests of scripts in one process: a process for each file, as `node --test` has it, takes three times as long.

import {readdirSync} from "node:fs";
import {beforeEach} from "node:test";
import {speak} from "../../kr/viewer/static/texts.js";
import {textsOf} from "./texts.js";

const ENGLISH = textsOf("en");

// the test before may have spoken another language
beforeEach(() => speak("en", {}, ENGLISH));
for (const name of readdirSync(new URL(".", import.meta.url)).sort())
  if (name.endsWith(".test.js")) await import(`./${name}`);
