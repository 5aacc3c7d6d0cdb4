import assert from "node:assert/strict";
import { CallAbort, toAbortSignal } from "./call_abort.ts";

Deno.test("CallAbort tells its listeners once, and those that left not at all", () => {
  const cut = new CallAbort();
  const fired: string[] = [];
  const left = () => void fired.push("left");
  cut.addEventListener("abort", () => fired.push("first"));
  cut.addEventListener("abort", left);
  cut.addEventListener("abort", () => fired.push("second"));
  cut.removeEventListener("abort", left);
  cut.throwIfAborted();
  assert.equal(cut.aborted, false);
  cut.abort();
  cut.abort();
  assert.deepEqual(fired, ["first", "second"]);
  assert.equal(cut.aborted, true);
  assert.throws(() => cut.throwIfAborted(), { name: "AbortError" });
});

Deno.test("toAbortSignal follows a cut, before and after", () => {
  const cut = new CallAbort();
  const signal = toAbortSignal(cut);
  assert.equal(signal.aborted, false);
  cut.abort();
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason, cut.reason);
  assert.equal(toAbortSignal(cut).aborted, true);
  assert.equal(toAbortSignal(signal), signal);
});
