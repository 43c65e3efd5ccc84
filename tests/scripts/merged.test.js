import assert from "node:assert/strict";
import {test} from "node:test";

test("a script of kr web finds those that pages without a server have too", async () => {
  const {LineStage} = await import("../../kr/page/static/line/stage.js");
  assert.equal(typeof LineStage, "function");
});
