/** Streams of server tools for minutes on one gateway: what it holds afterwards, beside what it held before. */

import { benchSettings, gatewayLoopStream } from "./gateway.ts";
import { freePort } from "../support/free_port.ts";
import { Inspector } from "./inspector.ts";
import { countHandles, rssBytes, startGateway, startServer } from "./process.ts";

export interface SoakPlan {
  /** Streams at the same time, each of which asks again when it has ended. */
  readonly streams: number;
  /** Turns of each that call tools, and calls in each of them. */
  readonly steps: number;
  readonly atOnce: number;
  /** Milliseconds of the same load before the first look, and between both. */
  readonly warmMs: number;
  readonly durationMs: number;
}

/** Memory and handles that the gateway holds once it is idle and its garbage is collected. */
export interface Holdings {
  readonly rssMib: number;
  readonly heapMib: number;
  /** Open files and connections. */
  readonly handles: number;
}

export interface SoakReport {
  readonly streams: number;
  readonly seconds: number;
  /** Streams that came to their end in that time. */
  readonly ended: number;
  readonly before: Holdings;
  readonly after: Holdings;
  /** The highest resident memory meanwhile, beyond that before. */
  readonly growthMib: number;
  readonly failures: number;
}

const MIB = 1024 * 1024;
/** Milliseconds between two looks at the resident memory, and until what has ended is let go of. */
const LOOK_MS = 200;
const REST_MS = 1_000;
/** The same until unused connections to the upstream are closed: how many there are is chance. */
const UNUSED_MS = 5_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Driven {
  readonly ended: number;
  readonly failures: number;
}

/** Asks for one stream after another until the time is over, and waits for the last one's end. */
async function driveStream(
  port: number,
  { plan, until }: { plan: SoakPlan; until: number },
): Promise<Driven> {
  const { path, headers, body } = gatewayLoopStream(port, plan);
  let [ended, failures] = [0, 0];
  while (performance.now() < until) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    let tail = "";
    for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      tail = (tail + text).slice(-4_096);
    }
    if (answer.ok && tail.includes("[DONE]") && !tail.includes('"status":"failed"')) ended++;
    else failures++;
  }
  return { ended, failures };
}

async function drive(port: number, { plan, ms }: { plan: SoakPlan; ms: number }): Promise<Driven> {
  const until = performance.now() + ms;
  const all = await Promise.all(
    Array.from({ length: plan.streams }, () => driveStream(port, { plan, until })),
  );
  return {
    ended: all.reduce((sum, { ended }) => sum + ended, 0),
    failures: all.reduce((sum, { failures }) => sum + failures, 0),
  };
}

export async function holdingsOf(pid: number, inspector: Inspector): Promise<Holdings> {
  await pause(REST_MS);
  const heapMib = await inspector.heapBytes() / MIB;
  await pause(UNUSED_MS);
  return { rssMib: await rssBytes(pid) / MIB, heapMib, handles: await countHandles(pid) };
}

/** The highest resident memory while something is done, in MiB. */
export async function highestRss<T>(pid: number, work: () => Promise<T>): Promise<readonly [T, number]> {
  let highest = 0;
  let isRunning = true;
  const watched = (async () => {
    while (isRunning) {
      highest = Math.max(highest, await rssBytes(pid) / MIB);
      await pause(LOOK_MS);
    }
  })();
  try {
    return [await work(), highest];
  } finally {
    isRunning = false;
    await watched;
  }
}

export async function measureSoak(plan: SoakPlan): Promise<SoakReport> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-soak-" });
  const upstream = await startServer("upstream.ts");
  try {
    const inspect = freePort();
    const gateway = await startGateway(await benchSettings(upstream.port, folder), { inspect });
    try {
      const inspector = await Inspector.connect(inspect);
      const { pid, port } = gateway;
      await drive(port, { plan, ms: plan.warmMs });
      const before = await holdingsOf(pid, inspector);
      const [{ ended, failures }, highest] = await highestRss(
        pid,
        () => drive(port, { plan, ms: plan.durationMs }),
      );
      const after = await holdingsOf(pid, inspector);
      inspector.close();
      const { streams, durationMs } = plan;
      const growthMib = highest - before.rssMib;
      return { streams, seconds: durationMs / 1_000, ended, before, after, growthMib, failures };
    } finally {
      await gateway.stop();
    }
  } finally {
    await upstream.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
