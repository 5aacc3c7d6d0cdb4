import assert from "node:assert/strict";
import { createParser } from "eventsource-parser";
import { until } from "../support/until.ts";
import { faultOf, faults } from "./faults.ts";
import { parseRequest } from "./request.ts";
import { type Faultd, startFaultd } from "./server.ts";
import { TEXT, type Wire } from "./wires.ts";

const paths: Readonly<Record<Wire, string>> = { chat: "/chat/completions", responses: "/responses" };
const wires = ["chat", "responses"] as const;

interface Rig {
  readonly faultd: Faultd;
  readonly call: (model: string, how?: How) => Promise<Response>;
}

interface How {
  readonly wire?: Wire;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

function test(name: string, run: (rig: Rig) => Promise<void>): void {
  Deno.test(`faultd ${name}`, async () => {
    const faultd = await startFaultd({ now: () => Date.UTC(2026, 0, 14, 12) });
    const client = Deno.createHttpClient({});
    const call = (model: string, { wire = "responses", stream = true, signal }: How = {}) =>
      fetch(faultd.url + paths[wire], {
        method: "POST",
        body: JSON.stringify({ model, stream, input: "x" }),
        redirect: "manual",
        client,
        signal,
      });
    try {
      await run({ faultd, call });
      await until(() => faultd.open() === 0, { what: "the end of every socket" });
    } finally {
      await faultd.close();
      client.close();
    }
  });
}

/** The deltas' text, and whether the stream says that it is over. */
function read(text: string): { readonly said: string; readonly over: boolean; readonly bad: number } {
  let [received, over, bad] = ["", false, 0];
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return void (over = true);
      try {
        const event = JSON.parse(data);
        received += event.choices?.[0]?.delta?.content ??
          (event.type === "response.output_text.delta" ? event.delta : "");
        over ||= event.type === "response.completed";
      } catch {
        bad += 1; // a frame that is broken on purpose
      }
    },
  });
  parser.feed(text);
  parser.reset({ consume: true });
  return { said: received, over, bad };
}

function receivedIn(whole: { readonly choices?: never; readonly output?: never }): unknown;
function receivedIn(whole: Awaited<ReturnType<Response["json"]>>): unknown {
  return whole.choices?.[0].message.content ?? whole.output?.[0].content[0].text;
}

test("answers soundly on both wires, whole and streamed, however it is spelled", async ({ call }) => {
  const odd = [
    "sse-cr",
    "sse-crlf",
    "sse-bom",
    "sse-nospace",
    "sse-comments",
    "sse-multiline",
    "sse-fields",
    "sse-noevent",
  ];
  for (const wire of wires) {
    for (
      const model of [
        "ok",
        "acme/ok",
        "gzip-ok",
        "split",
        "usage-missing",
        "usage-twice",
        "slow-30",
        ...odd,
      ]
    ) {
      const { said: received, over, bad } = read(await (await call(model, { wire })).text());
      assert.deepEqual([received, over, bad], [TEXT, true, 0], `${model} on ${wire}`);
    }
    assert.equal(receivedIn(await (await call("ok", { wire, stream: false })).json()), TEXT);
  }
});

test("stalls after so many deltas, until the caller leaves", async ({ call, faultd }) => {
  for (const wire of wires) {
    for (const deltas of [0, 1, 5]) {
      const leave = new AbortController();
      const response = await call(`stall-after-${deltas}`, { wire, signal: leave.signal });
      const reader = (response.body ?? new Blob().stream()).getReader();
      let text = "";
      const reading = (async () => {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          text += new TextDecoder().decode(next.value);
        }
      })();
      await until(() => read(text).said.split(/(?= )/).filter((word) => word !== "").length === deltas);
      assert.equal(faultd.open(), 1);
      leave.abort();
      await assert.rejects(reading);
      await until(() => faultd.open() === 0);
    }
  }
  assert.equal(faultd.aborted(), 6);
});

test("cuts streams and whole answers in every way", async ({ call, faultd }) => {
  for (const wire of wires) {
    for (const stream of [true, false]) {
      for (const model of ["cut-chunk-2", "cut-length", "bad-chunk", "reset-after-1"]) {
        const response = await call(model, { wire, stream });
        await assert.rejects(response.text(), /error reading a body/, `${model} ${wire} ${stream}`);
      }
    }
    const { said: received, over } = read(await (await call("cut-close-2", { wire })).text());
    assert.deepEqual([received, over], ["The quick", false]);
    await assert.rejects((await call("cut-close", { wire, stream: false })).json(), SyntaxError);
  }
  assert.equal(faultd.aborted(), 0);
});

test("answers with any status and any Retry-After", async ({ call }) => {
  const cases = [
    ["status-429-retry-2", 429, "2"],
    ["status-429-retry--5", 429, "-5"],
    ["status-429-retry-NaN", 429, "NaN"],
    ["status-503-retry-1000000000", 503, "1000000000"],
    ["status-429-date", 429, "Wed, 14 Jan 2026 12:00:02 GMT"],
    ["status-429-date-30", 429, "Wed, 14 Jan 2026 12:00:30 GMT"],
    ["status-500", 500, null],
    ["status-401", 401, null],
    ["status-529", 529, null],
  ] as const;
  for (const [model, status, after] of cases) {
    const response = await call(model);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [status, after]);
    assert.equal(typeof (await response.json()).error.message, "string");
  }
  const redirect = await call("redirect");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, "/redirected"]);
  await redirect.body?.cancel();
});

