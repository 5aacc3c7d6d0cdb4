/** The models of the fault lab, with which users try their own fallbacks: each ends as server/README.md says. */

import assert from "node:assert/strict";
import { type FaultKind, faultKinds } from "../../server/local_provider/fault_lab/fault_kinds.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { ask } from "../support/call.ts";
import { resultText, streamedText } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { runOut } from "../support/run_out.ts";
import { outcomeOf } from "./rig.ts";

const env = { TOLLGATE_LOCAL: "on", TOLLGATE_FAULT_LAB: "on" };

/** `failed`: 200, then a failure in the stream. */
type End = "completed" | "failed" | number;

interface Row {
  readonly id: string;
  readonly whole: End;
  readonly streamed: End;
}

const rows: Readonly<Record<FaultKind, Row>> = {
  slow: { id: "U16", whole: "completed", streamed: "completed" },
  stall: { id: "U8", whole: 408, streamed: "failed" },
  cut: { id: "U9", whole: 502, streamed: "failed" },
  refuse: { id: "U5", whole: 502, streamed: 502 },
  "429": { id: "U1", whole: 429, streamed: 429 },
  "500": { id: "U2", whole: 502, streamed: 502 },
  "503": { id: "U2", whole: 503, streamed: 503 },
  "529": { id: "U3", whole: 529, streamed: 529 },
  malformed: { id: "U10", whole: 502, streamed: "failed" },
  huge: { id: "U11", whole: 502, streamed: "failed" },
  "wrong-usage": { id: "U14", whole: "completed", streamed: "completed" },
  hang: { id: "U6", whole: 524, streamed: 524 },
};

/** Milliseconds of fake time at a time: little where real sockets have much to carry. */
const steps: Readonly<Record<string, number>> = { slow: 1_000, huge: 10 };

/** No comment, and with it no status, goes out before the fault. */
const limits = { heartbeat_seconds: 5_000, answer_bytes: 8 * 1024 * 1024 };

for (const kind of asKinds(Object.keys(faultKinds))) {
  const { id, whole, streamed } = rows[kind];
  Deno.test(`${id} fault/${kind} ends as it should, streamed and whole`, async () => {
    const clock = fakeClock();
    await using gateway = await startGateway({ env, limits, clock });
    const body = { model: `fault/${kind}`, input: "Hi" };
    const both = Promise.all([
      ask(gateway, body).then(outcomeOf),
      ask(gateway, { ...body, stream: true }).then(outcomeOf),
    ]);
    const { value: [one, other] } = await runOut(both, { clock, once: turns, step: steps[kind] ?? 20_000 });
    assert.equal(one.ended ?? one.status, whole);
    assert.equal(other.ended ?? other.status, streamed);
    if (one.result && other.stream) assert.equal(resultText(one.result), streamedText(other.stream));
    if (kind === "429") assert.equal(one.error?.headers.get("retry-after"), "2");
  });
}

/** The table above has a row for each. */
function asKinds(names: readonly string[]): readonly FaultKind[] {
  return names as readonly FaultKind[];
}

Deno.test("S2 local/echo stands in for a fault model that is named first", async () => {
  const clock = fakeClock();
  await using gateway = await startGateway({ env, clock });
  const answering: FaultKind[] = ["refuse", "429", "500", "503", "529", "hang"];
  for (const kind of answering) {
    for (const stream of [false, true]) {
      const body = { models: [`fault/${kind}`, "local/echo"], input: "Hi", stream };
      const requested = ask(gateway, body).then(outcomeOf);
      const { value: { ended, result } } = await runOut(requested, { clock, once: turns, step: 20_000 });
      assert.equal(ended, "completed", kind);
      assert.equal(result?.model, "local/echo");
    }
  }
});

Deno.test("fault models are not there unless they are switched on", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  const { status } = await outcomeOf(await ask(gateway, { model: "fault/500", input: "Hi" }));
  assert.equal(status, 404);
});
