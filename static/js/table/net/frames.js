// @ts-check
// What the server says, brought to where it belongs: states to the store, answers to those who asked.

import { t } from "../../shared/language.js";
import { backAgain } from "../../shared/words.js";

/** @import { AnswerFrame, StateFrame } from "../../shared/types.js" */
/** @import { EmoteFrame } from "../company/company.js" */
/** @typedef {import("../../lobby/types.js").OpenedMessage | import("../../lobby/types.js").OverMessage} TournamentFrame */
/** @typedef {StateFrame | AnswerFrame | EmoteFrame | TournamentFrame | {type: "news"}} Frame */

/**
 * @typedef {Object} Outlets
 * @property {(frame: object) => unknown} send
 * @property {(text: string, look?: object) => void} showMessage
 * @property {(frame: EmoteFrame) => unknown} showEmote
 * @property {() => unknown} showNews
 * @property {(frame: TournamentFrame) => unknown} callToTournament
 */

/** With these the line ends, and what is shown of the line says that there is no table. */
const WITHOUT_TABLE = new Set(["barred", "not_found"]);

/**
 * The receiver of frames: `send` answers them, `showMessage` and `showEmote` show texts and what others say,
 * `showNews` shows what waits for the player's answer, and `callToTournament` where their tournament goes on.
 *
 * @param {Pick<import("../model/state.js").Store, "take" | "halt" | "table">} store
 * @param {Pick<import("./commands.js").Commands, "answered">} commands
 * @param {Outlets} outlets
 * @returns {(frame: Frame) => void}
 */
export function receiver(store, commands, { send, showMessage, showEmote, showNews, callToTournament }) {
  const sync = () => send({ type: "sync" });

  /** @param {StateFrame} frame */
  function state(frame) {
    store.take(frame);
    if (frame.away_ms) showMessage(backAgain(frame.away_ms, frame.view.clock !== null), { plain: true, ms: 6000 });
  }

  /** @param {AnswerFrame} frame */
  function pong(frame) {
    if (frame.version !== store.table.version || store.table.halted === "stopped") sync();
  }

  /** @param {AnswerFrame} frame */
  function answer(frame) {
    const isAnswer = commands.answered(frame);
    if (frame.code === "frozen") store.halt("stopped");
    else if (frame.type === "error" && !isAnswer) unasked(frame);
    if (frame.code === "stale") sync();
  }

  /** @param {AnswerFrame} frame */
  function unasked(frame) {
    if (frame.code === "settlement_frozen") store.halt("waiting");
    else if (!WITHOUT_TABLE.has(frame.code ?? "")) showMessage(frame.message ?? t("That did not work."));
  }

  return (frame) => {
    if (frame.type === "state") state(frame);
    else if (frame.type === "pong") pong(frame);
    else if (frame.type === "emote") showEmote(frame);
    else if (frame.type === "news") showNews();
    else if (frame.type === "tournament_table" || frame.type === "tournament_over") callToTournament(frame);
    else if (frame.type === "ack" || frame.type === "error") answer(frame);
  };
}
