// Notices of the device: each is taken away once, and the browser is not asked about them in vain.

import assert from "node:assert/strict";
import { test } from "node:test";

/** How often the browser was asked what is allowed: it is slow to answer. */
let asked = 0;
let closed = 0;
globalThis.window = globalThis;
globalThis.addEventListener ??= () => undefined;
globalThis.document = { body: { dataset: { table: "7" } } };
globalThis.location = { pathname: "/tables/7/" };
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
globalThis.Notification = class {
  static get permission() {
    asked += 1;
    return "granted";
  }
  close() {
    closed += 1;
  }
};
const { buzz, clearNotice, notify } = await import("../../../static/js/shared/notices.js");

test("what an earlier page left is looked for once", async () => {
  for (let tick = 0; tick < 5; tick += 1) await clearNotice();
  assert.equal(asked, 1);
});

test("each notice is taken away, and then no more", async () => {
  for (const shown of [1, 2]) {
    await notify("Your turn", "30 s");
    const before = asked;
    for (let tick = 0; tick < 5; tick += 1) await clearNotice();
    assert.deepEqual([closed, asked - before], [shown, 1]);
  }
});

test("a notice that comes while the player comes back is taken away as well", async () => {
  const coming = notify("Your turn", "30 s");
  await clearNotice();
  await coming;
  await clearNotice();
  assert.equal(closed, 3);
});

test("a page that nobody has touched does not shake the device, one that was touched does", () => {
  const shakes = [];
  const vibrate = (pattern) => shakes.push(pattern);
  for (const userActivation of [{ hasBeenActive: false }, { hasBeenActive: true }, undefined]) {
    Object.defineProperty(globalThis, "navigator", { value: { vibrate, userActivation }, configurable: true });
    buzz();
  }
  assert.equal(shakes.length, 2, "where a browser does not tell, it is asked");
});
