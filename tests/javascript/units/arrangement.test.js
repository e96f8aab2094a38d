import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  adopted,
  allCards,
  asFrame,
  groupOf,
  melded,
  moved,
  nothing,
  reconciled,
  submission,
  verdictOn,
} from "../../../static/js/table/model/arrangement.js";
import { any, pick, seeded, someOf } from "./chance.js";

const group = (text, inBox = false) => ({ cards: text.split(" "), melded: inBox });
const lying = (groups, loose = "") => ({ groups, loose: loose ? loose.split(" ") : [] });

describe("moving cards", () => {
  const before = lying([group("3H1 4H1 5H1"), group("7S1 7D1 7C1")], "KC1 2D1");

  test("a card goes to its place among the cards that stay", () => {
    assert.deepEqual(moved(before, ["5H1"], { group: 0, at: 0 }).groups[0].cards, ["5H1", "3H1", "4H1"]);
    assert.deepEqual(moved(before, ["3H1"], { group: 0, at: 1 }).groups[0].cards, ["4H1", "3H1", "5H1"]);
  });

  test("without a place it goes behind the others", () => {
    assert.deepEqual(moved(before, ["KC1"], { group: 1 }).groups[1].cards, ["7S1", "7D1", "7C1", "KC1"]);
    assert.deepEqual(moved(before, ["7S1"], { group: "loose" }).loose, ["KC1", "2D1", "7S1"]);
  });

  test("a group that is emptied is gone, and the target is still the one that was meant", () => {
    const after = moved(before, ["3H1", "4H1", "5H1"], { group: 1, at: 3 });
    assert.deepEqual(asFrame(after), [["7S1", "7D1", "7C1", "3H1", "4H1", "5H1"]]);
  });

  test("a new group lies in a box only where it was laid there", () => {
    assert.equal(moved(before, ["KC1", "2D1"], { group: "new" }).groups[2].melded, false);
    assert.equal(moved(before, ["KC1", "2D1"], { group: "new", melded: true }).groups[2].melded, true);
  });

  test("what lay there before is left as it was", () => {
    const copy = structuredClone(before);
    moved(before, ["3H1", "KC1"], { group: 1, at: 0 });
    melded(before, true);
    reconciled(before, ["3H1"]);
    assert.deepEqual(before, copy);
  });
});

describe("what the server says of the hand", () => {
  test("its groups count, loose cards stay in the player's order, and new ones come last", () => {
    const me = { groups: [["3H1", "4H1", "5H1"]], loose: ["2D1", "KC1", "9S1"] };
    assert.deepEqual(adopted(me, lying([], "KC1 3H1 2D1")), {
      groups: [{ cards: ["3H1", "4H1", "5H1"], melded: false }],
      loose: ["KC1", "2D1", "9S1"],
    });
  });

  test("a group stays in its box while it is the same, and leaves it when a card was added", () => {
    const before = lying([group("3H1 4H1 5H1", true), group("7S1 7D1 7C1", true)]);
    const me = {
      groups: [
        ["3H1", "4H1", "5H1"],
        ["7S1", "7D1", "7C1", "7H1"],
      ],
      loose: [],
    };
    assert.deepEqual(
      adopted(me, before).groups.map((each) => each.melded),
      [true, false],
    );
  });

  test("a card that is gone leaves its group, an emptied group is gone, and a drawn card lies loose", () => {
    const before = lying([group("3H1 4H1 5H1"), group("KC1")], "2D1");
    const after = reconciled(before, ["3H1", "5H1", "2D1", "JR1"]);
    assert.deepEqual(after, lying([group("3H1 5H1")], "2D1 JR1"));
  });

  test("a verdict counts for exactly the cards that were judged, in any order", () => {
    const me = { groups: [["3H1", "4H1", "5H1"], ["7S1"]], kinds: ["pure"], reasons: [null] };
    assert.deepEqual(verdictOn(me, ["5H1", "3H1", "4H1"]), { kind: "pure", reason: null });
    assert.deepEqual(verdictOn(me, ["7S1"]), { kind: null, reason: null });
    assert.equal(verdictOn(me, ["3H1", "4H1"]), null);
    assert.equal(verdictOn(me, ["3H1", "4H1", "5H1", "6H1"]), null);
    assert.equal(verdictOn(null, ["3H1"]), null);
  });
});

