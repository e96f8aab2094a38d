// @ts-check
// Which of the player's tables calls loudest, and which comes to the front. Pure: by what each table says of itself.

/** @import { Report } from "../table/parent_page.js" */

/**
 * How each table is called: by its title; those whose titles are alike, by their place in the tray before it.
 *
 * @type {(titles: [number, string][]) => Map<number, string>}
 */
export const names = (titles) =>
  new Map(
    titles.map(([table, title], place) => {
      const isAlike = titles.some(([other, alike]) => other !== table && alike === title);
      return [table, isAlike ? `${place + 1} · ${title}` : title];
    }),
  );

/** @type {(report: Report | undefined) => boolean} */
export const waits = (report) => Boolean(report?.call && report.call !== "start");

/**
 * How little a table presses that calls: a clock that runs for the player comes first, then a deal that is about to
 * begin, then practice, which has time.
 *
 * @param {Report} report
 */
function calm(report) {
  if (!waits(report)) return 1;
  return report.seconds === null ? 2 : 0;
}

/**
 * Those that call the player, what presses most first.
 *
 * @param {Iterable<Report>} reports
 */
export function calling(reports) {
  const found = [...reports].filter((report) => report.call);
  return found.sort((one, other) => calm(one) - calm(other) || (one.seconds ?? 0) - (other.seconds ?? 0));
}

/**
 * Whether the table in front lets the next one take its place: it presses less. Practice draws nobody away from a table
 * where a clock runs.
 *
 * @type {(there: Report | undefined, next: Report) => boolean}
 */
export function givesWay(there, next) {
  if (!there) return true;
  if (waits(there)) return calm(next) < calm(there);
  return next.seconds !== null || there.seconds === null;
}

/**
 * The table, other than practice, whose deal is about to begin while the player practises, or looks at a table where no clock runs.
 *
 * @type {(reports: Iterable<Report>, there: Report | undefined) => Report | undefined}
 */
export function beginsElsewhere(reports, there) {
  if ((there?.seconds ?? null) !== null) return undefined;
  return [...reports].find((report) => report.table !== there?.table && report.call === "start" && !report.practice);
}
