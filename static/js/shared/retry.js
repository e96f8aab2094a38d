// @ts-check
// Asks every few seconds whether the page can be had by now, and shows it then; whoever reads meanwhile is left alone.
{
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const ask = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer && answer.status < 500) location.replace(location.href);
  };
  setInterval(ask, 1000 * Number(script.dataset.seconds));
}
