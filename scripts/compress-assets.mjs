// A folder enters; beside each of its assets that is worth it leaves the same as .gz and .br, which the hub sends as they are.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const TEXT = /\.(js|mjs|css|svg|json|wasm|txt|map)$/;
const LEAST_BYTES = 1024;

const folder = join(process.argv[2], "assets");
for (const name of readdirSync(folder, { recursive: true })) {
  if (!TEXT.test(name)) continue;
  const body = readFileSync(join(folder, name));
  if (body.length < LEAST_BYTES) continue;
  const packed = {
    ".gz": gzipSync(body, { level: 9 }),
    ".br": brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  };
  for (const [suffix, small] of Object.entries(packed)) {
    if (small.length < body.length) writeFileSync(join(folder, name + suffix), small);
  }
}
