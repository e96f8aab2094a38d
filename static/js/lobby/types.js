// @ts-check
// What the lobby's socket says.

/** @typedef {{seat: number, name: string | null, bot?: boolean}} Place */

/**
 * @typedef {Object} Table
 * @property {number} id
 * @property {string} phase
 * @property {number} seated
 * @property {boolean} joinable
 * @property {Place[]} seats
 */

/**
 * @typedef {Object} Stake
 * @property {number} id
 * @property {boolean} [active]
 * @property {number} seated
 * @property {number} playing
 * @property {number} tables_open
 * @property {number} waiting
 * @property {Table[]} tables
 */

/**
 * All stakes on joining, then each that changes; and a call to one of the player's own tables.
 *
 * @typedef {{type: "stakes", stakes: Stake[]}} StakesMessage
 * @typedef {{type: "stake", stake: Stake}} StakeMessage
 * @typedef {{type: "your_turn", table: number}} TurnMessage
 * @typedef {StakesMessage | StakeMessage | TurnMessage} Message
 */

export {};
