/** Which keys a list has: by their state, and whether disabled ones are among them. */

import {
  EXPIRING_DAYS,
  type KeyState,
  limitStanding,
  UNUSED_DAYS,
} from "../../../../shared/management/lists/key_sorts.ts";
import type { ManagementDeps } from "../../core/management_deps.ts";
import { readKeyRecord } from "../key_record.ts";
import { keyCollection } from "../key_rows.ts";
import { isActive } from "./key_index.ts";
import type { LastUse } from "./last_use.ts";

const DAY_MS = 86_400_000;

/** As much of a key as its row in an index has. */
export interface KeyFacts {
  readonly hash: string;
  readonly disabled: boolean;
  readonly expires_at: string | null;
  /** When it was made, in ms since the epoch. */
  readonly at: number;
}

/** Moment at which a state is judged, in ms since the epoch. */
type FactTest = (key: Omit<KeyFacts, "hash">, now: number) => boolean;

/** Whether a key is in a list. */
export interface KeyTest {
  /** Judged by the rows of indexes alone. */
  readonly byFacts: (key: Omit<KeyFacts, "hash">) => boolean;
  /** Judged by what is read of each key; absent where the facts decide. Asked of those that pass by the facts. */
  readonly byRecord?: (hash: string) => Promise<boolean>;
  /** Whether `byRecord` reads the store. */
  readonly reads?: true;
  /** Ms since the epoch: no key that was made later passes. */
  readonly madeUntil?: number;
}

const endsWithin = ({ expires_at }: Pick<KeyFacts, "expires_at">, end: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= end;

/** A key that was neither made nor used later is unused; ms since the epoch. */
const unusedUntil = (now: number): number => now - UNUSED_DAYS * DAY_MS;

const factTests = {
  active: isActive,
  disabled: ({ disabled }) => disabled,
  expired: ({ disabled, expires_at }, now) => !disabled && endsWithin({ expires_at }, now),
  expiring: (key, now) => isActive(key, now) && endsWithin(key, now + EXPIRING_DAYS * DAY_MS),
  nearly: isActive,
  reached: isActive,
  unused: (key, now) => isActive(key, now) && key.at <= unusedUntil(now),
} as const satisfies { readonly [S in KeyState]: FactTest };

interface TestInput {
  readonly state: KeyState | undefined;
  /** Without a state: whether disabled keys are among them. */
  readonly disabled: boolean;
}

interface TestDeps extends Pick<ManagementDeps, "store" | "runtime" | "ledger"> {
  readonly lastUse: LastUse;
}

export async function createKeyTest(deps: TestDeps, { state, disabled }: TestInput): Promise<KeyTest> {
  if (state === undefined) return { byFacts: (key) => disabled || !key.disabled };
  const now = deps.runtime.clock.now();
  const byFacts: KeyTest["byFacts"] = (key) => factTests[state](key, now);
  if (state === "nearly" || state === "reached") {
    return { byFacts, byRecord: async (hash) => await limitStateOf(deps, hash) === state, reads: true };
  }
  if (state !== "unused") return { byFacts };
  const uses = await deps.lastUse.read();
  const madeUntil = unusedUntil(now);
  return {
    byFacts,
    byRecord: (hash) => Promise.resolve((uses.get(hash)?.at ?? 0) < madeUntil),
    madeUntil,
  };
}

async function limitStateOf(deps: TestDeps, hash: string): Promise<KeyState | undefined> {
  const found = await keyCollection(deps.store).get(hash);
  if (found === undefined || found.record.limit === null) return undefined;
  const { limit, limit_remaining: left } = await readKeyRecord(deps, found.record);
  return limit === null || left === null ? undefined : limitStanding(limit, left);
}

/** Which of them are in the list, in their order. */
export async function takeTested<T extends KeyFacts>(
  keys: readonly T[],
  test: KeyTest,
): Promise<readonly T[]> {
  const passed = keys.filter((key) => test.byFacts(key));
  const { byRecord } = test;
  if (byRecord === undefined) return passed;
  const verdicts = await Promise.all(passed.map(({ hash }) => byRecord(hash)));
  return passed.filter((_, at) => verdicts[at] === true);
}
