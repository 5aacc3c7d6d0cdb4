/** One file at a time, up and down: bytes a second and processor time, the gateway beside a bare handler. */

import { download, MIB, upload } from "./file_servers.ts";
import type { FilesResult, UploadsJob } from "./job.ts";
import { cpuMs, type Server } from "./process.ts";
import { paired, type Spread, spread } from "./stats.ts";

export interface TransfersPlan {
  /** Size of the file, in MiB. */
  readonly mib: number;
  /** Transfers of each kind before any is measured. */
  readonly warmups: number;
  readonly repetitions: number;
}

/** A server, and the id of a file that it has. */
export interface FileServer {
  readonly server: Server;
  readonly id: string;
}

export interface FileServers {
  readonly bare: FileServer;
  readonly gateway: FileServer;
}

/** One row of the table. MiB a second, milliseconds of processor time a MiB. */
export interface TransfersRow {
  readonly name: string;
  readonly mib: number;
  readonly bare: Spread;
  readonly gateway: Spread;
  /** Bytes a second over the bare handler's. */
  readonly ratio: Spread;
  readonly bareCpuMs: Spread;
  readonly cpuMs: Spread;
  readonly cpuRatio: Spread;
  readonly failures: number;
}

interface Transfer {
  readonly mibPerSecond: number;
  readonly cpuMs: number;
  readonly failures: number;
}

type Transferred = (to: FileServer, bytes: number) => Promise<FilesResult>;

const uploadOf = (content: UploadsJob["content"]): Transferred => ({ server }, bytes) =>
  upload(server, { count: 1, bytes, content });

const kinds: Readonly<Record<string, Transferred>> = {
  "upload, text": uploadOf("text"),
  "upload, binary": uploadOf("binary"),
  "download": ({ server, id }, bytes) => download(server, { count: 1, slow: 0, bytes, id }),
};

async function transferOnce(
  transfer: Transferred,
  to: FileServer,
  { mib }: TransfersPlan,
): Promise<Transfer> {
  const before = await cpuMs(to.server.pid);
  const { bytes, ms, failures } = await transfer(to, mib * MIB);
  const spentMs = await cpuMs(to.server.pid) - before;
  return { mibPerSecond: bytes / MIB * 1000 / ms, cpuMs: spentMs / mib, failures };
}

interface Runs {
  readonly name: string;
  readonly mib: number;
  readonly bare: readonly Transfer[];
  readonly gateway: readonly Transfer[];
}

function rowOf({ name, mib, bare, gateway }: Runs): TransfersRow {
  const rate = (one: Transfer) => one.mibPerSecond;
  const cpu = (one: Transfer) => one.cpuMs;
  const over = (figure: (one: Transfer) => number) =>
    paired(gateway.map(figure), bare.map(figure), { combine: (own, theirs) => own / theirs });
  return {
    name,
    mib,
    bare: spread(bare.map(rate)),
    gateway: spread(gateway.map(rate)),
    ratio: over(rate),
    bareCpuMs: spread(bare.map(cpu)),
    cpuMs: spread(gateway.map(cpu)),
    cpuRatio: over(cpu),
    failures: [...bare, ...gateway].reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** Each kind on both servers in turn. */
export async function measureTransfers(servers: FileServers, plan: TransfersPlan): Promise<TransfersRow[]> {
  const rows: TransfersRow[] = [];
  for (const [name, transfer] of Object.entries(kinds)) {
    const [bare, gateway]: [Transfer[], Transfer[]] = [[], []];
    for (let round = -plan.warmups; round < plan.repetitions; round++) {
      const runs = [
        await transferOnce(transfer, servers.bare, plan),
        await transferOnce(transfer, servers.gateway, plan),
      ] as const;
      if (round < 0) continue;
      bare.push(runs[0]);
      gateway.push(runs[1]);
    }
    rows.push(rowOf({ name, mib: plan.mib, bare, gateway }));
  }
  return rows;
}
