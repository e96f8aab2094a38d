// The questions between deals, a rejoin and a split, as those see them who are asked and those who wait.

import { el } from "../../dom.js";
import { chips, money, plural } from "../../words.js";
import { nameOf } from "./names.js";

export function rejoinPrompt(store, actions) {
  const { prompt, table } = store.view;
  const mine = store.can("rejoin");
  const names = prompt.seats.map((seat) => nameOf(store, seat)).join(", ");
  const price = chips(prompt.price, table.money);
  const score = plural(prompt.score, "point");
  const text = mine
    ? `You are out. For ${price} you come back with ${score}.`
    : `${names} may come back for ${price} with ${score}.`;
  const buttons = mine && [
    button("rejoin-no", "No, thanks", () => actions.rejoin(false)),
    button("rejoin-yes", `Rejoin for ${money(prompt.price, table.money)}`, () => actions.rejoin(true), "is-main"),
  ];
  return el("section", { class: "prompt" }, el("p", { text }), row(buttons));
}

export function splitPrompt(store, actions) {
  const { prompt, table } = store.view;
  const who = nameOf(store, prompt.by);
  const offers = `${who} ${who === "You" ? "offer" : "offers"}`;
  const text = `${offers} to split the prize of ${chips(table.prize ?? 0, table.money)}. All must agree.`;
  const buttons = store.can("answer_split") && [
    button("split-no", "Play on", () => actions.answerSplit(false), "is-grave"),
    button("split-yes", "Accept the split", () => actions.answerSplit(true), "is-main"),
  ];
  return el("section", { class: "prompt" }, el("p", { text }), splitTable(store), row(buttons));
}

function splitTable(store) {
  const { prompt, table } = store.view;
  const head = ["Player", "Drops left", "Equal part + extra drops", "Share", "Answer"];
  const lines = prompt.lines.map((line) => {
    const vote = voteOf(prompt, line.seat);
    return el(
      "div",
      { class: "split-row", role: "row" },
      cell(nameOf(store, line.seat), "split-name"),
      cell(String(line.drops)),
      cell(shareOf(line, table)),
      cell(money(line.share, table.money), "split-share"),
      cell(vote, `vote is-${vote}`),
    );
  });
  const headed = head.map((text) => el("span", { role: "columnheader", text }));
  return el(
    "div",
    { class: "split", role: "table" },
    el("div", { class: "split-row split-head", role: "row" }, ...headed),
    ...lines,
  );
}

/** The share as it comes about: the equal part, and what the drops are worth that the others do not have. */
function shareOf({ share, excess, excess_amount: extra }, { money: unit }) {
  if (extra <= 0) return money(share, unit);
  return `${money(share - extra, unit)} + ${excess} × ${money(extra / excess, unit)}`;
}

/** Who offers a split agrees to it. */
function voteOf({ answers, by }, seat) {
  const answer = answers[seat] ?? (seat === by ? true : null);
  if (answer === null) return "…";
  return answer ? "agrees" : "refuses";
}

const cell = (text, name = "") => el("span", { role: "cell", class: name, text });

const row = (buttons) => el("div", { class: "prompt-buttons" }, ...(buttons || []));

const button = (id, text, onclick, name = "") =>
  el("button", { class: `act ${name}`, id, type: "button", onclick }, text);
