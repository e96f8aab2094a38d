// @ts-check
// The connection: opens, watches, reopens. It knows frames and close codes, nothing of the game.

const PING_MS = 5000;
/** A ping unanswered for so long means a dead line: with 5 s until it is sent and a look each second, 12 s at most. */
const DEAD_MS = 6000;
/** After these the server wants some peace; after a restart (1012) everybody would otherwise come in one moment. */
/** @type {Record<number, number>} */
const PEACE_MS = { 1008: 5000, 1013: 5000 };
const RESTART = 1012;
const RESTART_SPREAD_MS = 2000;
/** Another window plays the seat. The page that is looked at takes it back once, and again if it kept it so long. */
const REPLACED = 4001;
const TAKE_BACK_MS = 1500;
const KEPT_MS = 30000;
const TRY_LATER = 1013;
/** Whoever chose a name or a password in another window is let in with the cookie that they have now: it is tried once. */
const SIGNED_OUT = 4003;
const NEW_COOKIE_MS = 1500;
/** While the player's own clock runs, the page is back within two seconds of the platform. */
const AWAITED = { peace: 800, jitter: 700, stuck: 3000 };
/** Most pauses are short: nobody who plays waits long once the platform is back. So many tries later they grow. */
const PAUSE_MS = { first: 400, early: 1500, late: 8000 };
const EARLY_TRIES = 10;
/** @type {Record<number, Status>} */
const CALM_CODES = { 4001: "replaced", 4003: "signed-out", 4004: "no-table" };
/** Who may not watch is told so, and closed by the code of those who are signed out. */
const BARRED = "barred";

/** @typedef {"connecting" | "open" | "reconnecting" | "replaced" | "signed-out" | "no-table"} Status */

/**
 * Who hears of frames, of the line's state, of a line that is open; and says whether the player's own clock runs.
 *
 * @typedef {Object} Handlers
 * @property {(frame: import("./frames.js").Frame) => void} frame
 * @property {(name: Status) => void} status
 * @property {() => void} opened
 * @property {() => boolean} awaited
 */

export class TableSocket {
  /**
   * @param {string} url
   * @param {Handlers} handlers
   */
  constructor(url, handlers) {
    this.url = url;
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.tries = 0;
    /** @type {number | null} */
    this.unanswered = null;
    this.retry = 0;
    this.openedAt = 0;
    this.openedBy = 0;
    this.tookBack = false;
    /** Whether the seat is being taken back from another window, which plays it until then: the line is not lost. */
    this.takesBack = false;
    this.isBarred = false;
    this.wasLetIn = false;
    setInterval(() => this.#beat(), PING_MS);
    setInterval(() => this.#listen(), 1000);
    addEventListener("online", () => this.#hurry());
    addEventListener("offline", () => this.#drop());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#beat();
    });
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.retry);
    this.#forget();
    this.unanswered = null;
    this.isBarred = false;
    if (!this.takesBack) this.handlers.status(this.tries === 0 ? "connecting" : "reconnecting");
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.openedBy = performance.now() + (this.handlers.awaited() && this.tries < 3 ? AWAITED.stuck : DEAD_MS);
    socket.onopen = () => this.#opened();
    socket.onmessage = (message) => this.#received(message);
    socket.onclose = (event) => this.#closed(event.code);
  }

  /**
   * Sends on an open line; false where there is none.
   *
   * @param {object} frame
   */
  send(frame) {
    if (!this.isOpen) return false;
    this.socket?.send(JSON.stringify(frame));
    return true;
  }

  #opened() {
    this.tries = 0;
    this.takesBack = false;
    this.handlers.status("open");
    this.handlers.opened();
    this.openedAt = performance.now();
    // The seat is this page's from its first word on.
    this.#beat();
  }

  /** @param {MessageEvent<string>} message */
  #received(message) {
    this.unanswered = null;
    let frame;
    try {
      frame = JSON.parse(message.data);
    } catch {
      return;
    }
    this.isBarred = frame.type === "error" && frame.code === BARRED;
    this.wasLetIn ||= frame.type === "state";
    this.handlers.frame(frame);
  }

  /** @param {number} code */
  #closed(code) {
    this.#forget();
    this.takesBack = code === REPLACED && this.#mayTakeBack();
    const mayHaveNewCookie = code === SIGNED_OUT && this.wasLetIn;
    this.wasLetIn &&= !mayHaveNewCookie;
    if (this.takesBack) this.#again(TAKE_BACK_MS);
    else if (code in CALM_CODES && this.isBarred) this.handlers.status("no-table");
    else if (mayHaveNewCookie) this.#again(NEW_COOKIE_MS);
    else if (CALM_CODES[code]) this.handlers.status(CALM_CODES[code]);
    else
      this.#again(
        code === TRY_LATER && this.handlers.awaited() ? AWAITED.peace : (PEACE_MS[code] ?? 0),
        code === RESTART ? RESTART_SPREAD_MS : 0,
      );
  }

  #mayTakeBack() {
    const kept = performance.now() - this.openedAt > KEPT_MS;
    if (document.hidden || !document.hasFocus() || (this.tookBack && !kept)) return false;
    this.tookBack = true;
    return true;
  }

  /** Full jitter, so that a restarted server is not met by everybody in the same moment. */
  #again(atLeast = 0, spread = 0) {
    const longest = this.tries < EARLY_TRIES ? PAUSE_MS.early : PAUSE_MS.late;
    const grown = Math.max(spread, Math.min(longest, PAUSE_MS.first * 2 ** this.tries));
    const most = this.handlers.awaited() ? Math.min(AWAITED.jitter, grown) : grown;
    this.tries += 1;
    this.handlers.status(this.takesBack ? "replaced" : "reconnecting");
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), atLeast + 150 + Math.random() * most);
  }

  #beat() {
    if (!this.isOpen) return;
    this.unanswered ??= performance.now();
    this.send({ type: "ping" });
  }

  #listen() {
    const silent = this.unanswered !== null && performance.now() - this.unanswered > DEAD_MS;
    const stuck = this.socket?.readyState === WebSocket.CONNECTING && performance.now() > this.openedBy;
    if (silent || stuck) this.#drop();
  }

  #drop() {
    if (this.socket === null) return;
    this.#forget();
    this.takesBack = false;
    this.#again();
  }

  #hurry() {
    if (this.socket === null && this.tries > 0) this.connect();
  }

  #forget() {
    const old = this.socket;
    this.socket = null;
    this.unanswered = null;
    if (!old) return;
    Object.assign(old, { onopen: null, onmessage: null, onclose: null });
    old.close();
  }
}
