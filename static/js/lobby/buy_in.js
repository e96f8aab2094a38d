// The buy-in: slider and number together, within limits. The dialog is filled from the row that was clicked.
const figures = new Intl.NumberFormat("en-IN");

export function joinFields(form) {
  const range = form.querySelector("[data-range]");
  const number = form.querySelector("[name=buy_in]");
  if (!range || !number) return;
  range.hidden = Number(range.max) <= Number(range.min);
  range.addEventListener("input", () => {
    number.value = rounded(range);
  });
  number.addEventListener("input", () => {
    range.value = number.value;
  });
}

// The slider moves in round figures; its ends are exact.
function rounded(range) {
  const [least, most, value] = [Number(range.min), Number(range.max), Number(range.value)];
  const step = 10 ** Math.max(0, String(most - least).length - 3);
  if (value - least < step / 2) return least;
  if (most - value < step / 2) return most;
  return Math.min(most, Math.max(least, Math.round(value / step) * step));
}

export function buyInDialog(dialog) {
  const form = dialog.querySelector("form");
  const [range, number] = [form.querySelector("[data-range]"), form.querySelector("[name=buy_in]")];
  joinFields(form);
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  for (const button of form.querySelectorAll("[data-set]")) {
    button.addEventListener("click", () => {
      range.value = button.dataset.set === "least" ? range.min : range.max;
      number.value = range.value;
    });
  }

  return function open(link) {
    const stake = link.closest("[data-stake]").querySelector(".stake__sit");
    const { title, terms, entry } = stake.dataset;
    const free = Number(dialog.dataset.free);
    // What the player's own limits leave; nothing where they have none.
    const room = dialog.dataset.room === "" ? Infinity : Number(dialog.dataset.room);
    const can = Math.min(free, room);
    const least = Number(stake.dataset.least);
    const most = stake.dataset.most && !entry ? Math.min(can, Number(stake.dataset.most)) : can;
    form.action = link.pathname;
    form.elements.table.value = new URLSearchParams(link.search).get("table") || "";
    dialog.querySelector("#buy-in-title").textContent = title;
    dialog.querySelector("[data-terms]").textContent = terms;
    dialog.querySelector("[data-choice]").hidden = Boolean(entry) || can < least;
    dialog.querySelector("[data-short]").hidden = free >= least;
    dialog.querySelector("[data-beyond]").hidden = free < least || room >= least;
    dialog.querySelector("[data-room-left]").textContent = figures.format(Math.min(room, free));
    const submit = dialog.querySelector("[data-submit]");
    submit.disabled = can < least;
    submit.textContent = entry ? `Pay ${figures.format(Number(entry))} and sit down` : "Sit down";
    number.disabled = Boolean(entry);
    setLimits(least, Math.max(least, most));
    delete form.dataset.sent;
    dialog.showModal();
    (entry || can < least ? submit : number).focus();
  };

  function setLimits(least, most) {
    for (const field of [range, number]) Object.assign(field, { min: least, max: most });
    range.value = Math.max(least, Math.min(most, 10 * least, Math.floor(most / 2)));
    number.value = range.value;
    range.hidden = most <= least;
    form.querySelector("[data-set=least]").textContent = figures.format(least);
    form.querySelector("[data-set=most]").textContent = figures.format(most);
  }
}
