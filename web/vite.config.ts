import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// A hub to develop against: `lineage-hub demo --keep` or `make serve`, then `npm run dev`.
const hub = process.env.LINEAGE_HUB_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  // Relative: the hub may stand under any path.
  base: "./",
  plugins: [react()],
  worker: { format: "es" },
  build: {
    outDir: "../src/lineage_hub/server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The policy of the hub's pages allows no inline script.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": hub, "/v1": hub, "/docs": hub, "/openapi.json": hub } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
