/** Tables of files: transfers, their memory, and what goes on beside them. */

import type { BesideUploadRow } from "./beside_upload.ts";
import type { FileMemoryRow } from "./file_memory.ts";
import type { TransfersRow } from "./file_transfers.ts";
import type { FilesReport } from "./files.ts";
import { type Buckets, render, show } from "./table.ts";

const transfersHead: Buckets = [
  "files, one at a time",
  "MiB",
  "bare MiB/s",
  "gateway MiB/s",
  "× bare",
  "bare CPU ms/MiB",
  "gateway CPU ms/MiB",
  "CPU × bare",
  "failed",
];

const transfersBuckets = (row: TransfersRow): Buckets => [
  row.name,
  `${row.mib}`,
  show(row.bare),
  show(row.gateway),
  show(row.ratio),
  show(row.bareCpuMs),
  show(row.cpuMs),
  show(row.cpuRatio),
  `${row.failures}`,
];

const memoryHead: Buckets = [
  "files at once",
  "files",
  "MiB each",
  "memory before MiB",
  "growth MiB",
  "failed",
];

const memoryBuckets = (row: FileMemoryRow): Buckets => [
  row.name,
  `${row.count}`,
  `${row.mib}`,
  show(row.before),
  show(row.growth),
  `${row.failures}`,
];

const besideHead: Buckets = [
  "beside an upload",
  "MiB/s",
  "conns",
  "requests/s",
  "× without",
  "open",
  "every",
  "gap p99 ms",
  "lost",
  "failed",
];

const besideBuckets = (row: BesideUploadRow): Buckets => [
  row.name,
  show(row.mibPerSecond),
  `${row.connections}`,
  show(row.perSecond),
  show(row.ratio),
  `${row.streams}`,
  `${row.everyMs} ms`,
  show(row.gapP99),
  `${row.lost}`,
  `${row.failures}`,
];

/** Nothing when files were not measured. */
export function filesText(files: FilesReport | undefined): readonly string[] {
  if (files === undefined) return [];
  return [
    render([transfersHead, ...files.transfers.map(transfersBuckets)]),
    render([memoryHead, ...files.memory.map(memoryBuckets)]),
    render([besideHead, ...files.beside.map(besideBuckets)]),
  ];
}
