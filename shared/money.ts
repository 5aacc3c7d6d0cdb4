/**
 * Money is a whole number of nano-USD (1e-9 USD); the only place where USD numbers are made from it, and where
 * prices become money. Nothing here is ever a float on the way: decimal strings are read digit by digit.
 */

declare const nano: unique symbol;
declare const atto: unique symbol;

/** An amount in nano-USD: a safe integer, so up to nine million USD. */
export type NanoUsd = number & { readonly [nano]: true };

/**
 * The price of one unit (token, image, request) in atto-USD (1e-18 USD): a token may cost a fraction of a
 * nano-USD, so prices are finer than amounts and only a request's whole cost is rounded, once and up.
 */
export type UnitPrice = bigint & { readonly [atto]: true };

const NANO_DIGITS = 9;
const ATTO_DIGITS = 18;
const ATTO_PER_NANO = 1_000_000_000n;

/** A decimal string that cannot be read, or an amount that is too fine or too large. */
export class MoneyError extends Error {
  override readonly name = "MoneyError";
}

/** The only place where a number becomes an amount. Throws when it is no whole number that is exact. */
export function toNanoUsd(value: number): NanoUsd {
  if (!Number.isSafeInteger(value)) throw new MoneyError(`Cannot take ${value} as nano-USD: it is not exact`);
  return value as NanoUsd;
}

export const ZERO: NanoUsd = toNanoUsd(0);

function asUnitPrice(value: bigint): UnitPrice {
  return value as UnitPrice;
}

/** Up to twelve digits before the point and any number after it; no sign, no exponent. */
const decimal = /^(\d{1,12})(?:\.(\d{1,40}))?$/;

/** `text` times 10 to the `digits`. Throws when that is not a whole number. */
function scaled(text: string, digits: number): bigint {
  const [, whole = "", fraction = ""] = decimal.exec(text) ?? [];
  if (whole === "") {
    throw new MoneyError(`Cannot read ${JSON.stringify(text.slice(0, 60))}: not a decimal number`);
  }
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > digits) {
    throw new MoneyError(`Cannot read ${text}: more than ${digits} digits after the point`);
  }
  return BigInt(whole + kept.padEnd(digits, "0"));
}

/** `"12.5"` USD → nano-USD, exactly. Throws a MoneyError for anything finer than a nano-USD. */
export function parseUsd(text: string): NanoUsd {
  return toNanoUsd(Number(scaled(text, NANO_DIGITS)));
}

/** `"0.0000025"` USD per unit → its exact price. */
export function parseUnitPrice(text: string): UnitPrice {
  return asUnitPrice(scaled(text, ATTO_DIGITS));
}

/** A number of JSON, such as the limit of a key, in USD; rounded to the nearest nano-USD. */
export function usdFromNumber(usd: number): NanoUsd {
  if (!Number.isFinite(usd) || usd < 0 || usd > 9_000_000) {
    throw new MoneyError(`Cannot take ${usd} as USD: allowed is 0 to 9000000`);
  }
  return parseUsd(usd.toFixed(NANO_DIGITS));
}

const NANO_PER_USD = 10 ** NANO_DIGITS;

/**
 * Nano-USD as the USD number that JSON carries. Amount and divisor are exact, and a division is rounded once: the
 * quotient is the very number that the decimal string stands for. Nothing is added, so that no zero is negative.
 */
export function toUsdNumber(amount: NanoUsd): number {
  return amount / NANO_PER_USD + 0;
}

/** Nano-USD as a decimal string in USD, without needless zeros: `2500` → `"0.0000025"`. */
export function formatUsd(amount: NanoUsd): string {
  return shifted(BigInt(amount), NANO_DIGITS);
}

/** A price as a decimal string in USD per unit. */
export function formatUnitPrice(price: UnitPrice): string {
  return shifted(price, ATTO_DIGITS);
}

function shifted(value: bigint, digits: number): string {
  const sign = value < 0n ? "-" : "";
  const all = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  const fraction = all.slice(-digits).replace(/0+$/, "");
  return `${sign}${all.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** So many units at so much each. */
interface PricedQuantity {
  /** A whole number, not negative. */
  readonly quantity: number;
  readonly price: UnitPrice;
}

/** Cost of the lines together, rounded up once. */
export function costOf(lines: readonly PricedQuantity[]): NanoUsd {
  return roundUpToNano(lines.reduce((sum, line) => sum + exactCost(line), 0n));
}

/** To the last atto-USD. */
export function exactCost({ quantity, price }: PricedQuantity): UnitPrice {
  return asUnitPrice(units(quantity) * price);
}

/** Atto-USD → nano-USD, up. What is below zero, such as a surcharge, is cut off towards zero. */
export function roundUpToNano(exact: bigint): NanoUsd {
  const whole = exact / ATTO_PER_NANO;
  return toNanoUsd(Number(exact > 0n && exact % ATTO_PER_NANO !== 0n ? whole + 1n : whole));
}

/** An amount as exact as prices are. */
export function toUnitPrice(amount: NanoUsd): UnitPrice {
  return asUnitPrice(BigInt(amount) * ATTO_PER_NANO);
}

/** The price of one of several units that cost so much together; what is left of an atto-USD is cut off. */
export function unitPriceOf(amount: NanoUsd, quantity: number): UnitPrice {
  return asUnitPrice(toUnitPrice(amount) / units(Math.max(1, quantity)));
}

/** The shortest way to write a number, which may have an exponent. */
const written = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/i;

/**
 * A cost in USD as a provider tells it, a number or a decimal string, rounded up to the nano-USD. Undefined for what
 * is no amount: not a number, negative, or more than nine million.
 */
export function parseReportedUsd(value: unknown): NanoUsd | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = written.exec(String(value)) ?? [];
  if (whole === "" || !(Number(value) <= 9_000_000)) return undefined;
  const shift = NANO_DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return toNanoUsd(Number(digits * 10n ** BigInt(shift)));
  const unit = 10n ** BigInt(Math.min(-shift, 400));
  return toNanoUsd(Number((digits + unit - 1n) / unit));
}

function units(quantity: number): bigint {
  if (Number.isSafeInteger(quantity) && quantity >= 0) return BigInt(quantity);
  throw new MoneyError(`Cannot charge ${quantity} units: allowed are whole numbers from 0`);
}

export function addUsd(...amounts: readonly NanoUsd[]): NanoUsd {
  let sum = 0;
  for (const amount of amounts) sum += amount;
  return toNanoUsd(sum);
}

/** A USD number as exact nano-USD; undefined for what is negative, not finite, or finer than a nano-USD. */
export function toExactNano(usd: number): bigint | undefined {
  const [, whole = "", fraction = "", exponent = "0"] = written.exec(String(usd)) ?? [];
  if (whole === "") return undefined;
  const shift = NANO_DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return digits % unit === 0n ? digits / unit : undefined;
}

/** Nano-USD, of any size, as the USD number that JSON carries. */
export function nanoToUsd(nano: bigint): number {
  return Number(shifted(nano, NANO_DIGITS));
}
