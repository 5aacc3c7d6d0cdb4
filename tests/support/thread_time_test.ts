import assert from "node:assert/strict";
import { threadMs } from "./thread_time.ts";
import { pause } from "./until.ts";

Deno.test("threadMs counts the work of this thread, and neither waiting nor that of other threads", async () => {
  const busy =
    `for (const start = performance.now(); performance.now() - start < 300;); postMessage("done");`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(busy)}`, { type: "module" });
  const waited = await threadMs(() => new Promise((resolve) => worker.onmessage = resolve));
  worker.terminate();
  assert(waited < 150, `${waited} ms`);
  assert(await threadMs(() => pause(200)) < 100);
  let sum = 0;
  const worked = await threadMs(() => {
    for (let at = 0; at < 3e8; at++) sum += at % 7;
  });
  assert(sum > 0 && worked > 50, `${worked} ms`);
});
