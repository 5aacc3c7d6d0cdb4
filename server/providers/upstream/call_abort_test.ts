import assert from "node:assert/strict";
import { CallAbort, toAbortSignal } from "./call_abort.ts";

Deno.test("CallAbort tells its listeners once, and those that left not at all", () => {
  const cut = new CallAbort();
  const reported: string[] = [];
  const left = () => void reported.push("left");
  cut.addEventListener("abort", () => reported.push("first"));
  cut.addEventListener("abort", left);
  cut.addEventListener("abort", () => reported.push("second"));
  cut.removeEventListener("abort", left);
  cut.throwIfAborted();
  assert.equal(cut.aborted, false);
  cut.abort();
  cut.abort();
  assert.deepEqual(reported, ["first", "second"]);
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
