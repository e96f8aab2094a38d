import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { Player } from "../../../static/js/deal/player.js";
import { firstDealt, stepOf, unfolded } from "../../../static/js/deal/steps.js";

const HAND = { groups: [], loose: ["3H1"], standing: "in", points: null };
const CHANGES = [
  { event: 0, type: "match_started", text: "Begin.", cut: null, closed: 0, hands: {} },
  { event: 2, type: "cut_joker_turned", text: "Cut.", cut: "9S1", closed: 50, hands: { 0: HAND, 1: HAND } },
  { event: 5, type: "card_drawn", text: "Drew.", closed: 49, hands: { 1: { ...HAND, loose: ["3H1", "4H1"] } } },
];

describe("the steps of a replay", () => {
  test("are whole again from what has changed", () => {
    const [, cut, drawn] = unfolded(CHANGES);
    assert.equal(drawn.cut, "9S1");
    assert.deepEqual(drawn.hands[0].loose, ["3H1"]);
    assert.deepEqual(drawn.hands[1].loose, ["3H1", "4H1"]);
    assert.deepEqual(cut.hands[1].loose, ["3H1"]);
  });

  test("begin with the cards, and are found by their event", () => {
    const steps = unfolded(CHANGES);
    assert.equal(firstDealt(steps), 1);
    assert.deepEqual(
      [0, 1, 2, 4, 5, 99].map((event) => stepOf(steps, event)),
      [0, 0, 1, 1, 2, 2],
    );
  });
});

describe("the player of a replay", () => {
  test("stays within the deal and stops when moved by hand", () => {
    const player = new Player(3, 99, () => undefined);
    assert.equal(player.at, 2);
    player.move(-5);
    assert.equal(player.at, 0);
    player.toggle();
    player.move(1);
    assert.deepEqual([player.at, player.playing], [1, false]);
  });

  test("goes on by itself to the end, at its speed, and begins anew from there", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const player = new Player(3, 0, () => undefined);
    player.toggle();
    mock.timers.tick(1200);
    assert.equal(player.at, 1);
    player.setSpeed(4);
    mock.timers.tick(300);
    assert.deepEqual([player.at, player.playing], [2, false]);
    player.toggle();
    assert.deepEqual([player.at, player.playing], [0, true]);
    player.pause();
    mock.timers.reset();
  });
});
