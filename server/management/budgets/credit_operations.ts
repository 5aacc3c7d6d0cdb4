/** Credit operations (specification, Credits, generations, activity, analytics). */

import { type creditApi, MAX_CREDITS_USD } from "../../../shared/management/credits.ts";
import { DEFAULT_PAGE_SIZE } from "../../../shared/management/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber, usdFromNumber } from "../../../shared/money.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import {
  ACCOUNT_CREDITS,
  creditEntries,
  type CreditEntry,
  creditTotals,
  findCreditLimit,
} from "./credit_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { ACCOUNT_SCOPE } from "./limit_resolver.ts";
import type { PageQuery } from "../core/pages.ts";
import { auditCaller, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";

type Add = typeof creditApi["credits.add"];
type Input = Pick<OperationInput, "caller" | "requestId">;

export function creditOperations(deps: ManagementDeps): OperationHandlers<typeof creditApi> {
  const mutex = new KeyedMutex();
  /** One change at a time. */
  const inTurn = (change: () => Promise<Written | typeof WRITE_CONFLICT>) =>
    mutex.run(ACCOUNT_CREDITS, () => retryOnConflict(deps.runtime, change));
  return {
    "credits.get": async () => ({ data: await serializeCredits(deps) }),
    "credits.add": async (input) => {
      const { wasUnlimited } = await inTurn(() => add(deps, input));
      const data = await serializeCredits(deps);
      const notice = noticeOf(data, wasUnlimited);
      return notice === undefined ? { data } : { data, notice };
    },
    "credits.clear": async (input) => {
      await inTurn(() => clear(deps, input));
      return { data: await serializeCredits(deps) };
    },
    "credits.history": ({ query }) => history(deps, query),
  };
}

async function serializeCredits({ store, ledger }: ManagementDeps) {
  const total = await findCreditLimit(store);
  const { lifetime } = await ledger.readSpend(ACCOUNT_SCOPE);
  return {
    total_credits: toUsdNumber(toNanoUsd(total ?? 0)),
    total_usage: toUsdNumber(lifetime.cost),
    unlimited: total === undefined,
  };
}

type Credits = Awaited<ReturnType<typeof serializeCredits>>;

/** Undefined for an amount that is added to a limit and leaves something to spend. */
function noticeOf(
  { total_credits: total, total_usage: usage, unlimited }: Credits,
  wasUnlimited: boolean,
): string | undefined {
  if (unlimited) return undefined;
  const undo = "DELETE /v1/credits (on the command line: credits clear) takes the limit away.";
  const isSpent = usage >= total;
  if (!isSpent && !wasUnlimited) return undefined;
  const became = wasUnlimited
    ? `Spend was unlimited. All keys together may now spend ${total} USD, counted since the first request.`
    : `All keys together may spend ${total} USD.`;
  const spent = isSpent
    ? `${usage} USD are spent already, so every request that costs something is refused.`
    : `${usage} USD of it are spent already.`;
  return `${became} ${spent} ${undo}`;
}

/** The row and what it says; a cleared one counts its changes only. */
async function readTotal({ store }: ManagementDeps) {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  const limit = found?.record.cleared ? undefined : found?.record.total;
  return { version: found?.version ?? null, entries: found?.record.entries ?? 0, limit };
}

interface Written {
  readonly wasUnlimited: boolean;
}

async function add(
  deps: ManagementDeps,
  input: OperationInput<Add>,
): Promise<Written | typeof WRITE_CONFLICT> {
  const before = await readTotal(deps);
  const amount = nanoOf(input.body.amount_usd);
  const total = totalAfter(before.limit ?? 0, amount);
  const change = { operation: "credits.add", amount, total, reason: input.body.reason } as const;
  return await written(deps, { input, before, change });
}

/** Changes nothing where credits are no limit. */
async function clear(deps: ManagementDeps, input: Input): Promise<Written | typeof WRITE_CONFLICT> {
  const before = await readTotal(deps);
  if (before.limit === undefined) return { wasUnlimited: true };
  const change = {
    operation: "credits.clear",
    amount: 0 - before.limit,
    total: 0,
    cleared: true,
    reason: "Cleared: spend is unlimited",
  } as const;
  return await written(deps, { input, before, change });
}

interface CreditChange extends Pick<CreditEntry, "amount" | "total" | "cleared" | "reason"> {
  readonly operation: "credits.add" | "credits.clear";
}

interface CreditWrite {
  readonly input: Input;
  readonly before: Awaited<ReturnType<typeof readTotal>>;
  readonly change: CreditChange;
}

/** Total, entry and audit row in one commit. */
async function written(
  deps: ManagementDeps,
  { input, before, change: { operation, ...change } }: CreditWrite,
): Promise<Written | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const totals = creditTotals(store);
  const { total, cleared } = change;
  const entries = before.entries + 1;
  const at = new Date(runtime.clock.now()).toISOString();
  const entry: CreditEntry = { id: runtime.id(), at, ...change, by: input.caller.keyHash };
  const { limit } = before;
  const done = await commitWrite(deps, {
    checks: [totals.check([ACCOUNT_CREDITS], before.version)],
    puts: [
      totals.put([ACCOUNT_CREDITS], { total, entries, cleared }),
      creditEntries(store).put([entries], entry),
    ],
    change: {
      ...auditCaller(input),
      operation,
      subject: { type: "credits", id: ACCOUNT_CREDITS },
      before: limit === undefined ? null : { total_credits: toUsdNumber(toNanoUsd(limit)) },
      after: { ...serializeCreditEntry(entry) },
    },
    cacheTopic: { topic: "credits" },
  });
  return done ? { wasUnlimited: limit === undefined } : WRITE_CONFLICT;
}

const nanoOf = (usd: number): number => usd < 0 ? -usdFromNumber(-usd) : usdFromNumber(usd);

/** Throws an ApiError (400) for a total that cannot be. */
function totalAfter(before: number, amount: number): number {
  const total = before + amount;
  if (total >= 0 && total <= usdFromNumber(MAX_CREDITS_USD)) return total;
  const there = toUsdNumber(toNanoUsd(before));
  const most = toUsdNumber(toNanoUsd(usdFromNumber(MAX_CREDITS_USD) - before));
  const input = toUsdNumber(toNanoUsd(amount));
  throw new ApiError(
    "invalid_request",
    `Cannot change credits: amount_usd is ${input}, allowed is ${
      there === 0 ? 0 : -there
    } to ${most}, because ${there} USD are there`,
    { metadata: { path: "amount_usd" } },
  );
}

function serializeCreditEntry({ id, at, amount, total, cleared, reason, by }: CreditEntry) {
  return {
    id,
    at,
    amount_usd: toUsdNumber(toNanoUsd(amount)),
    total_credits: toUsdNumber(toNanoUsd(total)),
    unlimited: cleared === true,
    reason,
    by,
  };
}

/** Entries are numbered without gaps, so a page is found by its numbers. */
async function history({ store }: ManagementDeps, { offset = 0, limit = DEFAULT_PAGE_SIZE }: PageQuery) {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  const count = found?.record.entries ?? 0;
  const newest = count - offset;
  if (newest <= 0) return { data: [], total_count: count };
  const rows = await creditEntries(store).list({ after: [newest + 1], reverse: true, limit });
  return { data: rows.map(({ record }) => serializeCreditEntry(record)), total_count: count };
}
