import assert from "node:assert/strict";
import { aimsOf } from "./aims.ts";
import { plainQuestion, plainStream } from "./gateway.ts";
import { HttpReader } from "./http.ts";
import { requestsResult, streamsResult } from "./job.ts";
import { markerIn, markerOf, promptOf, wishIn } from "./marker.ts";
import { cpuMs, load, rssBytes, startServer } from "./process.ts";
import { reportText } from "./report.ts";
import { paired, percentile, sorted, spread } from "./stats.ts";

Deno.test("spread and percentile order what they are given", () => {
  assert.deepEqual(spread([3, 1, 2]), { min: 1, median: 2, max: 3 });
  assert.deepEqual(spread([4, 1, 2, 3]), { min: 1, median: 2.5, max: 4 });
  assert.deepEqual(spread([NaN, 7]), { min: 7, median: 7, max: 7 });
  assert.ok(Number.isNaN(spread([]).median));
  const hundred = sorted(Array.from({ length: 100 }, (_, index) => 100 - index));
  assert.equal(percentile(hundred, 0.5), 50);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile([5], 0.99), 5);
});

Deno.test("paired compares pair by pair, not median by median", () => {
  assert.deepEqual(paired([1, 9], [2, 3], { combine: (a, b) => a / b }), { min: 0.5, median: 1.75, max: 3 });
});

Deno.test("a marker survives the frames of both wires and no others", () => {
  const word = markerOf(7);
  const chat = JSON.stringify({ object: "chat.completion.chunk", choices: [{ delta: { content: word } }] });
  const responses = JSON.stringify({ type: "response.output_text.delta", delta: word });
  const done = JSON.stringify({ type: "response.output_text.done", text: word });
  assert.equal(markerIn(`data: ${chat}`)?.index, 7);
  assert.equal(markerIn(`data: ${responses}`)?.index, 7);
  assert.ok(Math.abs((markerIn(`data: ${responses}`)?.at ?? 0) - Date.now()) < 1000);
  assert.equal(markerIn(`data: ${done}`), undefined);
  assert.deepEqual(wishIn(promptOf({ deltas: 5, everyMs: 20 })), { deltas: 5, everyMs: 20 });
});

/** A connection that brings its bytes in the given pieces. */
async function withReader(pieces: readonly string[], use: (reader: HttpReader) => Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sent = (async () => {
    const conn = await listener.accept();
    for (const piece of pieces) {
      await conn.write(new TextEncoder().encode(piece));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    conn.close();
  })();
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  await use(new HttpReader(conn));
  await sent;
  conn.close();
  listener.close();
}

Deno.test("HttpReader reads answers whatever pieces they come in", async () => {
  const text =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n" +
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbye";
  for (const size of [1, 7, 1000]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    await withReader(pieces, async (reader) => {
      for (const expected of ["hello, world", "bye"]) {
        let body = "";
        for await (const piece of reader.pieces(await reader.head() ?? "")) body += piece;
        assert.equal(body, expected, `in pieces of ${size}`);
      }
      assert.equal(await reader.head(), undefined);
    });
  }
});

Deno.test("the load generator measures the upstream and the bare proxy", async () => {
  const upstream = await startServer("upstream.ts");
  const bare = await startServer("bare.ts", [`http://127.0.0.1:${upstream.port}`]);
  try {
    const asked = {
      kind: "requests",
      ...plainQuestion(bare.port),
      connections: 2,
      warmupMs: 20,
      durationMs: 100,
    };
    const requests = requestsResult.parse(await load(asked));
    assert.ok(requests.requests > 0 && requests.failures === 0);
    const wish = { deltas: 5, everyMs: 10 };
    let open = 0;
    const read = { kind: "streams", ...plainStream(bare.port, wish), ...wish, streams: 3, openMs: 5 };
    const streams = streamsResult.parse(await load(read, () => open++));
    assert.deepEqual([streams.deltas, streams.lost, streams.failures, open], [15, 0, 0, 1]);
    assert.ok(!(await cpuMs(bare.pid) < 0) && !(await rssBytes(bare.pid) < 0));
  } finally {
    await bare.stop();
    await upstream.stop();
  }
});

const nothing = {
  at: "",
  deno: "2.9",
  cores: 2,
  quick: true,
  requests: [],
  streams: [],
  translate: spread([]),
};

Deno.test("reportText leaves out what was not measured", () => {
  const measured = { ...nothing, translateWires: { chat: spread([123456]) } };
  const text = reportText({ ...measured, aims: aimsOf(measured) });
  assert.match(text, /chat → Responses +123,456/);
  assert.match(text, /translated deltas.* ≥ 100000 +123,456 +met/);
  assert.doesNotMatch(text, /whole answers|streams|tokens|routing/);
});

Deno.test("aimsOf tells a missed aim", () => {
  const beside = {
    name: "small streams beside prompts",
    streams: 50,
    everyMs: 20,
    tokens: 100_000,
    prompts: spread([9]),
    gapP99: spread([51]),
    lost: 0,
    failures: 0,
  };
  const missed = aimsOf({
    ...nothing,
    translateWires: { gemini: spread([99_999]) },
    prompt: { messages: spread([10.1]) },
    beside: [beside, { ...beside, tokens: 0 }],
  }).filter(({ met }) => !met);
  assert.deepEqual(missed.map(({ what }) => what), [
    "50 small streams beside prompts: gap p99, ms",
    "gemini: translated deltas/s on one core",
    "messages: 100,000 tokens read and rendered, ms",
  ]);
});
