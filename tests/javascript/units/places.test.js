import assert from "node:assert/strict";
import { test } from "node:test";
import { seatPlaces } from "../../../static/js/table/model/places.js";

const seatsOf = (places) => places.map(({ seat }) => seat);

for (const shape of ["wide", "upright", "low"]) {
  test(`everybody has a place of their own in the ${shape} room, clockwise from one's own left`, () => {
    for (let count = 2; count <= 6; count += 1) {
      const numbers = Array.from({ length: count }, (_, seat) => seat);
      const places = seatPlaces(numbers, 1, shape);
      assert.deepEqual(seatsOf(places), [...numbers.slice(2), 0]);
      assert.equal(new Set(places.map(({ x, y }) => `${x} ${y}`)).size, count - 1);
      const across = places.map(({ x }) => x);
      assert.deepEqual(
        across,
        [...across].sort((one, other) => one - other),
      );
    }
  });
}

test("who watches sees all, the first seat at the near edge", () => {
  const places = seatPlaces([0, 1, 2], null, "wide");
  assert.deepEqual(seatsOf(places), [1, 2, 0]);
  assert.equal(places.at(-1).y, null);
});
