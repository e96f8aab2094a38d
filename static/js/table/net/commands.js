// @ts-check
// What the player asks of the server: each request has an id, is kept until it is answered, and is sent again under
// the same id after a reconnect, so that a lost answer can never become a second move.

/** @import { AnswerFrame } from "../../shared/types.js" */
/** @typedef {{type: string, id: string, version?: number}} Request */
/** @typedef {{ok: boolean, code?: string, message?: string, version: number}} Answer */

const VERSIONED = new Set(["draw", "discard", "drop", "finish", "submit"]);

export class Commands {
  /**
   * @param {{send: (frame: object) => unknown}} socket
   * @param {() => number} currentVersion
   */
  constructor(socket, currentVersion) {
    this.socket = socket;
    this.currentVersion = currentVersion;
    /** @type {Map<unknown, {frame: Request, resolve: (answer: Answer) => void}>} */
    this.waiting = new Map();
    this.count = 0;
    this.prefix = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
  }

  /**
   * Resolves once the server has answered.
   *
   * @param {string} type
   * @param {object} [fields]
   * @returns {Promise<Answer>}
   */
  ask(type, fields = {}) {
    this.count += 1;
    /** @type {Request} */
    const frame = { type, id: `${this.prefix}-${this.count}`, ...fields };
    if (VERSIONED.has(type)) frame.version = this.currentVersion();
    return new Promise((resolve) => {
      this.waiting.set(frame.id, { frame, resolve });
      this.socket.send(frame);
    });
  }

  /** After a reconnect: everything unanswered once more, in the order in which it was asked. */
  resend() {
    for (const { frame } of this.waiting.values()) this.socket.send(frame);
  }

  /**
   * Takes an ack or error frame; true if it answered a request of ours.
   *
   * @param {AnswerFrame} frame
   */
  answered(frame) {
    const request = this.waiting.get(frame.id);
    if (!request) return false;
    this.waiting.delete(frame.id);
    request.resolve({ ok: frame.type === "ack", code: frame.code, message: frame.message, version: frame.version });
    return true;
  }
}
