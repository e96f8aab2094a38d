// Whom a line of the panel is about: "You", or the name.

export const nameOf = (store, seat) =>
  seat === store.me?.seat ? "You" : (store.seat(seat)?.name ?? `Seat ${seat + 1}`);

/** A result names who played, whoever sits there now. */
export const played = (store) => (row) => (store.isMine(row) ? "You" : (row.name ?? nameOf(store, row.seat)));
