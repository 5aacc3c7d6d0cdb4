/** How much is measured: for figures to be held against aims, or just to see that everything still runs. */

import type { BesidePlan } from "./beside.ts";
import type { HealthPlan } from "./health.ts";
import type { ContainersPlan } from "./containers.ts";
import type { ConsolePlan } from "./console.ts";
import type { FilesPlan } from "./files.ts";
import type { FloodPlan } from "./flood.ts";
import type { GuardPlan } from "./guard.ts";
import type { KeysPlan } from "./keys.ts";
import type { LedgerPlan } from "./ledger.ts";
import type { LoopsPlan } from "./loops.ts";
import type { RequestsPlan } from "./requests.ts";
import type { SoakPlan } from "./soak.ts";
import type { StreamsPlan } from "./streams.ts";
import type { TailsPlan } from "./tails.ts";

export interface Plan {
  readonly requests: readonly RequestsPlan[];
  readonly streams: readonly StreamsPlan[];
  readonly beside: BesidePlan;
  readonly health: HealthPlan;
  readonly translate: { readonly rounds: number; readonly ms: number };
  readonly prompt: { readonly rounds: number };
  readonly loops: LoopsPlan;
  readonly soak: SoakPlan;
  readonly tails: TailsPlan;
  readonly routing: { readonly rounds: number; readonly runs: number };
  readonly ledger: readonly LedgerPlan[];
  readonly commits: { readonly ms: number; readonly repetitions: number };
  readonly keys: KeysPlan;
  readonly flood: FloodPlan;
  readonly guard: GuardPlan;
  readonly containers: ContainersPlan;
  readonly files: FilesPlan;
  readonly console: ConsolePlan;
}

/** About twenty-five minutes, of which the million keys take five. */
export const full: Plan = {
  requests: [
    { heatMs: 10_000, connections: 50, repetitions: 7, warmupMs: 1000, durationMs: 2000 },
    { connections: 1, repetitions: 5, warmupMs: 1000, durationMs: 2000 },
  ],
  streams: [
    { streams: 300, everyMs: 20, deltas: 150, openMs: 500, repetitions: 3 },
    { streams: 1000, everyMs: 100, deltas: 60, openMs: 1500, repetitions: 3 },
  ],
  beside: {
    streams: 50,
    everyMs: 20,
    deltas: 250,
    openMs: 200,
    tokens: 100_000,
    pauseMs: 50,
    repetitions: 3,
  },
  health: { prompts: 4, tokens: 6_800_000, durationMs: 5_000, repetitions: 3 },
  translate: { rounds: 5, ms: 1000 },
  prompt: { rounds: 5 },
  containers: {
    commands: 20,
    loops: 8,
    heatMs: 10_000,
    connections: 50,
    durationMs: 3_000,
    streams: { count: 100, everyMs: 20, deltas: 150, openMs: 500 },
    repetitions: 3,
    open: 50,
  },
  soak: { streams: 4, steps: 100, atOnce: 16, warmMs: 30_000, durationMs: 180_000 },
  tails: { perSecond: 200, warmMs: 30_000, durationMs: 30_000 },
  loops: { heatMs: 10_000, steps: 10, repetitions: 7, durationMs: 2_000 },
  guard: {
    requests: { heatMs: 10_000, connections: 50, repetitions: 20, warmupMs: 300, durationMs: 1_000 },
    streams: { count: 50, everyMs: 20, deltas: 150 },
    beside: {
      streams: 100,
      everyMs: 20,
      deltas: 150,
      openMs: 500,
      chars: 1_000_000,
      texts: 2,
      repetitions: 3,
    },
    rounds: 15,
  },
  routing: { rounds: 6, runs: 5_000 },
  // Shared processors change their speed by half from one second to the next: many short turns, and the median.
  ledger: [
    { heatMs: 10_000, connections: 50, processes: 3, repetitions: 11, warmupMs: 500, durationMs: 700 },
    { connections: 200, processes: 3, repetitions: 5, warmupMs: 500, durationMs: 700 },
    { connections: 1, processes: 1, repetitions: 5, warmupMs: 500, durationMs: 1500 },
  ],
  commits: { ms: 300, repetitions: 5 },
  keys: {
    keys: 1_000_000,
    fillSeconds: 300,
    starts: 5,
    heatMs: 10_000,
    connections: 50,
    repetitions: 7,
    warmupMs: 1000,
    durationMs: 1500,
  },
  flood: {
    connections: 50,
    repetitions: 5,
    warmupMs: 500,
    durationMs: 1000,
    streams: { count: 50, everyMs: 20, deltas: 150, openMs: 200 },
  },
  files: {
    transfers: { mib: 100, warmups: 2, repetitions: 7 },
    memory: { count: 8, mib: 64, slow: 4, slowMibPerSecond: 20, processes: 3 },
    beside: {
      mibPerSecond: 20,
      heatMs: 10_000,
      connections: 50,
      warmupMs: 500,
      durationMs: 2_000,
      streams: { count: 100, everyMs: 20, deltas: 100, openMs: 300 },
      repetitions: 3,
    },
  },
  console: {
    keys: 100_000,
    receipts: 1_000_000,
    files: 1_000,
    fillSeconds: 600,
    repetitions: 5,
    browsing: { sessions: 10, pauseMs: 2_000, connections: 10, durationMs: 6_000, repetitions: 5 },
  },
};

