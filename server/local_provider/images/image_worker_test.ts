import assert from "node:assert/strict";
import type { ToPainter } from "./image_renderer.ts";

Deno.test("a thread whose renderer cannot be loaded ends, so that the next image gets another one", async () => {
  const worker = new Worker(new URL("./image_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  const ended = new Promise<string>((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(event.message);
    };
  });
  const files = { renderer: new TextEncoder().encode("no WebAssembly"), fonts: [] };
  const message: ToPainter = { type: "load", files };
  worker.postMessage(message);
  assert.match(await ended, /Wasm|WebAssembly/i);
  worker.terminate();
});
