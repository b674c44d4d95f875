// Before the first paint, so that a dark page never flashes white. `auto` follows the system.
(() => {
  const chosen = JSON.parse(localStorage.getItem("lineage-hub.theme") ?? "null");
  const dark =
    chosen === "dark" || chosen === "light" ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
