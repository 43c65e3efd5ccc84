import assert from "node:assert/strict";
import {test} from "node:test";
import {Draws} from "../../kr/page/static/answers/play/draws.js";

const COUNT = 20_000;

test("draws by lot are even, and the same again", () => {
  const tens = Array(10).fill(0),
    weighted = [0, 0, 0];
  let last = 0.5,
    products = 0;
  for (let i = 0; i < COUNT; i++) {
    const draws = new Draws(`7 ${i}`),
      number = draws.random();
    assert.ok(number >= 0 && number < 1);
    tens[draws.below(10)]++;
    weighted[draws.weighted([1, 0, 3])]++;
    products += (number - 0.5) * (last - 0.5);
    last = number;
  }
  for (const count of tens) assert.ok(Math.abs(count - COUNT / 10) < 200, `${tens}`);
  assert.equal(weighted[1], 0);
  assert.ok(Math.abs(weighted[2] / COUNT - 0.75) < 0.02, `${weighted}`);
  // numbers of similar texts don't resemble each other
  assert.ok(Math.abs((12 * products) / COUNT) < 0.03, `${products}`);
  assert.equal(new Draws("7 1").random(), new Draws("7 1").random());
});
