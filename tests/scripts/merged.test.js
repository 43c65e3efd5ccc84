import assert from "node:assert/strict";
import {test} from "node:test";

test("a script of kr web finds those that pages without a server have too", async () => {
  const {lineBoard} = await import("../../kr/web/static/line.js");
  assert.equal(typeof lineBoard, "function");
});