test("says nothing, or nonsense, before a status", async ({ call }) => {
  await assert.rejects(call("reset"), ({ cause }) => /reset by peer/.test(String(cause)));
  await assert.rejects(
    call("close-early"),
    ({ cause }) => /closed before message completed/.test(String(cause)),
  );
  await assert.rejects(call("garbage-status"), ({ cause }) => /invalid HTTP version/.test(String(cause)));
  for (const model of ["hang", "header-stall"]) {
    await assert.rejects(call(model, { signal: AbortSignal.timeout(60) }), { name: "TimeoutError" });
  }
});

test("answers 200 with what is no answer", async ({ call }) => {
  for (const stream of [true, false]) {
    assert.match(await (await call("html-200", { stream })).text(), /^<!doctype html>/);
    assert.equal(await (await call("empty-200", { stream })).text(), "");
    assert.deepEqual(await (await call("array-200", { stream })).json(), [1, 2, 3]);
    await assert.rejects((await call("truncated-json", { stream })).json(), SyntaxError);
    await assert.rejects((await call("gzip-corrupt", { stream })).text(), TypeError);
    assert.equal((await (await call("gzip-bomb-2", { stream })).arrayBuffer()).byteLength, 2 * 1024 * 1024);
  }
});

test("sends lines without end as fast as they are read", async ({ call }) => {
  for (const stream of [true, false]) {
    const response = await call("huge-line-1024", { stream });
    const reader = (response.body ?? new Blob().stream()).getReader();
    let size = 0;
    while (size < 3_000_000) size += (await reader.read()).value?.length ?? Infinity;
    await reader.cancel();
  }
  assert.ok((await (await call("huge-line-1")).text()).length > 1024 * 1024);
});

test("drips a byte at a time, until the caller leaves", async ({ call, faultd }) => {
  const response = await call("drip-1");
  const reader = (response.body ?? new Blob().stream()).getReader();
  for (let n = 0; n < 5; n++) assert.ok(((await reader.read()).value?.length ?? 99) < 20);
  await reader.cancel();
  await until(() => faultd.aborted() === 1);
});

test("puts broken and error frames where it is told", async ({ call }) => {
  for (const wire of wires) {
    const broken = read(await (await call("bad-json-1", { wire })).text());
    assert.deepEqual(broken, { said: TEXT, over: true, bad: 1 });
    await assert.rejects((await call("bad-json-1", { wire, stream: false })).json(), SyntaxError);
    for (const at of [1, 5]) {
      const text = await (await call(`error-frame-${at}`, { wire })).text();
      const frames = text.split("\n\n").filter((frame) => frame !== "");
      assert.equal(frames.length, at);
      assert.match(frames.at(-1) ?? "", /[Oo]verloaded/);
    }
    const { error } = await (await call("error-frame-1", { wire, stream: false })).json();
    assert.equal(error.type, "overloaded_error");
  }
});

test("reports counts that cannot be, and speaks after its end", async ({ call }) => {
  const usageOf = async (model: string) => (await (await call(model, { stream: false })).json()).usage;
  assert.equal((await usageOf("usage-negative")).input_tokens, -5);
  assert.equal((await usageOf("usage-absurd")).output_tokens, 1e18);
  assert.equal((await usageOf("usage-zero")).output_tokens, 0);
  assert.equal((await usageOf("usage-text")).input_tokens, "NaN");
  assert.equal(await usageOf("usage-missing"), undefined);
  for (const wire of wires) {
    const text = await (await call("after-terminal", { wire })).text();
    assert.equal(read(text).said, `${TEXT}The quick`);
  }
});

test("knows its callers, and nobody else's models", async ({ call, faultd }) => {
  for (const model of ["nope", "", "constructor", "stall-aft"]) {
    assert.equal((await drained(await call(model))).status, 404);
  }
  assert.deepEqual(faultd.requests.map(({ path }) => path), Array(4).fill("/responses"));
  assert.deepEqual(faultd.requests[0]?.body, { model: "nope", stream: true, input: "x" });
});

async function drained(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}

Deno.test("faultOf takes the longest name", () => {
  assert.equal(faultOf("sse-noblank")?.name, "sse-noblank");
  assert.deepEqual([faultOf("sse-cr")?.name, faultOf("sse-cr")?.arg], ["sse", "cr"]);
  for (const name of Object.keys(faults)) assert.equal(faultOf(`acme/${name}`)?.name, name);
});

Deno.test("parseRequest waits for the whole request, sized or chunked", () => {
  const body = '{"model":"ok ü"}';
  const latin = String.fromCharCode(...new TextEncoder().encode(body));
  const sized = `POST /responses HTTP/1.1\r\nContent-Length: ${latin.length}\r\n\r\n${latin}`;
  const chunks = `5\r\n${latin.slice(0, 5)}\r\n${(latin.length - 5).toString(16)}\r\n${
    latin.slice(5)
  }\r\n0\r\n\r\n`;
  const chunked = `POST /responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
  for (const text of [sized, chunked]) {
    for (let end = 0; end < text.length; end++) assert.equal(parseRequest(text.slice(0, end)), undefined);
    assert.deepEqual(parseRequest(text)?.body, { model: "ok ü" });
  }
  assert.equal(parseRequest("GET / HTTP/1.1\r\n\r\n")?.body, undefined);
});
