// The panel over the table between deals: result, rejoin and split questions, final accounts.

import { cardFace } from "./cards.js";
import { byId, el, icon } from "../dom.js";
import { KINDS, OUTCOMES, chips, continueText, money, plural, signed } from "../words.js";

const SHOWN_IN = new Set(["result", "rejoin", "split", "over"]);

export function renderPanel(store, actions) {
  const { view } = store;
  const node = byId("panel");
  const wanted = SHOWN_IN.has(view.phase) && (view.result || view.prompt || view.phase === "over");
  const key = `${view.phase}-${view.deal?.id ?? ""}`;
  store.panelHidden = Boolean(wanted && store.panelClosed === key && !view.prompt);
  node.hidden = !wanted || store.panelHidden;
  document.body.classList.toggle("has-panel", !node.hidden);
  if (node.hidden) return;
  const signature = JSON.stringify([view.phase, view.result, view.prompt, view.accounts, view.me?.moves, store.link, store.stopped, view.seats]);
  if (node.dataset.signature === signature) return;
  node.dataset.signature = signature;
  const keep = document.activeElement?.id;
  const scrolled = node.querySelector(".panel-body")?.scrollTop ?? 0;
  replaceContents(node, contents(store, actions, () => store.hidePanel(key)));
  node.querySelector(".panel-body").scrollTop = scrolled;
  const again = keep ? byId(keep) : null;
  if (again && node.contains(again)) again.focus({ preventScroll: true });
}

// Buttons that stay the same stay in place: one that is drawn anew under the finger cannot be pressed.
function replaceContents(node, fresh) {
  const [old, footer] = [node.querySelector("footer"), fresh.at(-1)];
  if (old?.outerHTML !== footer.outerHTML) return void node.replaceChildren(...fresh);
  for (const child of [...node.children]) if (child !== old) child.remove();
  old.before(...fresh.slice(0, -1));
}

function contents(store, actions, hide) {
  const { view } = store;
  const cross = el("button", { class: "tool panel-hide", type: "button", "aria-label": "Hide and look at the table", onclick: hide }, icon("eye"));
  const head = el("header", {}, el("h2", { text: title(store) }), note(store), view.phase === "over" || view.prompt ? null : cross);
  const body = el("div", { class: "panel-body", tabindex: "0", "aria-label": "Result" });
  if (view.prompt?.kind === "rejoin") body.append(rejoinPrompt(store, actions));
  if (view.prompt?.kind === "split") body.append(splitPrompt(store, actions));
  if (view.phase === "over") body.append(accounts(store));
  if (view.result) body.append(resultRows(view.result, played(store), view.table, view.deal?.wild_rank ?? null));
  return [head, body, el("footer", {}, ...footer(store, actions))];
}

const nameOf = (store, seat) => (seat === store.me?.seat ? "You" : (store.seat(seat)?.name ?? `Seat ${seat + 1}`));

/** A result names who played, whoever sits there now. */
const played = (store) => (row) => (store.isMine(row) ? "You" : (row.name ?? nameOf(store, row.seat)));

function title(store) {
  const { view } = store;
  if (view.phase === "rejoin") return "Rejoin?";
  if (view.phase === "split") return "Split the prize?";
  const winner = view.result?.rows.find((row) => row.outcome === "won");
  if (view.phase === "over") return overTitle(store);
  if (!winner) return "Result";
  const name = played(store)(winner);
  return name === "You" ? "You win the deal" : `${name} wins the deal`;
}

/** The result for those who listen: who won, and what it means for oneself. */
export function resultTold(store) {
  const { result, phase, table } = store.view;
  const own = result?.rows.find((row) => store.isMine(row));
  const won = result?.rows.find((row) => row.outcome === "won");
  const name = won ? played(store)(won) : null;
  const lines = name ? [`${name} ${name === "You" ? "win" : "wins"} the deal.`] : [];
  if (own) lines.push(ownLine(own, table));
  if (phase === "over") lines.push(`${overTitle(store)}.`);
  return lines.join(" ");
}

function ownLine(row, table) {
  const points = row.outcome === "won" ? "" : `You have ${plural(row.points, "point")}`;
  if (!table.point_value) return `${points || "You have no points"}, ${row.total ?? 0} in all.`;
  return row.outcome === "won" ? `You get ${chips(row.amount, table.currency)}.` : `${points} and pay ${chips(-row.amount, table.currency)}.`;
}

