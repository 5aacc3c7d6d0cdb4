import assert from "node:assert/strict";
import { KeyCache } from "../../server/management/keys/key_cache.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { fakeClock, settle } from "../support/clock.ts";
import { aimsOf } from "./aims.ts";
import { keyText, nobodysKey } from "./bench_keys.ts";
import { plainQuestion, plainStream } from "./gateway.ts";
import { HttpReader } from "./http.ts";
import { commitsResult, fillResult, requestsResult, streamsResult } from "./job.ts";
import { markerIn, markerOf, preferenceIn, promptOf, sharedNow } from "./marker.ts";
import { countHandles, cpuMs, load, rssBytes, runScript, startServer } from "./process.ts";
import { freePort } from "../support/free_port.ts";
import { Inspector } from "./inspector.ts";
import { runAtOnce } from "./works_at_once.ts";
import { reportText } from "./report.ts";
import { soakAims, soakText } from "./report_soak.ts";
import { tailsAims, tailsText } from "./report_tails.ts";
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

/** Works that say when they begin and end; each ends when `end` names it, and one of them fails. */
function worksByName() {
  const said: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    said.push(`${name} begins`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    said.push(`${name} ends`);
    if (name === "broken") throw new Error("It is broken");
    return name.length;
  };
  const works = { one: work("one"), two: work("two"), broken: work("broken"), last: work("last") };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { works, said, end };
}

Deno.test("runAtOnce begins works in their order, so many at a time", async () => {
  const { works: { one, two, last }, said, end } = worksByName();
  const all = runAtOnce({ one, two, last }, 2);
  await end("two");
  assert.deepEqual(said, ["one begins", "two begins", "two ends", "last begins"]);
  await end("one");
  await end("last");
  assert.deepEqual(await all, { one: 3, two: 3, last: 4 });
});

Deno.test("runAtOnce throws a failure once all that had begun has ended, and begins no other", async () => {
  const { works: { broken, two, last }, said, end } = worksByName();
  let isOver = false;
  const all = assert.rejects(runAtOnce({ broken, two, last }, 2), { message: "It is broken" });
  all.then(() => isOver = true);
  await end("broken");
  assert.equal(isOver, false);
  await end("two");
  await all;
  assert.deepEqual(said, ["broken begins", "two begins", "broken ends", "two ends"]);
});

Deno.test("paired compares pair by pair, not median by median", () => {
  assert.deepEqual(paired([1, 9], [2, 3], { combine: (a, b) => a / b }), { min: 0.5, median: 1.75, max: 3 });
});

Deno.test("a marker survives the frames of both wires and no others", () => {
  const before = sharedNow();
  const word = markerOf(7);
  const chat = JSON.stringify({ object: "chat.completion.chunk", choices: [{ delta: { content: word } }] });
  const responses = JSON.stringify({ type: "response.output_text.delta", delta: word });
  const done = JSON.stringify({ type: "response.output_text.done", text: word });
  assert.equal(markerIn(`data: ${chat}`)?.index, 7);
  assert.equal(markerIn(`data: ${responses}`)?.index, 7);
  const { at = 0 } = markerIn(`data: ${responses}`) ?? {};
  // It is written to the microsecond.
  assert.ok(at >= before - 0.001 && at <= sharedNow() + 0.001, `${at}`);
  assert.equal(markerIn(`data: ${done}`), undefined);
  assert.deepEqual(preferenceIn(promptOf({ deltas: 5, everyMs: 20 })), { deltas: 5, everyMs: 20 });
});

