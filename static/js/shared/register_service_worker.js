// @ts-check
// Registers the service worker that lies beside this script, where the browser has such workers.
{
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const { offline = "", tables = "" } = script.dataset;
  const address = new URL(`service_worker.js?${new URLSearchParams({ offline, tables })}`, script.src);
  // Without one everything works the same, only slower and without a page for no connection.
  addEventListener("load", () => navigator.serviceWorker?.register(address, { scope: "/" }).catch(() => undefined));
}
