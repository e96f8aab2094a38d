// @ts-check
// The time that is left, in words. Pure.

import { t } from "../shared/language.js";

/**
 * What is left of so many milliseconds: days and hours, hours and minutes, minutes and seconds, or the last seconds;
 * empty once it is over.
 *
 * @param {number} ms
 */
export function timeLeft(ms) {
  if (!(ms > 0)) return "";
  const seconds = Math.ceil(ms / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return t("in {days} d {hours} h", { days, hours });
  if (hours > 0) return t("in {hours} h {minutes} min", { hours, minutes });
  if (minutes === 0) return t("in {seconds} s", { seconds });
  return t("in {minutes} min {seconds} s", { minutes, seconds: seconds % 60 });
}
