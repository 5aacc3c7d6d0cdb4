/**
 * The load generator: `deno run load.ts <job as JSON>` keeps raw keep-alive connections busy, one request at a
 * time on each, and prints the result as JSON. A process of its own, so that it never shares a core's time
 * slice with what it measures.
 */

import { HttpReader, type Post, renderPost, statusOf, writeAll } from "./http.ts";
import {
  ALL_OPEN,
  job,
  type RequestsJob,
  type RequestsResult,
  type StreamsJob,
  type StreamsResult,
  type Target,
} from "./job.ts";
import { keyText, nobodysKey } from "./bench_keys.ts";
import { longBody } from "./long_prompt.ts";
import { markerIn, sharedNow } from "./marker.ts";
import { percentile, sorted } from "./stats.ts";

async function connect({ port }: Target): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  conn.setNoDelay(true);
  return conn;
}

function bytesOf({ port, path, headers, body }: Target): Uint8Array {
  const post: Post = { host: `127.0.0.1:${port}`, path, headers, body };
  return renderPost(post);
}

function targetOf(job: RequestsJob): Target {
  if (job.tokens === undefined) return job;
  const { model } = JSON.parse(job.body);
  return { ...job, body: longBody(String(model), job.tokens) };
}

const orNull = (value: number) => Number.isNaN(value) ? null : value;

/** Counts of one or all connections since the warm-up ended. */
interface Tally {
  readonly latencies: number[];
  failures: number;
}

/** Makes each next request: the same bytes, or the same question with another key. */
function requestsOf(job: RequestsJob): () => Uint8Array {
  const target = targetOf(job);
  const { keys } = job;
  if (keys === undefined) {
    const bytes = bytesOf(target);
    return () => bytes;
  }
  const texts = keys.type === "made" ? Array.from({ length: keys.count }, (_, at) => keyText(at)) : undefined;
  let requested = 0;
  return () => {
    const key = texts === undefined ? nobodysKey() : texts[requested++ % texts.length];
    return bytesOf({ ...target, headers: { ...target.headers, authorization: `Bearer ${key}` } });
  };
}

interface Busy {
  readonly tally: Tally;
  readonly next: () => Uint8Array;
  /** Monotonic ms. */
  readonly from: number;
  readonly until: number;
}

/** One connection's life: ask, read to the end, ask again. */
async function busy(job: RequestsJob, { tally, next, from, until }: Busy) {
  const { status = 200 } = job;
  const conn = await connect(job);
  const reader = new HttpReader(conn);
  for (let requested = performance.now(); requested < until;) {
    await writeAll(conn, next());
    const head = await reader.head();
    if (head === undefined) throw new Error("The server closed a connection that was in use");
    for await (const _ of reader.chunks(head)) { /* read to the end */ }
    const now = performance.now();
    if (now >= from) tally.latencies.push(now - requested);
    if (statusOf(head) !== status) tally.failures++;
    if (job.pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, job.pauseMs));
    requested = performance.now();
  }
  conn.close();
}

async function requests(job: RequestsJob): Promise<RequestsResult> {
  const tally: Tally = { latencies: [], failures: 0 };
  const from = performance.now() + job.warmupMs;
  const until = from + job.durationMs;
  const next = requestsOf(job);
  await Promise.all(Array.from({ length: job.connections }, () => busy(job, { tally, next, from, until })));
  const all = sorted(tally.latencies);
  return {
    requests: all.length,
    failures: tally.failures,
    perSecond: all.length / (job.durationMs / 1000),
    p50: orNull(percentile(all, 0.5)),
    p99: orNull(percentile(all, 0.99)),
  };
}

interface Delta {
  readonly readAt: number;
  readonly late: number;
  /** Since the stream's delta before it; NaN for the first. */
  readonly gap: number;
}

/** Events that all streams together have seen. */
class Watch {
  readonly deltas: Delta[] = [];
  lost = 0;
  failures = 0;
  openedAt = Infinity;
  firstEndAt = Infinity;
  #opened = 0;
  readonly #streams: number;

  constructor(streams: number) {
    this.#streams = streams;
  }

  opened(): void {
    this.#opened++;
    if (this.#opened < this.#streams) return;
    this.openedAt = sharedNow();
    console.log(ALL_OPEN);
  }

  /** A figure in order of size, of the deltas read in a stretch of time. */
  figures(figure: "late" | "gap", [from, until]: readonly [number, number]): number[] {
    const within = this.deltas.filter(({ readAt }) => readAt >= from && readAt < until);
    return sorted(within.map((delta) => delta[figure]).filter((value) => !Number.isNaN(value)));
  }
}

/** Reads frames out of an answer's chunks, whatever chunks they come in. */
async function* framesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const chunk of chunks) {
    held += chunk;
    let start = 0;
    for (let end = held.indexOf("\n\n"); end !== -1; end = held.indexOf("\n\n", start)) {
      yield held.slice(start, end);
      start = end + 2;
    }
    held = held.slice(start);
  }
}

async function readStream(
  reader: HttpReader,
  { head, watch, deltas }: { head: string; watch: Watch; deltas: number },
) {
  let next = 0;
  let last = "";
  let before = NaN;
  for await (const frame of framesOf(reader.chunks(head))) {
    last = frame;
    const marker = markerIn(frame);
    if (marker === undefined) continue;
    const readAt = sharedNow();
    watch.deltas.push({ readAt, late: readAt - marker.at, gap: readAt - before });
    before = readAt;
    if (next === 0) watch.opened();
    if (marker.index !== next) watch.lost++;
    next = marker.index + 1;
  }
  watch.firstEndAt = Math.min(watch.firstEndAt, sharedNow());
  watch.lost += Math.max(0, deltas - next);
  if (!last.endsWith("data: [DONE]") || statusOf(head) !== 200) watch.failures++;
}

async function oneStream(job: StreamsJob, watch: Watch): Promise<void> {
  const conn = await connect(job);
  await writeAll(conn, bytesOf(job));
  const reader = new HttpReader(conn);
  const head = await reader.head();
  if (head === undefined) watch.failures++;
  else await readStream(reader, { head, watch, deltas: job.deltas });
  conn.close();
}

async function streams(job: StreamsJob): Promise<StreamsResult> {
  const watch = new Watch(job.streams);
  const opening = Array.from({ length: job.streams }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, job.openMs * index / job.streams));
    await oneStream(job, watch);
  });
  await Promise.all(opening);
  const open = [watch.openedAt, watch.firstEndAt] as const;
  const late = watch.figures("late", open);
  return {
    deltas: watch.deltas.length,
    lost: watch.lost,
    failures: watch.failures,
    p50: orNull(percentile(late, 0.5)),
    p99: orNull(percentile(late, 0.99)),
    p99Whole: orNull(percentile(watch.figures("late", [0, Infinity]), 0.99)),
    gapP99: orNull(percentile(watch.figures("gap", open), 0.99)),
  };
}

if (import.meta.main) {
  const wanted = job.parse(JSON.parse(Deno.args[0] ?? "null"));
  const result = wanted.kind === "requests" ? await requests(wanted) : await streams(wanted);
  console.log(JSON.stringify(result));
}
