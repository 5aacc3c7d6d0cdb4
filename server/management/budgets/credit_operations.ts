/** What the credit operations do (wire-reference §9.6). */

import { type creditApi, MAX_CREDITS_USD } from "../../../shared/management/credits.ts";
import { DEFAULT_PAGE } from "../../../shared/management/operation.ts";
import { Refusal } from "../../../shared/errors.ts";
import { toNanoUsd, toUsdNumber, usdFromNumber } from "../../../shared/money.ts";
import type { Acts, Asked } from "../core/operation.ts";
import { ACCOUNT_CREDITS, creditEntries, type CreditEntry, creditTotals } from "./credit_rows.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { ACCOUNT_SCOPE } from "./limit_resolver.ts";
import type { PageWish } from "../core/pages.ts";
import { askedBy, CONFLICT, retried, Turns, write } from "../core/write.ts";

type Add = typeof creditApi["credits.add"];

export function creditActs(deps: AdminDeps): Acts<typeof creditApi> {
  const turns = new Turns();
  return {
    "credits.get": async () => ({ data: await shownCredits(deps) }),
    "credits.add": async (asked) => {
      await turns.run(ACCOUNT_CREDITS, () => retried(deps.world, () => add(deps, asked)));
      return { data: await shownCredits(deps) };
    },
    "credits.history": ({ query }) => history(deps, query),
  };
}

async function shownCredits({ store, ledger }: AdminDeps) {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  const { lifetime } = await ledger.spendOf(ACCOUNT_SCOPE);
  return {
    total_credits: toUsdNumber(toNanoUsd(found?.record.total ?? 0)),
    total_usage: toUsdNumber(lifetime.cost),
    unlimited: found === undefined,
  };
}

async function add(deps: AdminDeps, asked: Asked<Add>): Promise<true | typeof CONFLICT> {
  const { store, world } = deps;
  const totals = creditTotals(store);
  const found = await totals.get(ACCOUNT_CREDITS);
  const before = found?.record ?? { total: 0, entries: 0 };
  const amount = nanoOf(asked.body.amount_usd);
  const total = totalAfter(before.total, amount);
  const entries = before.entries + 1;
  const entry: CreditEntry = {
    id: world.id(),
    at: new Date(world.clock.now()).toISOString(),
    amount,
    total,
    reason: asked.body.reason,
    by: asked.caller.keyHash,
  };
  const done = await write(deps, {
    checks: [totals.check([ACCOUNT_CREDITS], found?.version ?? null)],
    puts: [totals.put([ACCOUNT_CREDITS], { total, entries }), creditEntries(store).put([entries], entry)],
    change: {
      ...askedBy(asked),
      operation: "credits.add",
      subject: { type: "credits", id: ACCOUNT_CREDITS },
      before: found === undefined ? null : { total_credits: toUsdNumber(toNanoUsd(before.total)) },
      after: { ...shownEntry(entry) },
    },
    epoch: { topic: "credits" },
  });
  return done ? true : CONFLICT;
}

const nanoOf = (usd: number): number => usd < 0 ? -usdFromNumber(-usd) : usdFromNumber(usd);

/** Throws a Refusal (400) for a total that cannot be. */
function totalAfter(before: number, amount: number): number {
  const total = before + amount;
  if (total >= 0 && total <= usdFromNumber(MAX_CREDITS_USD)) return total;
  const there = toUsdNumber(toNanoUsd(before));
  const most = toUsdNumber(toNanoUsd(usdFromNumber(MAX_CREDITS_USD) - before));
  const given = toUsdNumber(toNanoUsd(amount));
  throw new Refusal(
    "invalid_request",
    `Cannot change credits: amount_usd is ${given}, allowed is ${
      there === 0 ? 0 : -there
    } to ${most}, because ${there} USD are there`,
    { metadata: { path: "amount_usd" } },
  );
}

function shownEntry({ id, at, amount, total, reason, by }: CreditEntry) {
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
async function history({ store }: AdminDeps, { offset = 0, limit = DEFAULT_PAGE }: PageWish) {
  const found = await creditTotals(store).get(ACCOUNT_CREDITS);
  const count = found?.record.entries ?? 0;
  const newest = count - offset;
  if (newest <= 0) return { data: [], total_count: count };
  const rows = await creditEntries(store).list({ after: [newest + 1], reverse: true, limit });
  return { data: rows.map(({ record }) => shownEntry(record)), total_count: count };
}
