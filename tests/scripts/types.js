// Checks the types of all scripts by tsc. Scripts that biome.json leaves out ("!kr/web/static/play.js") are older than
// that: what they import and export is looked at, but they may have faults.

import {spawnSync} from "node:child_process";
import {readFileSync} from "node:fs";

/** @type {string[]} */
const included = JSON.parse(readFileSync("biome.json", "utf-8")).files.includes;
const left = included.filter(name => name.startsWith("!")).map(name => name.slice(1));
const {stdout, stderr, status} = spawnSync("node_modules/.bin/tsc", ["--pretty", "false"], {encoding: "utf-8"});
if (status === null) throw new Error("tsc did not run: npm ci");

// a fault is a line FILE(LINE,COLUMN): error ..., perhaps with others below it that are indented
const faults = stdout.split(/\n(?! )/).filter(fault => fault && !left.includes(fault.replace(/\(.*/s, "")));
process.stdout.write(faults.map(fault => `${fault}\n`).join(""));
process.stderr.write(stderr);
process.exitCode = faults.length || (status && !stdout) ? 1 : 0;
