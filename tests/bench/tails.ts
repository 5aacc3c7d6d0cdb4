/**
 * Two tails of receipts and a search for a text beside requests at a steady rate: what the tails tell of and count
 * beside what was asked, what the gateway holds before and after, and how soon readers that left are gone.
 */

import { benchSettings, gatewayQuestion, managed, MANAGEMENT_KEY } from "./gateway.ts";
import { freePort } from "../support/free_port.ts";
import { Inspector } from "./inspector.ts";
import { startGateway, startServer } from "./process.ts";
import { highestRss, type Holdings, holdingsOf } from "./soak.ts";
import { percentile, sorted } from "./stats.ts";

export interface TailsPlan {
  readonly perSecond: number;
  /** Milliseconds of the same load before the first look, and between both. */
  readonly warmMs: number;
  readonly durationMs: number;
}

export interface TailsReport {
  readonly perSecond: number;
  readonly seconds: number;
  /** Requests that were asked and answered. */
  readonly answered: number;
  /** One for each tail. */
  readonly tails: readonly TailCount[];
  readonly searches: number;
  /** Milliseconds from the end of an answer until a tail tells of it; p99. */
  readonly toldP99: number;
  readonly before: Holdings;
  readonly after: Holdings;
  /** The highest resident memory meanwhile, beyond that before. */
  readonly growthMib: number;
  /** Milliseconds from the leaving of as many readers as may be until as many others are let in. */
  readonly goneMs: number;
  readonly failures: number;
}

export interface TailCount {
  readonly told: number;
  readonly leftOut: number;
  /** Requests that it neither told of nor counted. */
  readonly lost: number;
}

/** Readers at a time that the gateway lets in. */
const MOST_READERS = 20;
/** Until the last receipt is told of, and what was left out of its second is counted. */
const SETTLE_MS = 2_500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Tail {
  /** When each was told of, monotonic ms, by the receipt's id. */
  readonly told: Map<string, number>;
  readonly leftOut: () => number;
  readonly leave: () => Promise<void>;
}

function tailRequest(port: number, query: string, signal: AbortSignal): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/receipts/tail${query}`, {
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    signal,
  });
}

/** Throws where the gateway lets nobody in. */
async function follow(port: number, query: string): Promise<Tail> {
  const leaving = new AbortController();
  const answer = await tailRequest(port, query, leaving.signal);
  if (answer.body === null || !answer.ok) throw new Error(`Cannot follow receipts: ${answer.status}`);
  const told = new Map<string, number>();
  let leftOut = 0;
  const take = (frame: string) => {
    const [, event, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
    if (event === "receipt") told.set(String(JSON.parse(data).id), performance.now());
    if (event === "left_out") leftOut += Number(JSON.parse(data).count);
  };
  const reading = (async () => {
    let held = "";
    for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const frames = (held + text).split("\n\n");
      held = frames.pop() ?? "";
      frames.forEach(take);
    }
  })().catch(() => {/* it is left */});
  return {
    told,
    leftOut: () => leftOut,
    leave: async () => {
      leaving.abort();
      await reading;
    },
  };
}

interface Sent {
  /** When each answer had come whole, monotonic ms, by the receipt's id. */
  readonly answered: Map<string, number>;
  failures: number;
}

/** Asks at a steady rate, however long answers take, and waits for the last one's end. */
async function askSteadily(
  port: number,
  { perSecond, ms, into }: { perSecond: number; ms: number; into: Sent },
): Promise<void> {
  const { path, headers, body } = gatewayQuestion(port, "chat");
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    await answer.arrayBuffer();
    if (!answer.ok) return void into.failures++;
    into.answered.set(answer.headers.get("x-generation-id") ?? "", performance.now());
  };
  const from = performance.now();
  const all: Promise<unknown>[] = [];
  for (let at = 0; at < perSecond * ms / 1_000; at++) {
    const wait = from + at * 1_000 / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    all.push(ask());
  }
  await Promise.all(all);
}

/** Looks for what no receipt has, again and again, until `isOver`. */
async function search(port: number, isOver: () => boolean): Promise<number> {
  let searches = 0;
  for (; !isOver(); searches++) {
    await managed(port, { method: "GET", path: "/receipts?q=nothing-has-this", body: undefined });
  }
  return searches;
}

async function load(port: number, { perSecond, ms }: { perSecond: number; ms: number }) {
  const into: Sent = { answered: new Map(), failures: 0 };
  const tails = await Promise.all(["", "?q=bench"].map((query) => follow(port, query)));
  let isOver = false;
  const searching = search(port, () => isOver);
  await askSteadily(port, { perSecond, ms, into });
  isOver = true;
  const searches = await searching;
  await pause(SETTLE_MS);
  const counts = tails.map(({ told, leftOut }) => ({
    told: told.size,
    leftOut: leftOut(),
    lost: into.answered.size - told.size - leftOut(),
  }));
  const late = tails.flatMap(({ told }) =>
    [...told].map(([id, at]) => Math.max(0, at - (into.answered.get(id) ?? NaN)))
  );
  for (const tail of tails) await tail.leave();
  const { answered, failures } = into;
  return {
    counts,
    searches,
    answered: answered.size,
    toldP99: percentile(sorted(late.filter((ms) => !Number.isNaN(ms))), 0.99),
    failures,
  };
}

/** Lets as many read as may, has them leave without a word, and asks until as many others are let in. */
async function timeToLeave(port: number): Promise<number> {
  const first = await Promise.all(Array.from({ length: MOST_READERS }, () => follow(port, "")));
  const from = performance.now();
  for (const tail of first) await tail.leave();
  const others: AbortController[] = [];
  while (others.length < MOST_READERS) {
    const leaving = new AbortController();
    const answer = await tailRequest(port, "", leaving.signal);
    if (answer.ok) others.push(leaving);
    else await answer.body?.cancel();
  }
  const ms = performance.now() - from;
  for (const leaving of others) leaving.abort();
  return ms;
}

export async function measureTails(plan: TailsPlan): Promise<TailsReport> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-tails-" });
  const upstream = await startServer("upstream.ts");
  try {
    const inspect = freePort();
    const { pid, port, stop } = await startGateway(await benchSettings(upstream.port, folder), { inspect });
    try {
      const inspector = await Inspector.connect(inspect);
      const { perSecond, warmMs, durationMs } = plan;
      await load(port, { perSecond, ms: warmMs });
      const before = await holdingsOf(pid, inspector);
      const [{ counts: tails, ...requested }, highest] = await highestRss(
        pid,
        () => load(port, { perSecond, ms: durationMs }),
      );
      const after = await holdingsOf(pid, inspector);
      const goneMs = await timeToLeave(port);
      inspector.close();
      const growthMib = highest - before.rssMib;
      return {
        perSecond,
        seconds: durationMs / 1_000,
        tails,
        ...requested,
        before,
        after,
        growthMib,
        goneMs,
      };
    } finally {
      await stop();
    }
  } finally {
    await upstream.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
