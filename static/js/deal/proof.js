// @ts-check
// The check of a shuffle on the page: this browser works the shoe out by itself and shows it as it fell.

import { cardFace } from "../shared/card_faces.js";
import { byId, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { seedOf } from "../shared/seeds.js";
import { plural } from "../shared/words.js";
import { differences, misfits, NO_PROOF, shoeOf } from "./verify.js";

/** @import { Known, Proof } from "./verify.js" */
/** @import { Seated } from "./board.js" */
/** @typedef {{deal: number | string, players: Seated[], wildRank: number | null, hands: Record<string, string[]>}} Around */

const HAND = 13;

/**
 * Checks the deal's own proof, and whatever proof the player chooses from a file.
 *
 * @param {string} address
 * @param {Around} around
 */
export async function checkProof(address, around) {
  const own = seedOf(String(around.deal), document.body.dataset.user ?? "");
  const known = { deal: around.deal, hands: around.hands, own };
  const file = /** @type {HTMLInputElement} */ (byId("proof-file"));
  byId("proof-other").hidden = false;
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen) show(read(await chosen.text().catch(() => "")), known, around, t("In {name}: ", { name: chosen.name }));
    file.value = "";
  });
  const answer = await fetch(address, { headers: { accept: "application/json" } }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (answer?.ok) return show(content, known, around, "");
  showVerdict(
    "bad",
    t("Not checked"),
    content?.message ?? t("The proof could not be reached. Load the page again to check it."),
    [],
  );
}

/**
 * @param {string} text
 * @returns {Proof | null}
 */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @type {(proof: Proof | null, known: Known, around: Around, from: string) => void} */
function show(proof, known, around, from) {
  byId("shoe").replaceChildren();
  const strange = proof === null || typeof proof !== "object" ? [NO_PROOF] : misfits(proof, known);
  const faults = strange.length > 0 || proof === null ? strange : differences(proof);
  if (faults.length > 0 || proof === null)
    return showVerdict("bad", t("Refused"), `${from}${t("This proof does not hold.")}`, faults);
  showVerdict("good", t("Checked in this browser"), `${from}${checkedParts(proof)}`, [ownPart(known)]);
  if (proof.order.length > 0) byId("shoe").replaceChildren(fallen(proof, around));
}

/** @type {(tone: string, word: string, sentence: string, more: string[]) => void} */
function showVerdict(tone, word, sentence, more) {
  const verdict = el("span", { class: `verdict verdict--${tone}`, text: word });
  const list = more.map((text) => el("li", { text }));
  byId("checked").replaceChildren(el("p", {}, verdict, ` ${sentence}`), el("ul", { class: "proof__faults" }, ...list));
}

/** @param {Proof} proof */
function checkedParts({ reshuffles }) {
  const deck = t(
    "The promise, the toss, every hand, the upcard, the cut joker and the closed deck are what the seeds give.",
  );
  if (reshuffles.length === 0) return deck;
  return reshuffles.length === 1
    ? t("{deck} So is the reshuffle.", { deck })
    : t("{deck} So are the {number} reshuffles.", { deck, number: reshuffles.length });
}

/** @param {Known} known */
function ownPart({ own }) {
  return own
    ? t("This browser noted the promise before the deal and gave a seed: both are the ones in the proof.")
    : t("This browser has kept no seed of this deal, as when it was played elsewhere: your own part is not checked.");
}

/** @type {(proof: Proof, around: Around) => HTMLElement} */
function fallen(proof, { players, wildRank }) {
  const cards = shoeOf(proof);
  const places = cards.map((card, place) =>
    el(
      "li",
      {},
      cardFace(card, { wildRank }),
      el("small", { text: `${place + 1}` }),
      el("small", { class: "shoe__to", text: went(proof, place, players) }),
    ),
  );
  return el(
    "details",
    { class: "shoe" },
    el("summary", { text: t("The shoe as it fell: {cards}", { cards: plural(cards.length, "card") }) }),
    el("ol", { class: "shoe__cards mini", tabindex: "0", "aria-label": t("The shoe in its order") }, ...places),
  );
}

/**
 * Where a card of the shoe went.
 *
 * @param {Proof} proof
 * @param {number} place
 * @param {Seated[]} players
 */
function went({ order, upcard }, place, players) {
  const dealt = order.length * HAND;
  if (place < dealt) {
    const seat = order[place % order.length];
    return players.find((player) => player.seat === seat)?.name ?? t("Seat {seat}", { seat });
  }
  const open = upcard === null ? 0 : 1;
  if (place < dealt + open) return t("Upcard");
  return place === dealt + open ? t("Cut joker") : t("Closed");
}
