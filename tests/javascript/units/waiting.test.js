// The tables that stand first in the lobby, by what its socket says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf, waitingTables } from "../../../static/js/lobby/waiting.js";

const seats = (...names) => names.map((name, seat) => ({ seat, name }));
const table = (id, places, more = {}) => {
  const seated = places.filter(({ name }) => name).length;
  return { id, phase: "waiting", seats: places, seated, waiting: seated, joinable: true, ...more };
};

test("those that lack the fewest come first; empty, running and full ones are left out", () => {
  const six = { id: 1, tables: [table(11, seats("ann", null, null, null, null, null)), table(12, seats(null, null))] };
  const two = { id: 2, tables: [table(22, seats("bea", null)), table(21, seats("cid", null))] };
  const running = { id: 3, tables: [table(31, seats("dev", null), { waiting: 0 })] };
  const full = { id: 4, tables: [table(41, seats("eva", "fay"), { joinable: false })] };
  const found = waitingTables([six, two, running, full]);
  assert.deepEqual(
    found.map((each) => [each.stake.id, each.table.id]),
    [
      [2, 21],
      [2, 22],
      [1, 11],
    ],
  );
  assert.equal(namesOf(full.tables[0]), "eva, fay");
});

test("a crowd is cut off", () => {
  const tables = Array.from({ length: 30 }, (_, id) => table(id, seats("ann", null)));
  assert.equal(waitingTables([{ id: 1, tables }]).length, 12);
});
