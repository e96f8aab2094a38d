// @ts-check
// What the lobby's socket says.

/** @typedef {{id: number, active?: boolean}} Stake what a page needs of one: the server draws it */

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
 * @typedef {{type: "standings", tournament: number, version: number, place: number | null}} StandingsMessage
 * @typedef {StakesMessage | StakeMessage | TurnMessage | NewsMessage | OpenedMessage | OverMessage | StandingsMessage} Message
 */

export {};
