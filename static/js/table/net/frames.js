// What the server says, brought to where it belongs: states to the store, answers to those who asked.

import { backAgain } from "../words.js";

/** The receiver of frames: `send` answers them, `tell` shows a sentence to the player. */
export function receiver(store, commands, { send, tell }) {
  const sync = () => send({ type: "sync" });

  function state(frame) {
    store.take(frame);
    if (frame.away_ms) tell(backAgain(frame.away_ms), { plain: true, ms: 6000 });
  }

  function pong(frame) {
    if (frame.version !== store.version || store.halted === "stopped") sync();
  }

  function answer(frame) {
    const asked = commands.answered(frame);
    if (frame.code === "frozen") store.halt("stopped");
    else if (frame.type === "error" && !asked) unasked(frame);
    if (frame.code === "stale") sync();
  }

  function unasked(frame) {
    if (frame.code === "settlement_frozen") store.halt("waiting");
    else tell(frame.message);
  }

  const takers = { state, pong, ack: answer, error: answer };
  return (frame) => takers[frame.type]?.(frame);
}
