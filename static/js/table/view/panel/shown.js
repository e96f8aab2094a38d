// @ts-check
// All that the panel shows, as one plain value: its parts are given this and no store, so that nothing can be on it for
// which it is not drawn anew.

import { t } from "../../../shared/language.js";
import { rowsOf } from "../../model/table.js";

/** @import { Shown } from "../../model/state.js" */
/** @typedef {import("../../../shared/types.js").ResultRowView} ResultRow */
/** @typedef {ReturnType<typeof panelOf>} Panel */
/** @typedef {ResultRow & {mine: boolean}} PanelRow A row of the result, and whether it is the player's own. */

/** @param {Shown} store */
export function panelOf(store) {
  const { view, me } = store.table;
  const { deal } = view;
  const out = store.own.seatedOut;
  return {
    phase: view.phase,
    table: view.table,
    seats: view.seats,
    prompt: view.prompt,
    accounts: view.accounts,
    out: out && { returned: out.returned, unready: out.unready },
    seatIsFree: view.free_seats.length > 0,
    rows: out ? out.rows : rowsOf(view),
    deal: out ? out.deal : (deal?.id ?? null),
    wildRank: out ? out.wildRank : (deal?.wild_rank ?? null),
    // Where nobody sits any more, no deal follows, whatever clock ran when the last of them left.
    clock: view.seats.some((seat) => seat.status !== "empty") ? (view.clock?.kind ?? null) : null,
    mySeat: me?.seat ?? null,
    moves: me?.moves.filter((move) => store.table.can(move)) ?? [],
    awaitsContinue: Boolean(me?.moves.includes("continue")),
    stopped: store.table.stopped,
    rematch: store.own.rematch,
  };
}

const SHOWN_IN = new Set(["result", "rejoin", "split", "over"]);

/** @type {(panel: Panel) => boolean} Whether there is anything to show. */
export const isWanted = ({ phase, rows, prompt, out }) =>
  Boolean(out || (SHOWN_IN.has(phase) && (rows || prompt || phase === "over")));

/** @type {(panel: Panel) => string} Under which one and the same panel stays put away. */
export const keyOf = ({ phase, deal }) => `${phase}-${deal ?? ""}`;

/** @type {(panel: Panel, closed: string | null) => boolean} Whether it is there, and the player has put it away. */
export const isPutAway = (panel, closed) => isWanted(panel) && closed === keyOf(panel) && !panel.prompt && !panel.out;

/** @type {(panel: Panel, move: string) => boolean} */
export const can = (panel, move) => panel.moves.includes(move);

/** @type {(panel: Panel, seat: number) => string} "You", or the name. */
export const nameOf = ({ mySeat, seats }, seat) =>
  seat === mySeat ? t("You") : (seats.find((one) => one.seat === seat)?.name ?? t("Seat {seat}", { seat: seat + 1 }));

/**
 * A result names who played, whoever sits there now.
 *
 * @type {(panel: Panel) => (row: PanelRow) => string}
 */
export const played = (panel) => (row) => (row.mine ? t("You") : (row.name ?? nameOf(panel, row.seat)));
