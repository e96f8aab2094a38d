// @ts-check
// The review of one's own turns: the server has worked out what each hand could have come to.

import { cardFace } from "../shared/card_faces.js";
import { cardName } from "../shared/cards.js";
import { byId, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { KINDS, plural } from "../shared/words.js";

/** @import { Card, Kind } from "../shared/types.js" */
/** @import { Seated } from "./board.js" */

/**
 * @typedef {{groups: Card[][], kinds: Kind[], loose: Card[], discard: Card | null, points: number, valid: boolean}} Best
 * @typedef {Object} Turn
 * @property {number} event
 * @property {number} before
 * @property {Best} best
 * @property {Card | null} drew
 * @property {Card | null} discarded
 * @property {number | null} taken_by
 * @property {"player" | "platform" | "leaving" | null} drew_by
 * @property {"player" | "platform" | "leaving" | null} discarded_by
 * @typedef {{turns: Turn[], first_show: number | null, best: Best | null}} Review
 * @typedef {{players: Seated[], wildRank: number | null, jump: (event: number) => void}} Around
 */

/**
 * Fetches the review and shows it.
 *
 * @param {string} address
 * @param {Around} around
 */
export async function showReview(address, around) {
  const place = byId("turns");
  const answer = await fetch(address, { headers: { accept: "application/json" } }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  place.setAttribute("aria-busy", "false");
  if (!answer?.ok) {
    const again = el("button", { class: "button button--ghost", type: "button", text: t("Try again") });
    again.addEventListener("click", () => showReview(address, around));
    const text = content?.message ?? t("The review could not be reached.");
    place.replaceChildren(el("p", { role: "alert", text }), again);
    return;
  }
  const review = /** @type {Review} */ (content);
  place.replaceChildren(...shown(review, around));
  const best = document.getElementById("best");
  if (best && review.best) {
    best.replaceChildren(...bestAtEnd(review.best, around.wildRank));
    best.hidden = false;
  }
}

/** @type {(review: Review, around: Around) => HTMLElement[]} */
function shown(review, around) {
  if (review.turns.length === 0) return [el("p", { text: t("You had no turn in this deal.") })];
  const turns = review.turns.map((turn, place) => line(turn, place, review.first_show === place, around));
  return [el("p", { class: "turns__first", text: firstShow(review) }), el("ol", { class: "turns" }, ...turns)];
}

/** @param {Review} review */
function firstShow({ first_show: first }) {
  return first === null
    ? t("A show was not possible in any of your turns.")
    : t("A show was possible for the first time in your turn {first}.", { first: first + 1 });
}

/** @type {(turn: Turn, place: number, first: boolean, around: Around) => HTMLElement} */
function line(turn, place, first, around) {
  const { wildRank } = around;
  const jump = el("button", { class: "button button--ghost button--small", type: "button" }, t("See it"));
  jump.setAttribute("aria-label", t("See it: turn {place} in the replay", { place: place + 1 }));
  jump.addEventListener("click", () => around.jump(turn.event));
  return el(
    "li",
    { class: `turns__turn${first ? " is-first" : ""}` },
    el("h3", { text: t("Turn {place}", { place: place + 1 }) }),
    el("p", { class: "turns__told", text: sentences(turn, around).join(" ") }),
    jump,
    arrangement(turn.best, wildRank),
  );
}

/** @type {(turn: Turn, around: Around) => string[]} */
function sentences(turn, { players, wildRank }) {
  const { before, best, drew, discarded, taken_by: taker } = turn;
  const name = (/** @type {Card} */ card) => t("the {card}", { card: cardName(card, wildRank) });
  const lines = [
    t("Before drawing, your hand could count {points} at the least.", { points: plural(before, "point") }),
  ];
  if (drew) {
    lines.push(
      turn.drew_by === "platform"
        ? t("Time was up: {card} was drawn for you.", { card: name(drew) })
        : t("You drew {card}.", { card: name(drew) }),
    );
    lines.push(
      best.valid
        ? t("Now a show was possible.")
        : t("With the best discard it could count {points}.", { points: plural(best.points, "point") }),
    );
  }
  if (best.discard && (!discarded || name(best.discard) !== name(discarded)))
    lines.push(t("The best discard was {card}.", { card: name(best.discard) }));
  if (discarded)
    lines.push(
      turn.discarded_by === "platform"
        ? t("Time was up: {card} was discarded for you.", { card: name(discarded) })
        : t("You discarded {card}.", { card: name(discarded) }),
    );
  const who = players.find((player) => player.seat === taker);
  if (who) lines.push(t("{name} picked it up.", { name: who.name }));
  return lines;
}

/** @type {(best: Best, wildRank: number | null) => HTMLElement} */
function arrangement(best, wildRank) {
  const groups = best.groups.map((cards, place) => group(cards, KINDS[best.kinds[place]], wildRank));
  if (best.loose.length > 0) groups.push(group(best.loose, t("Loose"), wildRank));
  if (best.discard) groups.push(group([best.discard], t("Best discard"), wildRank));
  return el("div", { class: "shown__groups" }, ...groups);
}

/** @type {(cards: Card[], name: string, wildRank: number | null) => HTMLElement} */
function group(cards, name, wildRank) {
  const faces = cards.map((card) => cardFace(card, { wildRank }));
  return el(
    "figure",
    { class: "shown__group" },
    el("div", { class: "shown__cards mini" }, ...faces),
    el("figcaption", { text: name }),
  );
}

/** @type {(best: Best, wildRank: number | null) => HTMLElement[]} */
function bestAtEnd(best, wildRank) {
  const text = best.valid
    ? t("Your best arrangement of these cards was a valid show:")
    : t("Your best arrangement of these cards was worth {points}:", { points: plural(best.points, "point") });
  return [el("p", { class: "shown__why", text }), arrangement(best, wildRank)];
}
