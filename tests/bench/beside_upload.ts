/** Requests and streams while one file is uploaded at a pace, to the same gateway or to the bare handler. */

import { type FileServers } from "./file_transfers.ts";
import { MIB, upload } from "./file_servers.ts";
import { gatewayQuestion, gatewayStream } from "./gateway.ts";
import { type FilesResult, requestsResult, streamsResult } from "./job.ts";
import type { Preference } from "./marker.ts";
import { load, type Server } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface BesideUploadPlan {
  readonly mibPerSecond: number;
  readonly heatMs: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  readonly streams: Preference & { readonly count: number; readonly openMs: number };
  readonly repetitions: number;
}

/** One row of the table. MiB and requests a second, milliseconds between a stream's deltas. */
export interface BesideUploadRow {
  readonly name: string;
  readonly mibPerSecond: Spread;
  readonly connections: number;
  readonly perSecond: Spread;
  /** Requests a second over those without an upload. */
  readonly ratio: Spread;
  readonly streams: number;
  readonly everyMs: number;
  readonly gapP99: Spread;
  /** The gap beyond twice that without an upload. */
  readonly gapBeyond: Spread;
  readonly lost: number;
  readonly failures: number;
}

/** Name of the row that the others are compared with. */
export const ALONE = "no upload";
export const BESIDE_UPLOAD = "upload to the gateway";

interface Run {
  readonly mibPerSecond: readonly number[];
  readonly perSecond: number;
  readonly gapP99: number;
  readonly lost: number;
  readonly failures: number;
}

interface Uploading {
  /** Undefined: nothing is uploaded. */
  readonly to: Server | undefined;
  readonly mibPerSecond: number;
  /** For so long. */
  readonly ms: number;
}

/** How long the load generator may take to begin, in milliseconds. */
const BEGIN_MS = 600;

/** Runs `use` while a file is uploaded. */
async function whileUploading<T>({ to, mibPerSecond, ms }: Uploading, use: () => Promise<T>) {
  if (to === undefined) return { used: await use(), uploaded: undefined };
  const opened = Promise.withResolvers<void>();
  const bytes = Math.ceil(mibPerSecond * (ms + BEGIN_MS) / 1000) * MIB;
  const job = { count: 1, bytes, content: "text", bytesPerSecond: mibPerSecond * MIB } as const;
  const uploading = upload(to, job, { onOpen: opened.resolve });
  await Promise.race([opened.promise, uploading]);
  const used = await use();
  return { used, uploaded: await uploading };
}

const rateOf = ({ bytes, ms }: FilesResult) => bytes / MIB * 1000 / ms;

async function runOnce(gateway: Server, to: Server | undefined, plan: BesideUploadPlan): Promise<Run> {
  const { connections, warmupMs, durationMs, mibPerSecond, streams: { count, ...streams } } = plan;
  const { port } = gateway;
  const requests = await whileUploading(
    { to, mibPerSecond, ms: warmupMs + durationMs },
    () => load({ kind: "requests", ...gatewayQuestion(port, "chat"), connections, warmupMs, durationMs }),
  );
  const ms = streams.openMs + streams.deltas * streams.everyMs;
  const streamed = await whileUploading(
    { to, mibPerSecond, ms },
    () => load({ kind: "streams", ...gatewayStream(port, streams), ...streams, streams: count }),
  );
  const requested = requestsResult.parse(requests.used);
  const read = streamsResult.parse(streamed.used);
  const uploads = [requests.uploaded, streamed.uploaded].filter((one) => one !== undefined);
  return {
    mibPerSecond: uploads.map(rateOf),
    perSecond: requested.perSecond,
    gapP99: read.gapP99 ?? NaN,
    lost: read.lost,
    failures: [requested, read, ...uploads].reduce((sum, { failures }) => sum + failures, 0),
  };
}

interface Candidate {
  readonly name: string;
  readonly to: Server | undefined;
  readonly runs: Run[];
}

function rowOf(
  { name, runs }: Candidate,
  { alone, plan }: { alone: readonly Run[]; plan: BesideUploadPlan },
) {
  const gap = ({ gapP99 }: Run) => gapP99;
  const rate = ({ perSecond }: Run) => perSecond;
  const against = (figure: (run: Run) => number, combine: (own: number, other: number) => number) =>
    paired(runs.map(figure), alone.map(figure), { combine });
  return {
    name,
    mibPerSecond: spread(runs.flatMap(({ mibPerSecond }) => mibPerSecond)),
    connections: plan.connections,
    perSecond: spread(runs.map(rate)),
    ratio: against(rate, (own, other) => own / other),
    streams: plan.streams.count,
    everyMs: plan.streams.everyMs,
    gapP99: spread(runs.map(gap)),
    gapBeyond: against(gap, (own, other) => own - 2 * other),
    lost: runs.reduce((sum, { lost }) => sum + lost, 0),
    failures: runs.reduce((sum, { failures }) => sum + failures, 0),
  } satisfies BesideUploadRow;
}

/** Without an upload, beside one to the bare handler (what the machine pays), and beside one to the gateway, in turn. */
export async function measureBesideUpload(
  { gateway: { server: gateway }, bare: { server: bare } }: FileServers,
  plan: BesideUploadPlan,
): Promise<BesideUploadRow[]> {
  const alone: Run[] = [];
  const candidates: readonly Candidate[] = [
    { name: ALONE, to: undefined, runs: alone },
    { name: "upload to the bare handler", to: bare, runs: [] },
    { name: BESIDE_UPLOAD, to: gateway, runs: [] },
  ];
  const { connections, heatMs, streams: { count, openMs, everyMs } } = plan;
  const question = gatewayQuestion(gateway.port, "chat");
  await load({ kind: "requests", ...question, connections, warmupMs: 0, durationMs: heatMs });
  const warmup = { deltas: 20, everyMs };
  await load({ kind: "streams", ...gatewayStream(gateway.port, warmup), deltas: 20, openMs, streams: count });
  for (let round = 0; round < plan.repetitions; round++) {
    for (const { to, runs } of candidates) runs.push(await runOnce(gateway, to, plan));
  }
  return candidates.map((candidate) => rowOf(candidate, { alone, plan }));
}