/** A connection that brings its bytes in the given chunks. */
async function withReader(chunks: readonly string[], use: (reader: HttpReader) => Promise<void>) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sent = (async () => {
    const conn = await listener.accept();
    for (const chunk of chunks) {
      await conn.write(new TextEncoder().encode(chunk));
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
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    await withReader(chunks, async (reader) => {
      for (const expected of ["hello, world", "bye"]) {
        let body = "";
        for await (const chunk of reader.chunks(await reader.head() ?? "")) body += chunk;
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
    const requested = {
      kind: "requests",
      ...plainQuestion(bare.port),
      connections: 2,
      warmupMs: 20,
      durationMs: 100,
    };
    const requests = requestsResult.parse(await load(requested));
    assert.ok(requests.requests > 0 && requests.failures === 0);
    const preference = { deltas: 5, everyMs: 10 };
    let open = 0;
    const read = {
      kind: "streams",
      ...plainStream(bare.port, preference),
      ...preference,
      streams: 3,
      openMs: 5,
    };
    const streams = streamsResult.parse(await load(read, () => open++));
    assert.deepEqual([streams.deltas, streams.lost, streams.failures, open], [15, 0, 0, 1]);
    assert.ok(!(await cpuMs(bare.pid) < 0) && !(await rssBytes(bare.pid) < 0));
  } finally {
    await bare.stop();
    await upstream.stop();
  }
});

Deno.test("the load generator asks with many keys, and with nobody's", async () => {
  const seen: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const key = request.headers.get("authorization") ?? "";
    seen.push(key);
    return new Response("", { status: key === `Bearer ${keyText(0)}` ? 200 : 401 });
  });
  const job = { kind: "requests", ...plainQuestion(server.addr.port), connections: 1, warmupMs: 0 };
  /** For as long as this machine needs for three requests. */
  const loaded = async (more: object) => {
    for (let durationMs = 60;; durationMs *= 4) {
      seen.length = 0;
      const result = requestsResult.parse(await load({ ...job, ...more, durationMs }));
      if (result.requests >= 3) return result;
    }
  };
  const made = await loaded({ keys: { type: "made", count: 2 } });
  assert.deepEqual(seen.slice(0, 3), [keyText(0), keyText(1), keyText(0)].map((key) => `Bearer ${key}`));
  assert.equal(made.failures, Math.floor(made.requests / 2));
  const bad = await loaded({ keys: { type: "nobody" }, status: 401 });
  assert.equal(bad.failures, 0);
  assert.equal(new Set(seen).size, seen.length);
  assert.equal(seen[0]?.length, `Bearer ${keyText(0)}`.length);
  await server.shutdown();
});

Deno.test("fill_keys makes keys that the gateway finds", async () => {
  const folder = await Deno.makeTempDir();
  const made = fillResult.parse(await runScript("fill_keys.ts", [folder, "700", "30"]));
  assert.equal(made.keys, 700);
  const clock = fakeClock();
  const store = await openEmbedded(folder, { runtime: { clock, randomToken: () => "bench" } });
  const keyCache = new KeyCache({ store, clock });
  for (const at of [0, 350, 699]) assert.equal((await keyCache.find(keyText(at)))?.kind, "api");
  assert.equal(await keyCache.find(keyText(700)), undefined);
  assert.equal(await keyCache.find(nobodysKey()), undefined);
  await store.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("commits measures every form and moment", async () => {
  const { forms, moments } = commitsResult.parse(await runScript("commits.ts", ["5", "1"]));
  assert.deepEqual([forms.length, moments.length], [27, 4]);
  for (const { p50, p99, cpuUs, perSecond } of [...forms, ...moments]) {
    assert.ok(p50 > 0 && p99 >= p50 && cpuUs > 0 && perSecond > 0);
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

const few = {
  name: "few keys",
  stored: 10,
  used: 10,
  fillSeconds: 0.1,
  startMs: spread([300]),
  perSecond: spread([1000]),
  ratio: spread([1]),
  cpuRatio: spread([1]),
  failures: 0,
};
const flood = {
  connections: 50,
  good: spread([1000]),
  bad: spread([3500]),
  ratio: spread([3.5]),
  cpuRatio: spread([0.3]),
  streams: 20,
  everyMs: 20,
  gapAlone: spread([21]),
  gapBeside: spread([45]),
  gapRatio: spread([45 / 21]),
  beside: spread([3000]),
  lost: 0,
  failures: 0,
};
const books = {
  ...nothing,
  keys: [
    few,
    {
      ...few,
      name: "many keys, few in use",
      stored: 1_000_000,
      ratio: spread([0.9]),
      startMs: spread([900]),
    },
    { ...few, name: "many keys, many in use", stored: 1_000_000, used: 10_000, ratio: spread([0.5]) },
  ],
  flood,
  commits: {
    forms: ["a row a receipt", "a block a group"].map((name, at) => ({
      name,
      group: 35,
      p50: 1,
      p99: 2,
      cpuUs: 10 - 5 * at,
      perSecond: 1000,
    })),
    moments: [],
  },
};

Deno.test("aimsOf holds keys, floods and commits against their aims", () => {
  const results = aimsOf(books).map(({ what, met }) => [what, met]);
  assert.deepEqual(results, [
    ["groups of 35: CPU of a block, × a row a receipt", true],
    ["1,000,000 keys stored: requests/s, × 10 keys", false],
    ["1,000,000 keys stored: start, ms", true],
    ["1,000,000 keys stored, 10,000 in use: requests/s, × 10 keys", false],
    ["bad keys: requests/s, × good keys", true],
    ["streams beside bad keys: gap p99, × alone", false],
    ["streams beside bad keys: lost frames", true],
  ]);
});

Deno.test("reportText has a table for each part of the books", () => {
  const text = reportText({ ...books, aims: [] });
  assert.match(text, /many keys, few in use +1,000,000 +10 /);
  assert.match(text, /a block a group +35 +1.00 +2.00 +5.00 +1,000/);
  assert.match(text, /in turn +50 +1,000 +3,500 +3.50 +0.30/);
  assert.match(text, /beside streams +20 +20 ms/);
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

Deno.test("the soak has a row for each figure, and an aim", () => {
  const before = { rssMib: 200, heapMib: 50, handles: 40 };
  const after = { rssMib: 190, heapMib: 60, handles: 40 };
  const soak = { streams: 4, seconds: 180, ended: 100, before, after, growthMib: 90, failures: 0 };
  const [text = ""] = soakText(soak);
  for (const part of ["RSS, MiB", "heap, MiB", "handles", "-5.00 %", "20.0 %", "90.0"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  assert.deepEqual(soakAims(soak).map(({ met }) => met), [true, false, true, true]);
  assert.deepEqual([soakText(undefined), soakAims(undefined)], [[], []]);
});

Deno.test("the tails have a row for each reader, and aims", () => {
  const held = { rssMib: 200, heapMib: 50, handles: 40 };
  const tails = [{ told: 1_500, leftOut: 4_500, lost: 0 }, { told: 1_400, leftOut: 4_500, lost: 100 }];
  const requested = { perSecond: 200, seconds: 30, answered: 6_000, searches: 300, failures: 0 };
  const figures = { before: held, after: held, growthMib: 20, goneMs: 40, toldP99: 5 };
  const report = { tails, ...requested, ...figures };
  const text = tailsText(report).join("\n");
  for (const part of [/tail 2 +200 +30.0 +6,000 +1,400 +4,500 +100 +0/, /that left are gone, ms +40.0/]) {
    assert.match(text, part);
  }
  assert.deepEqual(tailsAims(report).map(({ met }) => met), [false, true, true, true]);
  assert.deepEqual([tailsText(undefined), tailsAims(undefined)], [[], []]);
});

Deno.test("the inspector tells the heap of a process, and its handles are counted", async () => {
  const inspect = freePort();
  const args = ["run", `--inspect=127.0.0.1:${inspect}`, "-", "0"];
  const child = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode("console.log('up'); await new Promise((r) => setTimeout(r, 60_000));"),
  );
  await writer.close();
  const reader = child.stdout.getReader();
  try {
    await reader.read();
    const inspector = await Inspector.connect(inspect);
    const bytes = await inspector.heapBytes();
    inspector.close();
    assert.ok(bytes > 500_000 && bytes < 100_000_000, `${bytes}`);
    const handles = await countHandles(child.pid);
    assert.ok(handles > 3 || Number.isNaN(handles), `${handles}`);
  } finally {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
  }
});
