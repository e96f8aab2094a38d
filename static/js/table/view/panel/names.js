// @ts-check
// Whom a line of the panel is about: "You", or the name.

import { t } from "../../language.js";

/** @typedef {import("../../model/state.js").Store} Store */

/** @type {(store: Store, seat: number) => string} */
export const nameOf = (store, seat) =>
  seat === store.me?.seat ? t("You") : (store.seat(seat)?.name ?? t("Seat {seat}", { seat: seat + 1 }));

/** @typedef {{seat: number, name: string | null}} Played */

/**
 * A result names who played, whoever sits there now.
 *
 * @type {(store: Store) => (row: Played) => string}
 */
export const played = (store) => (row) => (store.isMine(row) ? t("You") : (row.name ?? nameOf(store, row.seat)));
