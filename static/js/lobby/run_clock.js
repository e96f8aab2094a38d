// @ts-check
// The clock of a run: it only shows what is left. When nothing is, the page asks the server, which decides.

import { find } from "../shared/query.js";

const shown = find(document, "[data-run-clock]", HTMLElement);
const ends = performance.now() + Number(shown.dataset.runClock);

function tick() {
  const left = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  shown.textContent = String(left);
  if (left === 0) location.reload();
  else setTimeout(tick, 200);
}

tick();
