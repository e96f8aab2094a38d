import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, describe, test } from "node:test";
import { bytesOf, commitment, reshuffle, shoe, toss } from "../../../static/js/deal/shuffle.js";
import { differences, misfits, NO_PROOF, shoeOf } from "../../../static/js/deal/verify.js";
import { keepSeed, seedOf } from "../../../static/js/shared/seeds.js";

const VECTORS = JSON.parse(
  readFileSync(new URL("../../unit/rules/vectors/fairness.json", import.meta.url), { encoding: "utf8" }),
);
const seeds = ({ deal_id: deal, seed, clients }) => ({
  deal: String(deal),
  seed: bytesOf(seed),
  clients: clients.map(bytesOf),
});

/** A proof of the deal of a vector between seats 0 and 2, dealt as the protocol says. */
function proofOf(vector) {
  const rest = vector.shoe.slice(26);
  const hand = (first) => vector.shoe.slice(0, 26).filter((_, place) => place % 2 === first);
  const discarded = rest.slice(-6);
  return {
    deal: vector.deal_id,
    commitment: vector.commitment,
    seed: vector.seed,
    client_seeds: vector.clients,
    order: [2, 0],
    packs: vector.packs,
    toss: [0, 2].map((seat, place) => ({ seat, card: vector.toss[place] })),
    hands: { 2: hand(0), 0: hand(1) },
    upcard: rest[0],
    cut_joker: rest[1],
    closed: rest.slice(2),
    reshuffles: [{ number: 1, discarded, closed: reshuffle(discarded, 1, seeds(vector)) }],
  };
}

describe("the published vectors", () => {
  test("are what this browser would work out", () => {
    assert.ok(VECTORS.length > 0);
    for (const vector of VECTORS) {
      assert.equal(commitment(seeds(vector)), vector.commitment);
      assert.deepEqual(shoe(seeds(vector), vector.packs), vector.shoe);
      assert.deepEqual(toss(seeds(vector)).slice(0, vector.toss.length), vector.toss);
    }
  });
});

describe("a proof", () => {
  const [vector, other] = VECTORS;
  const honest = proofOf(vector);

  test("holds where the deal was what its seeds give", () => {
    assert.deepEqual(differences(honest), []);
    assert.deepEqual(shoeOf(honest), vector.shoe);
  });

  const planted = {
    "another seed": [{ seed: other.seed }, "The commitment is not the one of this seed."],
    "a player's seed left out": [{ client_seeds: [] }, "The upcard is not the one that the shoe gives."],
    "another promise": [{ commitment: other.commitment }, "The commitment is not the one of this seed."],
    "another upcard": [{ upcard: honest.cut_joker }, "The upcard is not the one that the shoe gives."],
    "another cut joker": [{ cut_joker: honest.upcard }, "The cut joker is not the one that the shoe gives."],
    "a closed deck turned round": [
      { closed: honest.closed.toReversed() },
      "The closed deck is not the rest of the shoe.",
    ],
    "another toss": [{ toss: [{ seat: 0, card: "AS" }] }, "The toss is not the one of this seed."],
    "hands exchanged": [
      { hands: { 0: honest.hands[2], 2: honest.hands[0] } },
      "The hand of seat 3 is not the one that the shoe gives.",
    ],
    "another reshuffle": [
      { reshuffles: [{ ...honest.reshuffles[0], closed: honest.reshuffles[0].discarded }] },
      "Reshuffle 1 is not the one of this seed.",
    ],
  };
  for (const [name, [part, sentence]] of Object.entries(planted)) {
    test(`is refused with ${name}`, () => assert.ok(differences({ ...honest, ...part }).includes(sentence)));
  }

  test("that lacks a part is none", () => {
    for (const part of Object.keys(honest)) {
      const { [part]: _, ...rest } = honest;
      assert.ok(differences(rest).length > 0, part);
    }
    for (const nothing of [null, 7, [], "proof", {}]) assert.deepEqual(differences(nothing), [NO_PROOF]);
  });

  test("must be of this deal, its hands, and this browser's part in it", () => {
    const own = { deal: String(vector.deal_id), user: "1", seed: vector.clients[0], commitment: vector.commitment };
    const known = { deal: vector.deal_id, hands: honest.hands, own };
    assert.deepEqual(misfits(honest, known), []);
    assert.match(misfits(proofOf(other), known)[0], /is the proof of deal .* not of deal/);
    assert.match(
      misfits(honest, { ...known, own: { ...own, seed: "00".repeat(16) } })[0],
      /seed that this browser gave/,
    );
    assert.match(misfits(honest, { ...known, own: { ...own, commitment: "00" } })[0], /promise in this proof/);
    const exchanged = { 0: honest.hands[2], 2: honest.hands[0] };
    assert.equal(misfits(honest, { ...known, hands: exchanged }).length, 2);
    assert.deepEqual(misfits({}, known), [NO_PROOF]);
  });
});

describe("the seeds that a browser keeps", () => {
  beforeEach(() => {
    const kept = new Map();
    globalThis.localStorage = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
    };
  });

  test("are found by deal and user, the newest two hundred of them", () => {
    for (let deal = 0; deal < 205; deal += 1)
      keepSeed({ deal: `${deal}`, user: "1", seed: `s${deal}`, commitment: "c" });
    assert.equal(seedOf("204", "1").seed, "s204");
    assert.equal(seedOf("204", "2"), null);
    assert.equal(seedOf("4", "1"), null);
  });

  test("do no harm where nothing can be kept", () => {
    globalThis.localStorage = {
      getItem: () => "no json",
      setItem: () => {
        throw new Error("full");
      },
    };
    keepSeed({ deal: "1", user: "1", seed: "s", commitment: "c" });
    assert.equal(seedOf("1", "1"), null);
  });
});
