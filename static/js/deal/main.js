// @ts-check
// The page of a finished deal: its replay, the review of one's own turns, its link, its proof.

import { byId } from "../shared/dom.js";
import { checkProof } from "./proof.js";
import { Replay } from "./replay.js";
import { showReview } from "./review.js";
import { offerCopy } from "./share.js";
import { dealtHands, firstDealt, stepOf, unfolded } from "./steps.js";

/** @import { Seated } from "./board.js" */
/** @typedef {{deal: number, seat: number | null, players: Seated[], steps: Partial<import("./steps.js").Step>[]}} ReplayData */

const HASH = /^#step-(\d+)$/;

/** @type {ReplayData} */
const data = JSON.parse(byId("replay-data").textContent ?? "");
const steps = unfolded(data.steps);
const players = [...data.players].sort((one, other) => own(other) - own(one) || one.seat - other.seat);

/** @type {(player: Seated) => number} */
function own(player) {
  return Number(player.seat === data.seat);
}

/** @returns {number | null} */
function linkedStep() {
  const found = HASH.exec(location.hash);
  return found ? Number(found[1]) - 1 : null;
}

if (steps.length > 0) {
  const { player } = new Replay(steps, players, linkedStep() ?? firstDealt(steps));
  addEventListener("hashchange", () => player.goTo(linkedStep() ?? player.at));
  const jump = (/** @type {number} */ event) => {
    player.pause();
    player.goTo(stepOf(steps, event));
    byId("replay").scrollIntoView({ block: "start" });
  };
  const wildRank = steps.at(-1)?.wild_rank || null;
  const { review, proof, label } = document.body.dataset;
  if (review) showReview(review, { players, wildRank, jump });
  if (proof) checkProof(proof, { deal: label || data.deal, players, wildRank, hands: dealtHands(steps) });
}
offerCopy();
