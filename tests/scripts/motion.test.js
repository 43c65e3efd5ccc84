import assert from "node:assert/strict";
import {test} from "node:test";
import {isStill} from "../../kr/viewer/static/motion.js";

test("the person's choice goes before what the device says", () => {
  /** @type {Record<string, string>} */
  const dataset = {};
  let reduces = true;
  Object.assign(globalThis, {document: {documentElement: {dataset}}, matchMedia: () => ({matches: reduces})});
  assert.equal(isStill(), true);
  dataset.motion = "full";
  assert.equal(isStill(), false);
  reduces = false;
  dataset.motion = "less";
  assert.equal(isStill(), true);
  delete dataset.motion;
  assert.equal(isStill(), false);
});
