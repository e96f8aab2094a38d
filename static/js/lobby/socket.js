// @ts-check
// The socket of the lobby, or of who watches a table: comes back by itself, and says what state it is in.

import { pageData } from "../shared/dom.js";

const SLOWEST = 15000;
const PING_EVERY = 20000;
const SILENCE = 45000;

/** @typedef {"first" | "live" | "again" | "off"} State */

/**
 * @template M
 * @typedef {Object} Listeners
 * @property {string} [path]
 * @property {(message: M) => void} onMessage
 * @property {(state: State) => void} onState
 * @property {(code: number) => boolean} [isOver] whether it does not come back after a close with this code
 */

/**
 * @template [M=import("./types.js").Message]
 * @param {Listeners<M>} listeners
 */
export function connect({ path = pageData("lobbySocket"), onMessage, onState, isOver = () => false }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let failures = 0;
  let heard = 0;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    onState(failures ? "again" : "first");
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    const mine = socket;
    mine.onopen = () => {
      heard = Date.now();
    };
    mine.onmessage = (event) => {
      heard = Date.now();
      failures = 0;
      onState("live");
      onMessage(JSON.parse(event.data));
    };
    mine.onclose = ({ code }) => {
      if (mine !== socket) return;
      if (isOver(code)) {
        socket = null;
        return;
      }
      failures += 1;
      onState(navigator.onLine ? "again" : "off");
      // Spread out, so that not everyone comes back in the same instant.
      const wait = Math.min(SLOWEST, 500 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
      timer = setTimeout(open, wait);
    };
  }

  setInterval(() => {
    if (!socket || socket.readyState !== WebSocket.OPEN) return;
    if (Date.now() - heard > SILENCE) socket.close();
    else socket.send('{"type":"ping"}');
  }, PING_EVERY);
  addEventListener("online", () => {
    failures = 0;
    open();
  });
  addEventListener("offline", () => onState("off"));
  open();
}
