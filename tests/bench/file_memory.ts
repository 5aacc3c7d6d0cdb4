/** How much resident memory eight transfers at once add to a gateway that has made one of each before. */

import { download, type GatewayPlace, MIB, upload } from "./file_servers.ts";
import { benchGateway } from "./gateway.ts";
import type { FilesResult } from "./job.ts";
import { rssBytes, type Server } from "./process.ts";
import { type Spread, spread } from "./stats.ts";

export interface FileMemoryPlan {
  readonly count: number;
  /** Size of each upload, in MiB. */
  readonly mib: number;
  /** Number of slow readers; the others read as fast as they can. */
  readonly slow: number;
  readonly slowMibPerSecond: number;
  /** Gateways that are started for each row: memory once grown hides what the next transfers need. */
  readonly processes: number;
}

/** The file that the gateway in this place has. */
export interface StoredFile {
  readonly id: string;
  readonly mib: number;
}

/** One row of the table, in MiB. */
export interface FileMemoryRow {
  readonly name: string;
  readonly count: number;
  readonly mib: number;
  /** Resident memory right before. */
  readonly before: Spread;
  /** The highest resident memory meanwhile, beyond that. */
  readonly growth: Spread;
  readonly failures: number;
}

interface Grown {
  readonly before: number;
  readonly growth: number;
  readonly failures: number;
}

/** Milliseconds between two looks at a process's memory. */
const LOOK_MS = 30;

async function grownBy({ pid }: Server, transfers: () => Promise<FilesResult>): Promise<Grown> {
  const before = await rssBytes(pid);
  let highest = before;
  let isRunning = true;
  const watched = (async () => {
    while (isRunning) {
      highest = Math.max(highest, await rssBytes(pid));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  try {
    const { failures } = await transfers();
    return { before: before / MIB, growth: (highest - before) / MIB, failures };
  } finally {
    isRunning = false;
    await watched;
  }
}

interface Memory {
  readonly place: GatewayPlace;
  readonly file: StoredFile;
}

type Transfers = (server: Server, input: { plan: FileMemoryPlan; file: StoredFile }) => Promise<FilesResult>;

const uploadsOf = (content: "text" | "binary"): Transfers => (server, { plan: { count, mib } }) =>
  upload(server, { count, bytes: mib * MIB, content });

function downloads(server: Server, { plan, file }: { plan: FileMemoryPlan; file: StoredFile }) {
  const { count, slow, slowMibPerSecond } = plan;
  const bytesPerSecond = slowMibPerSecond * MIB;
  return download(server, { count, slow, bytesPerSecond, id: file.id, bytes: file.mib * MIB });
}

const kinds: Readonly<Record<string, Transfers>> = {
  "uploads, text": uploadsOf("text"),
  "uploads, binary": uploadsOf("binary"),
  "downloads": downloads,
};

/** On a gateway of its own. */
async function once(transfers: Transfers, { place, file }: Memory, plan: FileMemoryPlan): Promise<Grown> {
  const gateway = await benchGateway(place.upstream, place.folder);
  try {
    const bytes = file.mib * MIB;
    await upload(gateway, { count: 1, bytes, content: "text" });
    await download(gateway, { count: 1, slow: 0, bytes, id: file.id });
    return await grownBy(gateway, () => transfers(gateway, { plan, file }));
  } finally {
    await gateway.stop();
  }
}

export async function measureFileMemory(memory: Memory, plan: FileMemoryPlan): Promise<FileMemoryRow[]> {
  const rows: FileMemoryRow[] = [];
  for (const [name, transfers] of Object.entries(kinds)) {
    const runs: Grown[] = [];
    for (let left = plan.processes; left > 0; left--) runs.push(await once(transfers, memory, plan));
    rows.push({
      name,
      count: plan.count,
      mib: transfers === downloads ? memory.file.mib : plan.mib,
      before: spread(runs.map(({ before }) => before)),
      growth: spread(runs.map(({ growth }) => growth)),
      failures: runs.reduce((sum, { failures }) => sum + failures, 0),
    });
  }
  return rows;
}
