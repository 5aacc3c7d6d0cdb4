/** Aims for the figures of files. */

import { type Aim, atLeast, atMost } from "./aim.ts";
import { BESIDE_UPLOAD, type BesideUploadRow } from "./beside_upload.ts";
import type { FilesReport } from "./files.ts";

const besideAims = ({ connections, ratio, streams, gapBeyond, lost }: BesideUploadRow): readonly Aim[] => [
  atLeast(0.7, {
    what: `beside an upload: requests/s at ${connections} connections, × without`,
    measured: ratio.median,
  }),
  atMost(20, {
    what: `${streams} streams beside an upload: gap p99 beyond 2 × without, ms`,
    measured: gapBeyond.median,
  }),
  atMost(0, { what: `${streams} streams beside an upload: lost frames`, measured: lost }),
];

export function filesAims(files: FilesReport | undefined): readonly Aim[] {
  if (files === undefined) return [];
  const { transfers, memory, beside } = files;
  return [
    ...transfers.map(({ name, mib, ratio }) =>
      atLeast(0.5, { what: `${name}, ${mib} MiB: bytes/s, × bare`, measured: ratio.median })
    ),
    ...memory.map(({ name, count, growth }) =>
      atMost(48, { what: `${count} ${name} at once: growth of memory, MiB`, measured: growth.median })
    ),
    ...beside.filter(({ name }) => name === BESIDE_UPLOAD).flatMap(besideAims),
  ];
}

/** Transfers and requests that failed, and frames that were lost. */
export function filesFailures(files: FilesReport | undefined): number {
  const { transfers = [], memory = [], beside = [] } = files ?? {};
  const failed = [...transfers, ...memory, ...beside].reduce((sum, { failures }) => sum + failures, 0);
  return beside.reduce((sum, { lost }) => sum + lost, failed);
}
