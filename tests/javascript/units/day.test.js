// A page that shows what belongs to a day: when it renews itself, and when it only says so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isWritten, remaining } from "../../../static/js/shared/day.js";

/** @param {Array<[string, string]>} fields @param {boolean} told */
const page = (fields, told = false) => ({
  querySelector: () => (told ? {} : null),
  querySelectorAll: () => fields.map(([defaultValue, value]) => ({ defaultValue, value })),
});

test("what is left of the day is counted from when the page was made", () => {
  assert.equal(remaining(60, 0), 60_000);
  assert.equal(remaining(60, 59_999), 1);
  assert.equal(remaining(60, 60_000), 0);
  assert.equal(remaining(60, 86_400_000), 0, "a device that slept over it");
});

test("a page is renewed unless somebody has written on it, or is told there what was wrong", () => {
  assert.equal(isWritten(page([])), false);
  assert.equal(isWritten(page([["2025-10-31", "2025-10-31"]])), false);
  assert.equal(isWritten(page([["", "500"]])), true);
  assert.equal(isWritten(page([], true)), true);
});
