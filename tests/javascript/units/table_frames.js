// What the server says of a table for two, at which Asha sits.

export const HAND = ["3H1", "4H1", "5H1", "KC1"];

export function me(more = {}) {
  const groups = more.groups ?? [];
  const hand = more.hand ?? HAND;
  const moves = ["arrange", "draw", "leave"];
  return { seat: 0, hand, groups, loose: hand.filter((card) => !groups.flat().includes(card)), moves, ...more };
}

function view(more = {}) {
  const seats = [
    { seat: 0, name: "Asha", status: "playing" },
    { seat: 1, name: "Ravi", status: "playing" },
  ];
  const table = { id: 7, stopped: false };
  return { table, phase: "playing", deal: { id: 1 }, seats, me: me(), clock: null, melding_by: null, ...more };
}

export const frame = (version, more = {}, events = []) => ({ type: "state", version, events, view: view(more) });
