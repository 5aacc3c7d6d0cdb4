/** Aims for the figures of keys, limits and receipts. */

import { type Aim, atLeast, atMost } from "./aim.ts";
import type { FloodResult } from "./flood.ts";
import type { CommitsResult } from "./job.ts";
import type { KeysRow } from "./keys.ts";
import { EMBEDDED, IN_MEMORY, type LedgerRow } from "./ledger.ts";
import type { Report } from "./report.ts";

/** Milliseconds that a gateway may add at one connection, by where its books are. */
const added: Readonly<Record<string, { readonly p50: number; readonly p99: number }>> = {
  [EMBEDDED]: { p50: 0.4, p99: 2 },
  [IN_MEMORY]: { p50: 0.2, p99: 1 },
};

function ledgerAims(row: LedgerRow): readonly Aim[] {
  const { name, connections, ratio, againstNone, cpuAgainstNone, addedP50, addedP99 } = row;
  const most = added[name];
  if (most === undefined) return [];
  if (connections === 1) {
    return [
      atMost(most.p50, { what: `${name}: added p50 at 1 connection, ms`, measured: addedP50.median }),
      atMost(most.p99, { what: `${name}: added p99 at 1 connection, ms`, measured: addedP99.median }),
    ];
  }
  const at = `at ${connections} connections`;
  return [
    atLeast(0.5, { what: `${name}: requests/s ${at}, × bare`, measured: ratio.median }),
    atLeast(0.8, { what: `${name}: requests/s ${at}, × without`, measured: againstNone.median }),
    atMost(1.25, { what: `${name}: CPU ${at}, × without`, measured: cpuAgainstNone.median }),
  ];
}

/** Aims for the ledger's way of writing: each against the other way, in the same run. */
function commitAims({ forms, moments }: CommitsResult): readonly Aim[] {
  const form = (name: string) => forms.find((row) => row.name === name && row.group === 35)?.cpuUs ?? NaN;
  const [atOnce, late] = moments.filter(({ clients }) => clients === 1);
  return [
    atMost(0.8, {
      what: "groups of 35: CPU of a block, × a row a receipt",
      measured: form("a block a group") / form("a row a receipt"),
    }),
    atMost(0.8, {
      what: "groups of 35: CPU with id rows in order, × at random",
      measured: form("+ id rows") / form("+ id rows at random"),
    }),
    atMost(0.8, {
      what: "groups of 35: CPU of index rows a group, × a receipt",
      measured: form("+ id rows, index rows a group") / form("+ id rows, index rows a receipt"),
    }),
    atMost(0.8, {
      what: "a lone receipt: wait when committed at once, × after 2 ms",
      measured: (atOnce?.p50 ?? NaN) / (late?.p50 ?? NaN),
    }),
  ];
}

function keysAims({ name, stored, used, ratio, startMs }: KeysRow): readonly Aim[] {
  if (stored === used || name === "few keys") return [];
  const keys = `${stored.toLocaleString("en")} keys stored`;
  // With many in use there are more rows to write for the same receipts.
  if (name === "many keys, many in use") {
    const what = `${keys}, ${used.toLocaleString("en")} in use: requests/s, × 10 keys`;
    return [atLeast(0.8, { what, measured: ratio.median })];
  }
  return [
    atLeast(0.95, { what: `${keys}: requests/s, × 10 keys`, measured: ratio.median }),
    atMost(1000, { what: `${keys}: start, ms`, measured: startMs.median }),
  ];
}

function floodAims({ ratio, gapRatio, lost }: FloodResult): readonly Aim[] {
  return [
    atLeast(3, { what: "bad keys: requests/s, × good keys", measured: ratio.median }),
    atMost(2, { what: "streams beside bad keys: gap p99, × alone", measured: gapRatio.median }),
    atMost(0, { what: "streams beside bad keys: lost frames", measured: lost }),
  ];
}

export function booksAims({ ledger = [], commits, keys = [], flood }: Omit<Report, "aims">): readonly Aim[] {
  return [
    ...ledger.flatMap(ledgerAims),
    ...(commits === undefined ? [] : commitAims(commits)),
    ...keys.flatMap(keysAims),
    ...(flood === undefined ? [] : floodAims(flood)),
  ];
}
