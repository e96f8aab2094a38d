// @ts-check
// What this browser keeps of each deal for checking it later: the seed it gave, and what was promised before the deal.

const KEPT_AS = "rummy.seeds";
/** So many deals are kept, the newest. */
const MOST = 200;

/** @typedef {{deal: string, user: string, seed: string, commitment: string}} OwnSeed */

/** @returns {OwnSeed[]} */
function kept() {
  try {
    const list = JSON.parse(localStorage.getItem(KEPT_AS) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/**
 * Keeps the seed that the table has taken; where this browser keeps nothing, only the check knows less later.
 *
 * @param {OwnSeed} own
 */
export function keepSeed(own) {
  const others = kept().filter((one) => one.deal !== own.deal || one.user !== own.user);
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify([...others, own].slice(-MOST)));
  } catch {
    return;
  }
}

/**
 * What this browser has kept of a deal for this user.
 *
 * @param {string} deal
 * @param {string} user
 */
export const seedOf = (deal, user) => kept().find((one) => one.deal === deal && one.user === user) ?? null;