test("a group is found by all its cards, and by nothing less", () => {
  const here = lying([group("3H1 4H1 5H1"), group("7S1 7D1")]);
  assert.equal(groupOf(here, ["7D1", "7S1"]), 1);
  assert.equal(groupOf(here, ["7D1"]), null);
  assert.equal(groupOf(here, ["7D1", "3H1"]), null);
  assert.equal(groupOf(nothing(), []), null);
});

test("one group goes into its box, or all do", () => {
  const here = lying([group("3H1 4H1 5H1"), group("7S1 7D1")]);
  const boxed = (arrangement) => arrangement.groups.map((each) => each.melded);
  assert.deepEqual(boxed(melded(here, true, 1)), [false, true]);
  assert.deepEqual(boxed(melded(melded(here, true), false, 0)), [false, true]);
});

describe("what is known of a hand as it is submitted", () => {
  const [run, rags] = [
    ["3H1", "4H1", "5H1"],
    ["7S1", "KD1"],
  ];
  const me = { groups: [run, rags], kinds: ["pure", "invalid"], reasons: [null, "…"], fault: "…", points_to_save: 4 };

  test("all lies in boxes: the fault, and what another arrangement would save", () => {
    assert.deepEqual(submission(me, [run, rags]), { known: true, fault: "…", saved: 4 });
    assert.deepEqual(submission({ ...me, fault: null, points_to_save: 0 }, [run, rags]).fault, null);
  });

  test("a group that is no meld counts the same in no box, but the fault is told in other words", () => {
    assert.deepEqual(submission(me, [run]), { known: true, fault: undefined, saved: 4 });
  });

  test("nothing is known where a meld lies in no box, or the server has not seen what lies in one", () => {
    assert.deepEqual(submission(me, [rags]), { known: false, fault: undefined, saved: 4 });
    assert.equal(submission(me, [run, ["7S1", "KD1", "2C1"]]).known, false);
  });
});

test("whatever is done to a hand, each of its cards lies in one place", () => {
  const deck = ["C", "D", "H", "S"].flatMap((suit) => ["A", "5", "10", "J", "K"].map((rank) => `${rank}${suit}1`));
  for (let seed = 1; seed <= 200; seed += 1) {
    const chance = seeded(seed);
    let hand = someOf(chance, deck, 13);
    let lies = reconciled(nothing(), hand);
    for (let step = 0; step < 25; step += 1) {
      [hand, lies] = randomAct(chance, hand, lies, deck);
      assert.deepEqual(allCards(lies).sort(), [...hand].sort(), `seed ${seed}, step ${step}`);
      assert.ok(
        lies.groups.every((each) => each.cards.length > 0),
        `seed ${seed}, step ${step}: an empty group`,
      );
    }
  }
});

function randomAct(chance, hand, lies, deck) {
  const cards = someOf(chance, hand, 1 + any(chance, 4));
  const target = pick(chance, ["new", "loose", ...lies.groups.keys()]);
  const at = chance() < 0.5 ? any(chance, 5) : undefined;
  const drawn = pick(
    chance,
    deck.filter((card) => !hand.includes(card)),
  );
  const after = [...hand.filter((card) => card !== cards[0]), drawn];
  const acts = [
    () => [hand, moved(lies, cards, { group: target, at, melded: chance() < 0.5 })],
    () => [hand, melded(lies, chance() < 0.5, any(chance, lies.groups.length + 1))],
    () => [after, reconciled(lies, after)],
  ];
  return pick(chance, acts)();
}
