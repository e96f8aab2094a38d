// @ts-check
// Notices of the device and its buzzing, for who looks elsewhere: only where the player has said yes to them.

import { settings } from "./settings.js";

/** @type {Notification | null} */
let shown = null;

/** Whether a notice of this table may stand there: at first, one from the page before this. */
let mayStand = true;

/** Whether this browser can show notices, and has not been asked yet. */
export const canAsk = () => "Notification" in window && Notification.permission === "default";

export const canNotify = () => "Notification" in window;
export const canBuzz = () => "vibrate" in navigator;

/** Whether notices are allowed. */
export const isAllowed = () => "Notification" in window && Notification.permission === "granted";

/** Resolves to whether the player allows notices; the browser asks them where they have never said. */
export async function allow() {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}

const tag = () => `table-${document.body.dataset.table}`;

/**
 * Shows a notice in place of the last one; a press on it leads to the address.
 *
 * @param {string} title
 * @param {string} body
 * @param {string} [address]
 */
export async function notify(title, body, address = location.pathname) {
  if (!settings.notices || !isAllowed()) return;
  const look = { body, tag: tag(), icon: document.body.dataset.appIcon, data: address };
  const registration = await navigator.serviceWorker?.getRegistration();
  // Phones show notices of a service worker only; the other kind is brought to this very window.
  if (registration?.active) await registration.showNotification(title, look);
  else {
    shown = new Notification(title, look);
    shown.onclick = () => (window.parent ?? window).focus();
  }
  mayStand = true;
}

/** Takes the notice away: the player is here, or it is too late. */
export async function clearNotice() {
  // This is called with each tick, and the browser is slow to answer what is allowed.
  if (!mayStand) return;
  mayStand = false;
  shown?.close();
  shown = null;
  if (!isAllowed()) return;
  const registration = await navigator.serviceWorker?.getRegistration();
  for (const notice of (await registration?.getNotifications({ tag: tag() })) ?? []) notice.close();
}

/** Where nobody has touched the page yet, a browser refuses it and complains. */
export function buzz() {
  if (settings.vibrate && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([180, 90, 180]);
}
