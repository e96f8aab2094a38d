// @ts-check
// Beats once a second: a browser slows the timers of a page that nobody sees, but not those of its workers.
setInterval(() => postMessage("beat"), 1000);