/** A minute: says whether everything still holds together. Too short for figures to be held against aims. */
export const quick: Plan = {
  requests: [
    { connections: 50, repetitions: 1, warmupMs: 300, durationMs: 500 },
    { connections: 1, repetitions: 1, warmupMs: 300, durationMs: 500 },
  ],
  streams: [
    { streams: 60, everyMs: 20, deltas: 40, openMs: 200, repetitions: 1 },
    { streams: 200, everyMs: 100, deltas: 15, openMs: 400, repetitions: 1 },
  ],
  beside: { streams: 20, everyMs: 20, deltas: 60, openMs: 100, tokens: 100_000, pauseMs: 50, repetitions: 1 },
  health: { prompts: 4, tokens: 6_800_000, durationMs: 1_000, repetitions: 1 },
  translate: { rounds: 2, ms: 200 },
  prompt: { rounds: 2 },
  containers: {
    commands: 2,
    loops: 2,
    heatMs: 500,
    connections: 10,
    durationMs: 500,
    streams: { count: 10, everyMs: 20, deltas: 20, openMs: 100 },
    repetitions: 1,
    open: 2,
  },
  soak: { streams: 4, steps: 20, atOnce: 16, warmMs: 2_000, durationMs: 3_000 },
  tails: { perSecond: 200, warmMs: 500, durationMs: 1_500 },
  loops: { heatMs: 500, steps: 10, repetitions: 1, durationMs: 500 },
  guard: {
    requests: { connections: 50, repetitions: 1, warmupMs: 300, durationMs: 500 },
    streams: { count: 20, everyMs: 20, deltas: 40 },
    beside: {
      streams: 100,
      everyMs: 20,
      deltas: 60,
      openMs: 500,
      chars: 1_000_000,
      texts: 2,
      repetitions: 1,
    },
    rounds: 3,
  },
  routing: { rounds: 2, runs: 1_000 },
  ledger: [
    { connections: 50, processes: 1, repetitions: 1, warmupMs: 300, durationMs: 500 },
    { connections: 1, processes: 1, repetitions: 1, warmupMs: 300, durationMs: 500 },
  ],
  commits: { ms: 50, repetitions: 1 },
  keys: {
    keys: 50_000,
    fillSeconds: 10,
    starts: 1,
    connections: 50,
    repetitions: 1,
    warmupMs: 300,
    durationMs: 500,
  },
  flood: {
    connections: 50,
    repetitions: 1,
    warmupMs: 200,
    durationMs: 500,
    streams: { count: 20, everyMs: 20, deltas: 60, openMs: 100 },
  },
  files: {
    transfers: { mib: 16, warmups: 1, repetitions: 1 },
    memory: { count: 8, mib: 16, slow: 4, slowMibPerSecond: 10, processes: 1 },
    beside: {
      mibPerSecond: 20,
      heatMs: 500,
      connections: 50,
      warmupMs: 200,
      durationMs: 500,
      streams: { count: 100, everyMs: 20, deltas: 40, openMs: 100 },
      repetitions: 1,
    },
  },
  console: {
    keys: 2_000,
    receipts: 2_000,
    files: 20,
    fillSeconds: 10,
    repetitions: 1,
    browsing: { sessions: 10, pauseMs: 2_000, connections: 10, durationMs: 500, repetitions: 1 },
  },
};
