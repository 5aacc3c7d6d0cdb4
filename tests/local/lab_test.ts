import assert from "node:assert/strict";
import { fakeClock } from "../support/clock.ts";
import { eventsIn, type Json, type Rig, withLocal } from "./rig.ts";
import { pause, until } from "../support/until.ts";

const both = [true, false] as const;

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test(`fault lab: ${name}`, () => withLocal(run));
}

/** Reads until the text has what is looked for, then leaves. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  const reader = (response.body ?? new Blob().stream()).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function deltasIn(text: string): number {
  return text.split("event: response.output_text.delta").length - 1;
}

test("429, 500, 503 and 529 answer with their status", async ({ post }) => {
  for (const status of [429, 500, 503, 529]) {
    for (const stream of both) {
      const response = await post({ model: `fault/${status}`, input: "x", stream });
      assert.equal(response.status, status);
      assert.equal(response.headers.get("retry-after"), status === 429 ? "2" : null);
      assert.equal(typeof (await response.json()).error.message, "string");
    }
  }
});

test("cut breaks the connection in the middle", async ({ post }) => {
  for (const stream of both) {
    const response = await post({ model: "fault/cut", input: "x", stream });
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), /error reading a body from connection/);
  }
});

test("refuse ends the connection before a byte", async ({ post }) => {
  for (const stream of both) {
    await assert.rejects(post({ model: "fault/refuse", input: "x", stream }), TypeError);
  }
});

test("stall says three words and falls silent, until the caller leaves", async ({ post }) => {
  for (const stream of both) {
    const leave = new AbortController();
    const response = await post({ model: "fault/stall", input: "x", stream }, { signal: leave.signal });
    const reader = (response.body ?? new Blob().stream()).getReader();
    let text = "";
    while (!(stream ? deltasIn(text) === 3 : text.includes('"model"'))) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    const next = reader.read();
    assert.equal(
      await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 60, "silence"))]),
      "silence",
    );
    leave.abort();
    await assert.rejects(next);
  }
});

test("hang never answers, until the caller leaves", async ({ post }) => {
  for (const stream of both) {
    await assert.rejects(
      post({ model: "fault/hang", input: "x", stream }, { signal: AbortSignal.timeout(80) }),
      { name: "TimeoutError" },
    );
  }
});

test("malformed puts a broken frame between sound ones", async ({ post }) => {
  const text = await (await post({ model: "fault/malformed", input: "x", stream: true })).text();
  const broken = text.split("\n\n").filter((frame) => frame !== "" && !frame.trimEnd().endsWith("}"));
  assert.equal(broken.length, 1);
  assert.ok(text.includes("response.completed"));
  await assert.rejects((await post({ model: "fault/malformed", input: "x" })).json(), SyntaxError);
});

test("huge sends a line without end that stops at 64 MiB, as fast as it is read", async ({ post }) => {
  for (const stream of both) {
    const response = await post({ model: "fault/huge", input: "x", stream });
    const text = await readUntil(response, "x".repeat(2_000_000));
    assert.ok(text.length < 16_000_000);
  }
});

test("wrong-usage answers, and reports numbers that cannot be", async ({ post }) => {
  const events = eventsIn(
    await (await post({ model: "fault-wrong-usage", input: "x", stream: true })).text(),
  );
  const whole = await (await post({ model: "fault-wrong-usage", input: "x" })).json();
  for (const { usage, status } of [events.at(-1)?.response, whole]) {
    assert.equal(status, "completed");
    assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.total_tokens], [-5, 1e18, 3]);
  }
});

Deno.test("fault lab: slow waits half a second before each piece", async () => {
  const clock = fakeClock();
  await withLocal(async ({ post }) => {
    const response = await post({ model: "fault/slow", input: "x", stream: true });
    const reader = (response.body ?? new Blob().stream()).getReader();
    const decoder = new TextDecoder();
    const texts: string[] = [];
    const reading = (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        texts.push(decoder.decode(next.value));
      }
    })();
    for (let word = 0; word < 4; word++) {
      await until(() => clock.open > 0 && deltasIn(texts.join("")) >= word);
      await pause(20);
      assert.equal(deltasIn(texts.join("")), word);
      await clock.advanceOnce(() => clock.open > 0, 500);
    }
    await reader.cancel();
    await reading;
  }, { clock });
  assert.equal(clock.open, 0);
});

Deno.test("fault lab: closing the provider ends what never would", async () => {
  const endings: Promise<Json>[] = [];
  await withLocal(async ({ post }) => {
    const stalled = await post({ model: "fault/stall", input: "x", stream: true });
    endings.push(stalled.text().catch((error) => error));
    endings.push(post({ model: "fault/hang", input: "x" }).catch((error) => error));
    await pause(50);
  });
  for (const error of await Promise.all(endings)) assert.ok(error instanceof TypeError);
  // The clock's shared timer notices on its next tick that no deadline is left.
  await new Promise((resolve) => setTimeout(resolve, 120));
});
