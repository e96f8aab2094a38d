// @ts-check
// What the lobby's socket says.

/** @typedef {{seat: number, name: string | null, bot?: boolean}} Place */

/**
 * @typedef {Object} Table
 * @property {number} id
 * @property {string} phase
 * @property {number} seated
 * @property {number} waiting
 * @property {boolean} joinable
 * @property {boolean} watchable
 * @property {Place[]} seats
 */

/**
 * @typedef {Object} Stake
 * @property {number} id
 * @property {string} title
 * @property {boolean} [active]
 * @property {number} seated
 * @property {number} playing
 * @property {number} tables_open
 * @property {number} waiting
 * @property {Table[]} tables
 */

/**
 * All stakes on joining, then each that changes; a call to one of the player's own tables,
 * a hint that something waits for an answer, the opening of one's table of a tournament, and how one ended.
 *
 * @typedef {{type: "stakes", stakes: Stake[]}} StakesMessage
 * @typedef {{type: "stake", stake: Stake}} StakeMessage
 * @typedef {{type: "your_turn", table: number}} TurnMessage
 * @typedef {{type: "news"}} NewsMessage
 * @typedef {{type: "tournament_table", tournament: number, table: number}} OpenedMessage
 * @typedef {{type: "tournament_over", tournament: number, place: number | null, prize: number}} OverMessage
 * @typedef {StakesMessage | StakeMessage | TurnMessage | NewsMessage | OpenedMessage | OverMessage} Message
 */

export {};