function overTitle(store) {
  const { accounts, me } = store.view;
  if (!accounts) return "The match is cancelled";
  const winners = accounts.filter((one) => one.amount > 0);
  if (winners.length !== 1) return "The prize is split";
  return winners[0].seat === me?.seat ? "You win the match" : `${nameOf(store, winners[0].seat)} wins the match`;
}

function note(store) {
  const { view } = store;
  if (!view.clock) return null;
  const text = { result: "Next deal in", rejoin: "Time to decide", split: "Time to answer", start: "Next deal in" }[view.clock.kind] ?? "";
  return el("p", { class: "panel-clock" }, `${text} `, el("b", { "data-clock-text": "", role: "timer" }));
}

function footer(store, actions) {
  const { view } = store;
  const button = (id, text, run, name = "", disabled = false) => el("button", { class: `act ${name}`, id: `panel-${id}`, type: "button", disabled, onclick: run }, text);
  const buttons = [];
  const { practice } = view.table;
  const again = button("again", "Play again", () => actions.playAgain(), "is-main");
  if (practice && (!store.me || view.phase === "over")) return [again, button("lobby", "Back to the lobby", () => location.assign(document.body.dataset.lobby))];
  if (!store.me || view.phase === "over") return [button("lobby", "Back to the lobby", () => (store.me && store.can("leave") ? actions.leave() : location.assign(document.body.dataset.lobby)), "is-main")];
  if (store.can("leave")) buttons.push(button("leave", "Leave", () => actions.leave()));
  if (store.can("offer_split")) buttons.push(button("split", "Offer a split", () => actions.offerSplit()));
  if (view.phase === "result" && !store.stopped) {
    const can = store.can("continue");
    const go = button("continue", can ? continueText(view) : "Waiting for the next deal", () => actions.continue(), can ? "is-main" : "", !can);
    if (practice) buttons.unshift(go);
    else buttons.push(go);
    const hint = practice ? "The table waits for you." : "Continue keeps your seat for the next deal.";
    if (can && (practice || view.table.point_value)) buttons.unshift(el("p", { class: "panel-hint", text: hint }));
  }
  return buttons;
}

/** The rows of a result, for the panel and for the last deal on demand; `name(row)` says whose a row is. */
export function resultRows(result, name, table, wildRank) {
  const match = !table.point_value;
  const columns = match ? ["Player", "Cards", "Points", "Total"] : ["Player", "Cards", "Points", "Won or lost"];
  const head = el("div", { class: "result-row result-head", role: "row" }, ...columns.map((text) => el("span", { role: "columnheader", text })));
  const winnerFirst = [...result.rows].sort((one, other) => (other.outcome === "won") - (one.outcome === "won") || one.points - other.points);
  const rows = winnerFirst.map((row) => resultRow(row, name(row), table, wildRank));
  return el("div", { class: "result", role: "table", "aria-label": "Points and cards of every player" }, head, ...rows);
}

function resultRow(row, name, table, wildRank) {
  const last = table.point_value ? signed(row.amount, table.currency) : String(row.total ?? "");
  const tone = table.point_value && row.amount !== 0 ? (row.amount > 0 ? "is-plus" : "is-minus") : "";
  return el(
    "div",
    { class: `result-row is-${row.outcome}`, role: "row" },
    el("span", { class: "result-who", role: "cell" }, el("b", { text: name }), el("i", { text: OUTCOMES[row.outcome] ?? row.outcome })),
    el("span", { class: "result-cards", role: "cell" }, ...groupsOf(row, wildRank)),
    el("span", { class: "result-points", role: "cell" }, String(row.points), el("small", { text: " pts" })),
    el("span", { class: `result-amount ${tone}`, role: "cell" }, last, table.point_value ? null : el("small", { text: " total" })),
  );
}

function groupsOf(row, wildRank) {
  const groups = (row.groups ?? []).map((cards, place) => groupNode(cards, row.kinds?.[place] ?? "invalid", wildRank));
  if (row.loose?.length > 0) groups.push(groupNode(row.loose, "loose", wildRank));
  return groups.length > 0 ? groups : [el("em", { text: "No cards shown" })];
}

function groupNode(cards, kind, wildRank) {
  const faces = cards.map((card) => cardFace(card, { wildRank }));
  return el("span", { class: `result-group is-${kind}` }, el("span", { class: "mini-row mini" }, ...faces), el("small", { text: { ...KINDS, invalid: "No meld", loose: "Loose" }[kind] ?? kind }));
}

