import assert from "node:assert/strict";
import { article } from "../../../tests/support/documents.ts";
import { memoryClock } from "../../../tests/support/clock.ts";
import { linesLogger, readWith } from "../../../tests/support/reader.ts";
import { type Keeper, type ProgramRun, unavailableKeeper } from "../../sandbox/keeper/keeper.ts";
import { runOutcomes } from "../../sandbox/keeper/messages.ts";
import { createReader, type ReadInput } from "./reader.ts";

const noOutput = new Uint8Array(0);

/** A reader over a keeper whose runs a test ends. */
function rig(concurrency = 1) {
  const runs: PromiseWithResolvers<ProgramRun>[] = [];
  const lines: string[] = [];
  const keeper: Keeper = {
    unavailableReason: undefined,
    problem: undefined,
    run: (_, { signal }) => {
      const run = Promise.withResolvers<ProgramRun>();
      signal.addEventListener("abort", () => run.reject(signal.reason));
      runs.push(run);
      return run.promise;
    },
    open: () => {
      throw new Error("Nothing stays in this test");
    },
    close: () => Promise.resolve(),
  };
  const clock = memoryClock();
  const reader = createReader({ keeper, log: linesLogger(lines), clock, concurrency });
  const read = (changes: Partial<ReadInput> = {}) => readWith(reader, { body: article(1), changes });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  return { runs, lines, read, turn, clock };
}

const written = (reply: unknown): ProgramRun => ({
  outcome: "done",
  output: new TextEncoder().encode(JSON.stringify(reply)),
});
const reply = { type: "document", text: "text", truncated: false };

Deno.test("reader runs so many documents at once, lets 20 wait, and turns the others away", async () => {
  const { runs, read, turn } = rig(2);
  const reading = Array.from({ length: 22 }, () => read());
  await turn();
  assert.equal(runs.length, 2);
  const busy = await read();
  assert.equal(busy.type === "failed" && busy.reason, "busy");
  for (let at = 0; at < 22; at++) {
    runs[at]?.resolve(written(reply));
    await turn();
  }
  assert.deepEqual(await Promise.all(reading), reading.map(() => reply));
  assert.equal(runs.length, 22);
});

Deno.test("reader drops one that waits when its caller leaves", async () => {
  const { runs, read, turn } = rig();
  const first = read();
  const abort = new AbortController();
  const second = read({ signal: abort.signal });
  const third = read();
  await turn();
  abort.abort(new Error("left"));
  await assert.rejects(second, /left/);
  await assert.rejects(read({ signal: abort.signal }), /left/);
  runs[0]?.resolve(written(reply));
  await first;
  await turn();
  runs[1]?.resolve(written(reply));
  assert.deepEqual(await third, reply);
});

Deno.test("reader answers each of several documents within 12 s, whether it runs or waits", async () => {
  const { runs, read, turn, clock } = rig(4);
  const reading = Array.from({ length: 6 }, () => read());
  await turn();
  assert.equal(runs.length, 4);
  await clock.advance(12_000);
  const results = await Promise.all(reading);
  assert.ok(results.every((result) => result.type === "failed" && result.isPassing), "no fault of theirs");
  const reasons = results.map((result) => result.type === "failed" ? result.reason : result.type);
  assert.deepEqual(reasons, [...Array(4).fill("overdue"), ...Array(2).fill("busy")]);
  // Their places are free again.
  const next = read();
  await turn();
  assert.equal(runs.length, 5);
  runs[4]?.resolve(written(reply));
  assert.deepEqual(await next, reply);
});

Deno.test("reader leaves a document that is read alone to the limit of the processor, until another comes", async () => {
  const { runs, read, turn, clock } = rig(4);
  const alone = read();
  await turn();
  await clock.advance(60_000);
  await turn();
  const second = read();
  await clock.advance(12_000);
  const result = await alone;
  assert.equal(result.type === "failed" && result.reason, "overdue");
  const other = await second;
  assert.equal(other.type === "failed" && other.reason, "overdue");
  assert.equal(runs.length, 2);
});

/** Outcomes for which the document is at fault, so that no other try will do. */
const faults: ReadonlySet<string> = new Set(["failed", "time_limit", "memory_limit", "output_limit"]);

for (const outcome of runOutcomes.filter((one) => one !== "done")) {
  Deno.test(`reader says what a run that ends as ${outcome} means, and frees its place`, async () => {
    const { runs, read, turn } = rig();
    for (let round = 0; round < 2; round++) {
      const reading = read();
      await turn();
      runs[round]?.resolve({ outcome, detail: "detail", output: noOutput });
      const result = await reading;
      assert.equal(result.type, "failed");
      assert.equal(result.type === "failed" && result.isPassing, !faults.has(outcome));
      assert.match(result.type === "failed" ? result.message : "", /^[A-Z].*\.$/);
    }
  });
}

Deno.test("reader takes the output of a program that was taken over for a broken document", async () => {
  const outputs = [{}, [], null, { ...reply, more: 1 }, { ...reply, text: 1 }, { type: "unreadable" }];
  for (const output of outputs) {
    const { runs, read, turn } = rig();
    const reading = read();
    await turn();
    runs[0]?.resolve(written(output));
    const result = await reading;
    assert.equal(result.type === "failed" && result.reason, "broken");
  }
});

Deno.test("reader without a keeper says why, and still takes plain text", async () => {
  const keeper = unavailableKeeper("It is off.");
  const reader = createReader({ keeper, log: linesLogger([]), clock: memoryClock(), concurrency: 1 });
  const html = await readWith(reader, { body: "<p>x", changes: {} });
  assert.deepEqual(html, { type: "failed", reason: "unavailable", message: "It is off.", isPassing: true });
  const text = await readWith(reader, { body: "x", changes: { contentType: "text/plain" } });
  assert.equal(text.type, "document");
});
