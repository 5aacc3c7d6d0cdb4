import assert from "node:assert/strict";
import { type FakeClock, fakeClock } from "../../../../tests/support/clock.ts";
import { linesLogger } from "../../../../tests/support/reader.ts";
import type { Transport, UpstreamRequest } from "../../../providers/upstream/transport.ts";
import type { RunResult } from "../containers.ts";
import { CallSignatures } from "./call_signatures.ts";
import { ForwardingClient } from "./forwarding_client.ts";
import { BEAT_MS, MAX_MESSAGE_BYTES, SILENT_MS } from "./forwarding_messages.ts";

const HOLDER = { id: "0192f0c0a1b27000800000000000000f", url: "http://10.0.0.5:8787" };
const KEY = { workspaceId: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11", id: "sess_a" };
const COMMANDS = ["echo ä", "false"];
const encoder = new TextEncoder();

/** Chunks of an answer; a number is a silence, in ms, and `hang` one without an end. */
type Script = readonly (string | Uint8Array | number | "hang")[];

interface Answer {
  readonly status?: number;
  readonly body?: Script;
  /** Instead of an answer; `hang`: nothing comes. */
  readonly fails?: Error | "hang";
}

/** Rejects when the signal aborts. */
const hang = (signal: UpstreamRequest["signal"]) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** A client whose calls have this answer. */
async function rig({ status = 200, body = [], fails }: Answer = {}) {
  const clock = fakeClock();
  const lines: string[] = [];
  const calls: UpstreamRequest[] = [];
  const read = { bytes: 0 };
  const transport: Transport = async (call) => {
    calls.push(call);
    const { signal } = call;
    if (fails === "hang") return await hang(signal);
    if (fails !== undefined) throw fails;
    const script = [...body];
    const next = async (): Promise<Uint8Array | undefined> => {
      signal.throwIfAborted();
      const chunk = script.shift();
      if (chunk === "hang") return await hang(signal);
      if (typeof chunk === "number") {
        await Promise.race([hang(signal), new Promise<void>((resolve) => clock.after(chunk, resolve))]);
        return await next();
      }
      const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
      read.bytes += bytes?.length ?? 0;
      return bytes;
    };
    return { status, header: () => null, text: () => Promise.resolve(""), read: next, discard: () => {} };
  };
  const runtime = { clock, log: linesLogger(lines) };
  let nonces = 0;
  const randomToken = (size: number) =>
    new Uint8Array(size).fill(nonces++).toBase64({ alphabet: "base64url", omitPadding: true });
  const signatures = await CallSignatures.create(new Uint8Array(32).fill(9), { clock, randomToken });
  const client = new ForwardingClient({ transport, signatures, runtime });
  const run = (signal = new AbortController().signal) =>
    client.run({
      holder: HOLDER,
      key: KEY,
      input: { language: "bash", commands: COMMANDS, timeoutMs: 30_000, signal },
    });
  return { client, clock, lines, calls, read, signatures, run };
}

const frame = (message: object) => `data: ${JSON.stringify(message)}\n\n`;
const BEAT = ": waiting\n\n";
const FIRST = frame({ type: "ran", stdout: "ä\n", stderr: "", status: { type: "exit", exitCode: 0 } });
const SECOND = frame({ type: "ran", stdout: "", stderr: "no\n", status: { type: "timeout" } });
const ENDED = frame({
  type: "ended",
  files: [{ path: "a.txt", size: 3 }, { path: "odd\\name", size: 1 }],
  notes: ["a note"],
  seconds: 1.5,
});
const WHOLE = BEAT + FIRST + SECOND + ENDED;

const expected: RunResult = {
  results: [
    { command: "echo ä", stdout: "ä\n", stderr: "", status: { type: "exit", exitCode: 0 } },
    { command: "false", stdout: "", stderr: "no\n", status: { type: "timeout" } },
  ],
  files: [{ fileId: "cfile_YS50eHQ", path: "a.txt", size: 3 }],
  notes: ["a note"],
  seconds: 1.5,
};

Deno.test("a forwarded run is one signed call, and its result the instance's", async () => {
  const { run, calls, clock, signatures } = await rig({ body: [WHOLE] });
  assert.deepEqual(await run(), { value: expected });
  const [call, ...others] = calls;
  assert.deepEqual([call?.url, call?.baseUrl, others.length], [
    "http://10.0.0.5:8787/internal/containers/sess_a/run",
    HOLDER.url,
    0,
  ]);
  const path = "/internal/containers/sess_a/run";
  const check = await signatures.check({ method: "POST", path }, call?.headers["x-tollgate-instance"] ?? "");
  assert.ok(check.type === "valid" && check.to === HOLDER.id);
  assert.equal(await check.isOf(String(call?.body)), true);
  assert.deepEqual(JSON.parse(String(call?.body)), {
    workspace_id: KEY.workspaceId,
    language: "bash",
    commands: COMMANDS,
    timeout_ms: 30_000,
  });
  assert.equal(call?.signal.aborted, true, "its connection is closed");
  assert.equal(clock.open, 0);
});

Deno.test("an answer may come in any pieces", async () => {
  const bytes = encoder.encode(WHOLE);
  const { run: runOfBytes } = await rig({ body: Array.from(bytes, (byte) => new Uint8Array([byte])) });
  assert.deepEqual(await runOfBytes(), { value: expected });
  for (let at = 1; at < bytes.length; at += 7) {
    const { run } = await rig({ body: [bytes.subarray(0, at), bytes.subarray(at)] });
    assert.deepEqual(await run(), { value: expected }, String(at));
  }
});

/** Answers after which nothing was done: the instance that asked does it by itself. */
const nothingDone: Readonly<Record<string, Answer>> = {
  "it cannot be reached": { fails: new Error("connection refused") },
  "it has no such route": { status: 404, body: [WHOLE] },
  "it does not know the signature": { status: 401 },
  "its body is too large": { status: 413 },
  "it is starting": { status: 503 },
  "it sends elsewhere": { status: 302 },
  "it has the container no more": { body: [BEAT, frame({ type: "gone" })] },
};

for (const [what, answer] of Object.entries(nothingDone)) {
  Deno.test(`nothing was done where ${what}`, async () => {
    const { run, client, calls, clock } = await rig(answer);
    assert.equal(await run(), undefined);
    const signal = new AbortController().signal;
    const work = () => assert.fail("it is not this one's turn");
    assert.equal(await client.turn({ holder: HOLDER, key: KEY, signal, work }), undefined);
    assert.deepEqual(calls.map((call) => call.signal.aborted), [true, true], "no connection is left");
    assert.equal(clock.open, 0);
  });
}

const LOST = /stopped answering\. Whether it ran/;

interface LostAnswer extends Answer {
  /** Results of commands that are there. */
  readonly results?: number;
}

/** Answers that break off, or make no sense. */
const lost: Readonly<Record<string, LostAnswer>> = {
  "nothing behind the head": { body: [] },
  "beats alone": { body: [BEAT, BEAT] },
  "an end behind the first command": { body: [BEAT + FIRST], results: 1 },
  "an end in a message": { body: [WHOLE.slice(0, -20)], results: 2 },
  "no JSON": { body: ["data: {\n\n"] },
  "another message": { body: [frame({ type: "gone away" })] },
  "an output of another type": {
    body: [frame({ type: "ran", stdout: 1, stderr: "", status: { type: "timeout" } })],
  },
  "an output that is too long": {
    body: [
      frame({ type: "ran", stdout: "x".repeat(2 * 1024 * 1024), stderr: "", status: { type: "timeout" } }),
    ],
  },
  "sizes below zero": {
    body: [frame({ type: "ended", files: [{ path: "a", size: -1 }], notes: [], seconds: 0 })],
  },
  "a page": { body: [`<!doctype html>${"<p>Not found".repeat(200)}\n`] },
  "bytes of no text": { body: [new Uint8Array(5_000).fill(0xff), "\n"] },
};

const failureOf = (done: Awaited<ReturnType<Awaited<ReturnType<typeof rig>>["run"]>>): string => {
  const status = done?.value.results.at(-1)?.status;
  return status?.type === "failed" ? status.reason : JSON.stringify(status);
};

for (const [what, { results = 0, ...answer }] of Object.entries(lost)) {
  Deno.test(`a command whose fate is not known says so: ${what}`, async () => {
    const { run, calls, clock } = await rig(answer);
    const done = await run();
    assert.match(failureOf(done), LOST);
    assert.deepEqual(done?.value.results.slice(0, -1), expected.results.slice(0, results));
    assert.equal(done?.value.results.at(-1)?.command, COMMANDS[results] ?? "");
    assert.equal(calls[0]?.signal.aborted, true);
    assert.equal(clock.open, 0);
  });
}

Deno.test("an answer without an end is read to its limit and no further", async () => {
  const piece = new Uint8Array(1024 * 1024).fill(0x78);
  const { run, read } = await rig({ body: ["data: ", ...Array.from({ length: 100 }, () => piece)] });
  assert.match(failureOf(await run()), LOST);
  assert.ok(read.bytes <= MAX_MESSAGE_BYTES + 2 * piece.length, `${read.bytes} bytes were read`);
});

Deno.test("an instance that cannot do it says so, and its address stands in no result", async () => {
  const { run, lines } = await rig({ body: [BEAT + frame({ type: "failed" })] });
  const failed = await run();
  assert.match(failureOf(failed), /instance of the gateway that has this container failed/);
  assert.deepEqual(lines, []);
  const { run: runLost, lines: warned } = await rig({ body: ["data: {\n\n"] });
  const all = JSON.stringify([failed, await runLost()]);
  assert.ok(!all.includes("10.0.0.5"), all);
  assert.match(warned.join(), /10\.0\.0\.5/);
});

/** Waits until one deadline is open, and lets it pass. */
const passDeadline = (clock: FakeClock, ms: number) => clock.advanceOnce(() => clock.open === 1, ms);

Deno.test("an instance that hangs is given up: before its head nothing was done", async () => {
  const { run, clock } = await rig({ fails: "hang" });
  const running = run();
  await passDeadline(clock, SILENT_MS);
  assert.equal(await running, undefined);
  const { run: runSilent, clock: other } = await rig({ body: [BEAT, "hang"] });
  const silent = runSilent();
  await passDeadline(other, SILENT_MS);
  assert.match(failureOf(await silent), LOST);
  assert.deepEqual([clock.open, other.open], [0, 0]);
});

Deno.test("an instance that says that it goes on is waited for", async () => {
  const beats = Array.from({ length: 20 }, () => [BEAT_MS, BEAT]).flat();
  const { run, clock } = await rig({ body: [...beats, WHOLE] });
  const running = run();
  for (let passed = 0; passed < 20; passed++) await clock.advanceOnce(() => clock.open === 2, BEAT_MS);
  assert.deepEqual(await running, { value: expected });
  assert.equal(clock.open, 0);
});

Deno.test("a client that leaves ends the call", async () => {
  const { run, calls, clock } = await rig({ body: [BEAT, "hang"] });
  const abort = new AbortController();
  const running = run(abort.signal);
  const reason = new Error("The client has left");
  await passDeadline(clock, 0);
  abort.abort(reason);
  await assert.rejects(running, reason);
  assert.equal(calls[0]?.signal.aborted, true);
  await assert.rejects(run(abort.signal), reason);
  assert.equal(calls.length, 1, "nothing is sent for who has left already");
  assert.equal(clock.open, 0);
});

Deno.test("a turn is the caller's from when it is granted to when its work is over", async () => {
  const { client, calls, clock } = await rig({ body: [BEAT, frame({ type: "granted" }), "hang"] });
  const signal = new AbortController().signal;
  const ended: unknown[] = [];
  const work = () => {
    ended.push(calls[0]?.signal.aborted, clock.open);
    return Promise.resolve("done");
  };
  assert.deepEqual(await client.turn({ holder: HOLDER, key: KEY, signal, work }), { value: "done" });
  assert.deepEqual(ended, [false, 0], "the call goes on meanwhile, for as long as the work takes");
  assert.equal(calls[0]?.signal.aborted, true);
  const { client: other, calls: others } = await rig({ body: [frame({ type: "granted" }), "hang"] });
  const failing = () => Promise.reject(new Error("It does not fit"));
  await assert.rejects(other.turn({ holder: HOLDER, key: KEY, signal, work: failing }), /It does not fit/);
  assert.equal(others[0]?.signal.aborted, true);
});
