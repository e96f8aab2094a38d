// @ts-check
// What the style sheets say of the screen, as a custom property of the root: they alone know where a width is narrow.

/**
 * Follows such a property: `value` is what it is now, and `callback` is called whenever another one takes its place.
 *
 * @param {string} name
 */
export function ofScreen(name) {
  /** @type {(() => void)[]} */
  const callbacks = [];
  const read = () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const followed = {
    value: read(),
    whenChanged: (/** @type {() => void} */ callback) => void callbacks.push(callback),
  };
  addEventListener("resize", () => {
    const now = read();
    if (now === followed.value) return;
    followed.value = now;
    for (const callback of callbacks) callback();
  });
  return followed;
}
