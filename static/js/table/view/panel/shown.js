// @ts-check
// All that the panel shows, as one plain value: its parts are given this and no store, so that nothing can be on it for
// which it is not drawn anew.

import { t } from "../../../shared/language.js";

/** @import { Shown } from "../../model/state.js" */
/** @typedef {import("../../../shared/types.js").ResultRowView} ResultRow */
/** @typedef {ReturnType<typeof panelOf>} Panel */
/** @typedef {ResultRow & {mine: boolean}} PanelRow A row of the result, and whether it is the player's own. */

/** @param {Shown} store */
export function panelOf(store) {
  const { view, me } = store;
  const { deal } = view;
  const out = store.seatedOut;
  return {
    phase: view.phase,
    table: view.table,
    seats: view.seats,
    prompt: view.prompt,
    accounts: view.accounts,
    out: out && { returned: out.returned, unready: out.unready },
    seatIsFree: view.free_seats.length > 0,
    rows: out ? out.rows : store.rowsOf(view),
    deal: out ? out.deal : (deal?.id ?? null),
    wildRank: out ? out.wildRank : (deal?.wild_rank ?? null),
    clock: view.clock?.kind ?? null,
    mySeat: me?.seat ?? null,
    moves: me?.moves.filter((move) => store.can(move)) ?? [],
    stopped: store.stopped,
    rematch: store.rematch,
  };
}

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
