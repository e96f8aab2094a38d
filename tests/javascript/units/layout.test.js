import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { boxColumns, layBox, layHand } from "../../../static/js/table/model/layout.js";
import { any, seeded } from "./chance.js";

/** The hand's regions on screens of 1440, 820 and 360 px, and the shapes that go with them. */
const ROOMS = {
  wide: {
    region: { x: 6, y: 560, w: 1428, h: 250 },
    shape: { pad: 8, gap: 14, rowGap: 7, label: 21, lift: 14, foot: 5, most: 114 },
  },
  tablet: {
    region: { x: 6, y: 620, w: 808, h: 280 },
    shape: { pad: 8, gap: 14, rowGap: 7, label: 21, lift: 14, foot: 5, most: 114 },
  },
  upright: {
    region: { x: 6, y: 420, w: 348, h: 240 },
    shape: { pad: 5, gap: 6, rowGap: 3, label: 18, lift: 10, foot: 3, most: 84 },
  },
};
const RATIO = 1.4;
const INDEX = 0.415;
const ALMOST = 1e-6;

function segmentsOf(sizes, loose) {
  let next = 0;
  const cards = (count) => Array.from({ length: count }, () => `card${next++}`);
  return [...sizes.map((size, key) => ({ key, cards: cards(size) })), { key: "loose", cards: cards(loose) }];
}

/** Hands of 13 and 14 cards in all sorts of groups. */
function* hands() {
  for (let seed = 1; seed <= 60; seed += 1) {
    const chance = seeded(seed);
    const sizes = [];
    let left = 13 + any(chance, 2);
    while (sizes.length < 6 && left > 0 && chance() < 0.8) {
      const size = Math.min(left, 1 + any(chance, 6));
      sizes.push(size);
      left -= size;
    }
    yield segmentsOf(sizes, left);
  }
}

for (const [name, { region, shape }] of Object.entries(ROOMS)) {
  describe(`a hand in the ${name} room`, () => {
    test("every card has one place, inside the region", () => {
      for (const segments of hands()) {
        const laid = layHand(segments, region, shape);
        const all = segments.flatMap((segment) => segment.cards);
        assert.deepEqual([...laid.cards.keys()].sort(), [...all].sort());
        for (const { x, y, w } of laid.cards.values()) {
          assert.ok(x >= region.x - ALMOST && x + w <= region.x + region.w + ALMOST, "beside the region");
          assert.ok(
            y >= region.y - ALMOST && y + w * RATIO <= region.y + region.h + ALMOST,
            "above or below the region",
          );
        }
      }
    });

    test("the index of every covered card can be read", () => {
      for (const segments of hands()) {
        const laid = layHand(segments, region, shape);
        for (const tray of laid.trays) {
          const xs = tray.cards.map((card) => laid.cards.get(card).x);
          for (const [place, x] of xs.slice(1).entries()) assert.ok(x - xs[place] >= INDEX * laid.w - ALMOST);
        }
      }
    });

    test("a group stays together, and loose cards that do not go on in the next row say from where", () => {
      for (const segments of hands()) {
        const { trays } = layHand(segments, region, shape);
        for (const segment of segments.filter((each) => each.cards.length > 0)) {
          const parts = trays.filter((tray) => tray.key === segment.key);
          if (segment.key !== "loose") assert.equal(parts.length, 1);
          assert.deepEqual(
            parts.flatMap((tray) => tray.cards),
            segment.cards,
          );
          for (const part of parts) assert.equal(segment.cards.indexOf(part.cards[0]), part.from);
        }
      }
    });

    test("no two trays lie over each other", () => {
      for (const segments of hands()) {
        const { trays } = layHand(segments, region, shape);
        for (const [place, one] of trays.entries()) {
          for (const other of trays.slice(place + 1)) assert.ok(apart(one, other), JSON.stringify([one, other]));
        }
      }
    });
  });
}

function apart(one, other) {
  const beside = one.x + one.w <= other.x + ALMOST || other.x + other.w <= one.x + ALMOST;
  return beside || one.y + one.h <= other.y + ALMOST || other.y + other.h <= one.y + ALMOST;
}

test("later cards lie on earlier ones", () => {
  const { cards } = layHand(segmentsOf([4, 3], 6), ROOMS.wide.region, ROOMS.wide.shape);
  const heights = [...cards.values()].map(({ z }) => z);
  assert.deepEqual(
    heights,
    [...heights].sort((one, other) => one - other),
  );
});

test("cards are no larger than wanted, and shrink where there is less room", () => {
  const { region, shape } = ROOMS.wide;
  const segments = segmentsOf([4, 3, 3, 3], 0);
  assert.equal(layHand(segments, { ...region, w: 4000, h: 900 }, shape).w, shape.most);
  assert.ok(layHand(segments, { ...region, w: 300 }, shape).w < layHand(segments, region, shape).w);
});

test("an empty hand, or no room at all, lays nothing", () => {
  const { region, shape } = ROOMS.wide;
  assert.equal(layHand(segmentsOf([], 0), region, shape).cards.size, 0);
  assert.equal(layHand(segmentsOf([13], 0), { ...region, w: 40, h: 40 }, shape).cards.size, 0);
});

describe("a hand under fingers", () => {
  const { region, shape } = ROOMS.upright;
  const tall = { ...region, h: 296 };
  for (const [sizes, loose] of [
    [[], 13],
    [[], 14],
    [[3, 3, 4, 3], 0],
    [[4, 3, 3, 3], 1],
    [[5, 4], 5],
  ])
    test(`of groups of ${sizes} and ${loose} loose cards: 44 px of each can be touched, and no card is small`, () => {
      const laid = layHand(segmentsOf(sizes, loose), tall, { ...shape, touch: 44 });
      assert.ok(laid.step > 43.9, `${laid.step} px`);
      assert.ok(laid.w >= 44, `${laid.w} px wide`);
    });
});

describe("boxes", () => {
  test("their columns are as wide as the fullest box needs, and all alike on a wide screen", () => {
    assert.equal(boxColumns([3, 5], "wide"), "");
    const [first, second] = columns(boxColumns([3, 5, 3, 4], "upright"));
    assert.ok(second > first, "the second holds five, the first three");
    assert.equal(columns(boxColumns([], "upright")).length, 2);
    assert.equal(columns(boxColumns([3], "low")).length, 6);
  });

  test("a group lies inside its box, however many cards it has", () => {
    const box = { x: 100, y: 50, w: 150, h: 110 };
    for (let count = 1; count <= 13; count += 1) {
      const [segment] = segmentsOf([count], 0);
      const { cards, tray } = layBox(segment, box, 18);
      assert.equal(cards.size, count);
      assert.equal(tray.w, box.w);
      for (const { x, w } of cards.values()) assert.ok(x >= box.x && x + w <= box.x + box.w + ALMOST, `${count} cards`);
    }
  });
});

const columns = (text) => [...text.matchAll(/([\d.]+)fr/g)].map(([, width]) => Number(width));
