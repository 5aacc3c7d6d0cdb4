/**
 * Measures what commits cost on the embedded store by what they write, and by when: `commits.ts <ms> <repetitions>`
 * measures each form for so long, in turn, on a store of its own, and prints the figures as JSON.
 */

import { cpuUsage } from "node:process";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { batchKey } from "../../server/billing/ledger/journal/journal_batch.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { createClock } from "../../server/runtime.ts";
import { type Form, forms, receiptsOf } from "./commit_forms.ts";
import type { CommitsResult } from "./job.ts";
import { percentile, sorted, spread } from "./stats.ts";

const GROUPS = [1, 10, 35];
const CLIENTS = [1, 50];
const WINDOWS = [undefined, 2];
/** Receipts that a block has room for. */
const MOST = 40;

/** Figures of one stretch of time. */
interface Slice {
  /** Ms, one of each that waited. */
  readonly waits: readonly number[];
  readonly cpuUs: number;
  readonly perSecond: number;
}

interface Measured {
  readonly slices: Slice[];
  readonly run: (ms: number) => Promise<Slice>;
}

let seq = 0;

interface Group {
  readonly form: Form;
  readonly receipts: number;
}

/** Commits so many new receipts. */
async function write(store: Store, { form, receipts }: Group): Promise<void> {
  seq++;
  const checks = [{ key: batchKey("bench", seq), version: null }];
  const puts = form.puts({ receipts: receiptsOf(receipts), seq });
  const result = await store.commit({ checks, puts, small: true });
  if (result.type !== "ok") throw new Error("A commit of the bench met another's");
}

/** Keeps so many clients busy for a while; each step writes so many receipts and is waited for. */
async function slice(ms: number, step: Step): Promise<Slice> {
  const waits: number[] = [];
  const spent = cpuUsage();
  const from = performance.now();
  const client = async () => {
    for (let requested = from; requested - from < ms;) {
      await step.write();
      const now = performance.now();
      waits.push(now - requested);
      requested = now;
    }
  };
  await Promise.all(Array.from({ length: step.clients }, client));
  const { user, system } = cpuUsage(spent);
  const receipts = waits.length * step.receipts;
  return {
    waits,
    cpuUs: (user + system) / receipts,
    perSecond: receipts * 1000 / (performance.now() - from),
  };
}

interface Step {
  readonly clients: number;
  readonly receipts: number;
  readonly write: () => Promise<void>;
}

/** Commits one after another, each with a group of receipts. */
function grouped(store: Store, group: Group): Measured {
  const step = { clients: 1, receipts: group.receipts, write: () => write(store, group) };
  return { slices: [], run: (ms) => slice(ms, step) };
}

interface LineOptions {
  readonly store: Store;
  readonly form: Form;
  /** Ms from the first receipt of a group to its commit; undefined: at once when no other commit runs. */
  readonly windowMs: number | undefined;
}

/** Receipts that wait for the commit of their group, in the manner of the ledger's own (journal/group_commit.ts). */
class Line {
  readonly #options: LineOptions;
  readonly #waiting: (() => void)[] = [];
  #busy = false;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Resolves when one more receipt is committed. */
  written(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#busy) return;
    this.#busy = true;
    const { windowMs } = this.#options;
    if (windowMs === undefined) queueMicrotask(() => this.#drain());
    else setTimeout(() => this.#drain(), windowMs);
  }

  async #drain(): Promise<void> {
    const { store, form } = this.#options;
    const group = this.#waiting.splice(0, MOST);
    await write(store, { form, receipts: group.length });
    this.#busy = false;
    for (const wake of group) wake();
    if (this.#waiting.length > 0) this.#begin();
  }
}

/** So many clients that each wait for their receipt before they bring the next one. */
function waited({ clients, ...options }: LineOptions & { readonly clients: number }): Measured {
  const line = new Line(options);
  return { slices: [], run: (ms) => slice(ms, { clients, receipts: 1, write: () => line.written() }) };
}

function figures({ slices }: Measured) {
  const wait = (share: number) => spread(slices.map(({ waits }) => percentile(sorted(waits), share))).median;
  return {
    p50: wait(0.5),
    p99: wait(0.99),
    cpuUs: spread(slices.map(({ cpuUs }) => cpuUs)).median,
    perSecond: spread(slices.map(({ perSecond }) => perSecond)).median,
  };
}

/** Form of the ledger's commits without its counters. */
function ownForm(): Form {
  const own = forms.at(-1);
  if (own === undefined) throw new Error("There is no form to measure");
  return own;
}

function candidates(store: Store) {
  const form = ownForm();
  return {
    forms: forms.flatMap((form) =>
      GROUPS.map((receipts) => ({
        name: form.name,
        group: receipts,
        ...grouped(store, { form, receipts }),
      }))
    ),
    moments: CLIENTS.flatMap((clients) =>
      WINDOWS.map((windowMs) => ({
        name: windowMs === undefined ? "at once when idle" : `after ${windowMs} ms`,
        clients,
        ...waited({ store, form, windowMs, clients }),
      }))
    ),
  };
}

async function measured(store: Store, { ms, repetitions }: Rounds): Promise<CommitsResult> {
  const { forms, moments } = candidates(store);
  const all: readonly Measured[] = [...forms, ...moments];
  // The first round warms the code up.
  for (const one of all) await one.run(ms / 2);
  for (let round = 0; round < repetitions; round++) {
    for (const one of all) one.slices.push(await one.run(ms));
  }
  return {
    forms: forms.map((one) => ({ name: one.name, group: one.group, ...figures(one) })),
    moments: moments.map((one) => ({ name: one.name, clients: one.clients, ...figures(one) })),
  };
}

interface Rounds {
  readonly ms: number;
  readonly repetitions: number;
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
  const store = denoKvStore({ kv: await Deno.openKv(`${folder}/commits.db`), clock: createClock() });
  try {
    const [ms = 300, repetitions = 3] = Deno.args.map(Number);
    console.log(JSON.stringify(await measured(store, { ms, repetitions })));
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}
