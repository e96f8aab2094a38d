// @ts-check
// How far the audit is that a worker runs; once it is over, the page is loaded again with its result.

import { setText } from "../shared/dom.js";
import { find } from "../shared/query.js";

const EVERY_MS = 1000;
const place = find(document, "#audit", HTMLElement);
const bar = find(place, "progress", HTMLProgressElement);
const status = find(place, "[role=status]", HTMLElement);

const watching = setInterval(async () => {
  const known = await ask();
  if (known === null) return;
  if (known.of === undefined) {
    clearInterval(watching);
    location.reload();
    return;
  }
  if (known.of > 0) {
    bar.max = known.of;
    bar.value = known.done;
  }
  setText(status, known.says);
}, EVERY_MS);

/**
 * How far the audit is, without fields once it is over; null where that could not be asked.
 *
 * @returns {Promise<{done: number, of: number | undefined, says: string} | null>}
 */
async function ask() {
  try {
    const answer = await fetch(place.dataset.progress ?? "", { redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // Asked again in a moment.
  }
}
