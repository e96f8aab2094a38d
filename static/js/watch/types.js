// @ts-check
// What the socket of who watches a table says: tables/PROTOCOL.md.

/** @import { Step } from "../deal/steps.js" */
/** @import { Seated } from "../deal/board.js" */
/** @typedef {import("../shared/types.js").ResultRowView} Row */

/**
 * @typedef {Object} LiveSeat
 * @property {number} seat
 * @property {string | null} name
 * @property {boolean} bot
 * @property {import("../shared/types.js").SeatStatus} status
 * @property {number} stack
 * @property {number | null} total
 * @property {number | null} place in the tournament
 */

/**
 * @typedef {Object} Live
 * @property {import("../shared/types.js").Phase} phase
 * @property {boolean} stopped
 * @property {number | null} deal
 * @property {import("../shared/types.js").BareClockView | null} clock
 * @property {LiveSeat[]} seats
 */

/**
 * @typedef {Object} ShownDeal
 * @property {number} id
 * @property {number} number
 * @property {number} since
 * @property {Seated[]} seats
 * @property {Partial<Step>[]} steps
 * @property {Row[] | null} result
 */

/**
 * @typedef {{type: "watch", now: number, table: import("../shared/types.js").TableView, live: Live, deal: ShownDeal | null}} WatchMessage
 * @typedef {{type: "step", deal: number, step: Partial<Step>}} StepMessage
 * @typedef {{type: "result", deal: number, rows: Row[]}} ResultMessage
 * @typedef {{type: "live", now: number, live: Live}} LiveMessage
 * @typedef {{type: "error", code: string, message: string}} ErrorMessage
 * @typedef {{type: "pong", now: number}} PongMessage
 * @typedef {WatchMessage | StepMessage | ResultMessage | LiveMessage | ErrorMessage | PongMessage} Message
 */

export {};
