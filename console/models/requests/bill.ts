/** Lines of a bill, call by call, to the last of nine decimals. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { exactCost, parseUnitPrice, roundUpToNano, toNanoUsd, toUsdNumber } from "../../../shared/money.ts";

interface BillLine {
  readonly rate: string;
  readonly quantity: number;
  /** USD a million units; null where the price cannot be read. */
  readonly perMillion: number | null;
  /** USD; less than a nano-USD counts as one, as it does in the sum. Null where the price cannot be read. */
  readonly cost: number | null;
}

export interface BillPart {
  /** The call that the lines are for; undefined where the request was one call. */
  readonly call: NonNullable<ReceiptRecord["calls"]>[number] | undefined;
  readonly lines: readonly BillLine[];
}

const PER_MILLION = 1_000_000;

function lineOf({ rate, quantity, unit_price }: ReceiptRecord["lines"][number]): BillLine {
  try {
    const price = parseUnitPrice(unit_price);
    const cost = toUsdNumber(roundUpToNano(exactCost({ quantity, price })));
    return { rate, quantity, perMillion: Number(unit_price) * PER_MILLION, cost };
  } catch (error) {
    console.warn(error);
    return { rate, quantity, perMillion: null, cost: null };
  }
}

export function billParts({ lines, calls }: ReceiptRecord): readonly BillPart[] {
  const places = [...new Set(lines.map(({ call }) => call))];
  return places.map((place) => ({
    call: place === undefined ? undefined : calls?.[place],
    lines: lines.filter(({ call }) => call === place).map(lineOf),
  }));
}

/** `$0.002458`: nine decimals without needless zeros, six at least. */
export function formatBill(usd: number): string {
  const text = toUsdNumber(toNanoUsd(Math.round(usd * 1e9))).toFixed(9).replace(/0{1,3}$/, "");
  return text.startsWith("-") ? `-$${text.slice(1)}` : `$${text}`;
}

const prices = new Intl.NumberFormat("en-US", { maximumFractionDigits: 9 });

/** `1,000`, `0.075`. */
export function formatPerMillion(usd: number): string {
  return prices.format(usd);
}
