import assert from "node:assert/strict";
import { createClock, createRuntime } from "./runtime.ts";

Deno.test("createClock runs deadlines in time and not before, and forgets those that are cancelled", async () => {
  const clock = createClock();
  const started = clock.monotonic();
  const cancelled = clock.after(50, () => assert.fail("it was cancelled"));
  cancelled();
  const ranAfter = await new Promise<number>((resolve) => {
    clock.after(120, () => resolve(clock.monotonic() - started));
  });
  assert.ok(ranAfter >= 120, `it ran after ${ranAfter} ms`);
  // The shared timer ends by itself on the tick after the last deadline.
  await new Promise((resolve) => setTimeout(resolve, 120));
});

Deno.test("createClock counts anew after a pause without deadlines", async () => {
  const clock = createClock();
  await new Promise<void>((resolve) => clock.after(1, resolve));
  await new Promise((resolve) => setTimeout(resolve, 250));
  const started = clock.monotonic();
  await new Promise<void>((resolve) => clock.after(100, resolve));
  assert.ok(clock.monotonic() - started >= 100);
  await new Promise((resolve) => setTimeout(resolve, 120));
});

Deno.test("createClock lets what came while the process was held still be read before a deadline passes", async () => {
  const clock = createClock();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [near, far] = await Promise.all([Deno.connect({ port: listener.addr.port }), listener.accept()]);
  const order: string[] = [];
  const passed = new Promise<void>((resolve) =>
    clock.after(200, () => {
      order.push("deadline");
      resolve();
    })
  );
  const read = near.read(new Uint8Array(1)).then(() => order.push("read"));
  const written = far.write(new Uint8Array(1));
  for (const start = performance.now(); performance.now() - start < 1_200;) { /* held still */ }
  await Promise.all([written, read, passed]);
  assert.deepEqual(order, ["read", "deadline"]);
  near.close();
  far.close();
  await new Promise((resolve) => setTimeout(resolve, 120));
});

Deno.test("id is a UUID without hyphens, never told twice, and in the order of time", async () => {
  const silent = () => {};
  const { id } = createRuntime({ debug: silent, info: silent, warn: silent, error: silent });
  const ids = Array.from({ length: 1_000 }, id);
  for (const one of ids) assert.match(one, /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  assert.equal(new Set(ids).size, ids.length);
  const time = parseInt(ids[0]?.slice(0, 12) ?? "", 16);
  assert.ok(Math.abs(time - Date.now()) < 10_000);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const later = id();
  assert.ok(ids.every((one) => one < later));
});
