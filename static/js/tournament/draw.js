// @ts-check
// The draw of a round, made again from its proof: the same construction as for cards, over those who entered.

import { bytesOf, commitment, shuffled } from "../deal/shuffle.js";
import { t } from "../shared/language.js";

const DOMAIN = "tournament-v1";

/**
 * @typedef {Object} Proof
 * @property {number} tournament
 * @property {number} round
 * @property {string} seed
 * @property {number[]} entrants their numbers in the order of entry
 * @property {Record<string, string>} names of the entrants, by number
 * @property {number[][]} tables who was seated, by table and seat
 */

/**
 * A sentence for each thing that differs from what the seed gives; none for an honest draw.
 *
 * @param {Proof} proof
 * @param {string} promise the commitment that was published before
 * @param {number} tables how many the round has: in its first seconds some may still be opened
 * @returns {string[]}
 */
export function drawFaults(proof, promise, tables) {
  try {
    const seeds = {
      domain: DOMAIN,
      deal: `${proof.tournament}/${proof.round}`,
      seed: bytesOf(proof.seed),
      clients: [],
    };
    const faults = [];
    if (commitment(seeds) !== promise) faults.push(t("The promise is not the one of this seed."));
    const drawn = shuffled(proof.entrants, seeds, "");
    const seated = proof.tables.flat();
    if (proof.tables.length >= tables && seated.length !== drawn.length)
      faults.push(t("Not everybody who was drawn has a seat, or somebody has two."));
    else if (seated.some((id, place) => id !== drawn[place])) faults.push(t("The seats are not those of this seed."));
    const sizes = proof.tables.map((table) => table.length);
    if (sizes.some((size, place) => place > 0 && (size > sizes[place - 1] || sizes[0] - size > 1)))
      faults.push(t("The tables are not as even as they can be."));
    return faults;
  } catch {
    return [t("This is not a proof of a draw.")];
  }
}