function rejoinPrompt(store, actions) {
  const { prompt, table } = store.view;
  const mine = store.can("rejoin");
  const names = (prompt.seats ?? []).map((seat) => nameOf(store, seat)).join(", ");
  const text = mine
    ? `You are out. For ${chips(prompt.price, table.currency)} you come back with ${plural(prompt.score, "point")}.`
    : `${names} may come back for ${chips(prompt.price, table.currency)} with ${plural(prompt.score, "point")}.`;
  const buttons = mine
    ? [
        el("button", { class: "act", id: "rejoin-no", type: "button", onclick: () => actions.rejoin(false) }, "No, thanks"),
        el("button", { class: "act is-main", id: "rejoin-yes", type: "button", onclick: () => actions.rejoin(true) }, `Rejoin for ${money(prompt.price, table.currency)}`),
      ]
    : [];
  return el("section", { class: "prompt" }, el("p", { text }), el("div", { class: "prompt-buttons" }, ...buttons));
}

function splitPrompt(store, actions) {
  const { prompt, table } = store.view;
  const answers = prompt.answers ?? {};
  const vote = (seat) => ({ true: "agrees", false: "refuses" })[String(answers[seat] ?? (seat === prompt.by ? true : ""))] ?? "…";
  const shareOf = (line) => {
    const excess = line.excess * (table.entry ?? 0);
    return excess > 0 ? `${money(line.share - excess, table.currency)} + ${line.excess} × ${money(table.entry, table.currency)}` : money(line.share, table.currency);
  };
  const cell = (text, role = "cell", name = "") => el("span", { role, class: name, text });
  const head = ["Player", "Drops left", "Equal part + extra drops", "Share", "Answer"].map((text) => cell(text, "columnheader"));
  const lines = (prompt.lines ?? []).map((line) =>
    el("div", { class: "split-row", role: "row" }, cell(nameOf(store, line.seat), "cell", "split-name"), cell(String(line.drops)), cell(shareOf(line)), cell(money(line.share, table.currency), "cell", "split-share"), cell(vote(line.seat), "cell", `vote is-${vote(line.seat)}`)),
  );
  const buttons = store.can("answer_split")
    ? [
        el("button", { class: "act is-grave", id: "split-no", type: "button", onclick: () => actions.answerSplit(false) }, "Play on"),
        el("button", { class: "act is-main", id: "split-yes", type: "button", onclick: () => actions.answerSplit(true) }, "Accept the split"),
      ]
    : [];
  const who = nameOf(store, prompt.by);
  return el("section", { class: "prompt" }, el("p", { text: `${who} ${who === "You" ? "offer" : "offers"} to split the prize of ${chips(table.prize ?? 0, table.currency)}. All must agree.` }), el("div", { class: "split", role: "table" }, el("div", { class: "split-row split-head", role: "row" }, ...head), ...lines), el("div", { class: "prompt-buttons" }, ...buttons));
}

/** Final accounts: the order at the end, what everybody paid and got, and what the prize was. */
function accounts(store) {
  const { view } = store;
  const { table } = view;
  if (!view.accounts) return el("section", { class: "prompt" }, el("p", { text: "The match was cancelled. What everybody paid for it went back." }));
  const ranked = view.accounts
    .map(({ seat, amount }) => ({ ...store.seat(seat), amount }))
    .sort((one, other) => other.amount - one.amount || (one.status === "left") - (other.status === "left") || (one.total ?? 0) - (other.total ?? 0));
  const lines = ranked.map((seat) => {
    const paid = table.entry * (1 + (seat.rejoins ?? 0));
    const where = seat.status === "left" ? "Left" : plural(seat.total ?? 0, "point");
    return el(
      "li",
      { class: seat.amount > 0 ? "is-winner" : "" },
      el("b", { text: nameOf(store, seat.seat) }),
      el("span", { text: where }),
      el("span", { class: "account-paid", text: `paid ${money(paid, table.currency)}` }),
      el("span", { class: "split-share", text: seat.amount > 0 ? `+${money(seat.amount, table.currency)}` : "–" }),
    );
  });
  const winners = view.accounts.filter((one) => one.amount > 0).length;
  const prize = el("p", { text: `${winners > 1 ? "The prize was shared" : "Prize"}: ${chips(table.prize ?? 0, table.currency)}` });
  return el("section", { class: "prompt" }, prize, el("ol", { class: "accounts" }, ...lines));
}
