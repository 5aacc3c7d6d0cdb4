/** What the credit operations do (specification, Credits, generations, activity, analytics). */

import { type creditApi, MAX_CREDITS_USD } from "../../../shared/management/credits.ts";
import { DEFAULT_PAGE_SIZE } from "../../../shared/management/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber, usdFromNumber } from "../../../shared/money.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { ACCOUNT_CREDITS, creditEntries, type CreditEntry, creditTotals } from "./credit_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { ACCOUNT_SCOPE } from "./limit_resolver.ts";
import type { PageQuery } from "../core/pages.ts";
import { auditCaller, commitWrite, retryOnConflict, WRITE_CONFLICT } from "../core/write.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";

type Add = typeof creditApi["credits.add"];

export function creditOperations(deps: ManagementDeps): OperationHandlers<typeof creditApi> {
  const mutex = new KeyedMutex();
  return {
    "credits.get": async () => ({ data: await serializeCredits(deps) }),
    "credits.add": async (input) => {
      await mutex.run(ACCOUNT_CREDITS, () => retryOnConflict(deps.runtime, () => add(deps, input)));
      return { data: await serializeCredits(deps) };
    },
    "credits.history": ({ query }) => history(deps, query),
  };
}

async function serializeCredits({ store, ledger }: ManagementDeps) {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  const { lifetime } = await ledger.readSpend(ACCOUNT_SCOPE);
  return {
    total_credits: toUsdNumber(toNanoUsd(found?.record.total ?? 0)),
    total_usage: toUsdNumber(lifetime.cost),
    unlimited: found === undefined,
  };
}

async function add(deps: ManagementDeps, input: OperationInput<Add>): Promise<true | typeof WRITE_CONFLICT> {
  const { store, runtime } = deps;
  const totals = creditTotals(store);
  const found = await totals.get(ACCOUNT_CREDITS);
  const before = found?.record ?? { total: 0, entries: 0 };
  const amount = nanoOf(input.body.amount_usd);
  const total = totalAfter(before.total, amount);
  const entries = before.entries + 1;
  const entry: CreditEntry = {
    id: runtime.id(),
    at: new Date(runtime.clock.now()).toISOString(),
    amount,
    total,
    reason: input.body.reason,
    by: input.caller.keyHash,
  };
  const done = await commitWrite(deps, {
    checks: [totals.check([ACCOUNT_CREDITS], found?.version ?? null)],
    puts: [totals.put([ACCOUNT_CREDITS], { total, entries }), creditEntries(store).put([entries], entry)],
    change: {
      ...auditCaller(input),
      operation: "credits.add",
      subject: { type: "credits", id: ACCOUNT_CREDITS },
      before: found === undefined ? null : { total_credits: toUsdNumber(toNanoUsd(before.total)) },
      after: { ...serializeCreditEntry(entry) },
    },
    cacheTopic: { topic: "credits" },
  });
  return done ? true : WRITE_CONFLICT;
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

function serializeCreditEntry({ id, at, amount, total, reason, by }: CreditEntry) {
  return {
    id,
    at,
    amount_usd: toUsdNumber(toNanoUsd(amount)),
    total_credits: toUsdNumber(toNanoUsd(total)),
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
