import assert from "node:assert/strict";
import {
  addUsd,
  costOf,
  formatUnitPrice,
  formatUsd,
  MoneyError,
  parseReportedUsd,
  parseUnitPrice,
  parseUsd,
  toNanoUsd,
  toUsdNumber,
  usdFromNumber,
} from "./money.ts";

Deno.test("parseUsd reads decimals exactly", () => {
  const cases = {
    "0": 0,
    "1": 1e9,
    "12.5": 12_500_000_000,
    "0.000000001": 1,
    "0.10": 100_000_000,
    "8999999": 8999999e9,
  };
  for (const [text, amount] of Object.entries(cases)) assert.equal(parseUsd(text), amount, text);
});

Deno.test("parseUsd refuses what it cannot read exactly", () => {
  for (
    const text of ["", "1e-6", "-1", "+1", " 1", "1.", ".5", "0x1", "NaN", "1,5", "0.0000000001", "99999999"]
  ) {
    assert.throws(() => parseUsd(text), MoneyError, text);
  }
});

Deno.test("parseUnitPrice keeps fractions of a nano-USD", () => {
  assert.equal(parseUnitPrice("0.0000000028"), 2_800_000_000n);
  assert.equal(parseUnitPrice("0.000000000000000001"), 1n);
  assert.throws(() => parseUnitPrice("0.0000000000000000001"), MoneyError);
});

Deno.test("costOf rounds up once, over all lines", () => {
  const price = parseUnitPrice("0.0000000004");
  assert.equal(costOf([{ quantity: 1, price }]), 1);
  assert.equal(costOf([{ quantity: 1, price }, { quantity: 1, price }]), 1);
  assert.equal(costOf([{ quantity: 1_000_000, price: parseUnitPrice("0.0000025") }]), 2_500_000_000);
  assert.equal(costOf([]), 0);
  for (const quantity of [-1, 0.5, NaN, 2 ** 53]) {
    assert.throws(() => costOf([{ quantity, price }]), MoneyError, String(quantity));
  }
});

Deno.test("an amount that is no exact whole number is refused", () => {
  for (const value of [0.5, 2 ** 53, NaN, Infinity]) assert.throws(() => toNanoUsd(value), MoneyError);
  assert.throws(() => addUsd(toNanoUsd(Number.MAX_SAFE_INTEGER), toNanoUsd(1)), MoneyError);
  assert.equal(addUsd(toNanoUsd(1), toNanoUsd(2), toNanoUsd(3)), 6);
});

Deno.test("toUsdNumber is the number that the decimal string stands for", () => {
  const amounts = [0, 1, 3, 2500, 10 ** 9, 10 ** 9 + 1, 123_456_789_012_345, -7, Number.MAX_SAFE_INTEGER];
  for (let index = 0; index < 10_000; index++) {
    amounts.push(Math.floor((index * 0.6180339887498949 % 1) * 10 ** (1 + index % 15)));
  }
  for (const amount of amounts) {
    assert.equal(toUsdNumber(toNanoUsd(amount)), Number(formatUsd(toNanoUsd(amount))), String(amount));
  }
});

Deno.test("usdFromNumber rounds a number of JSON to the nearest nano-USD", () => {
  assert.equal(usdFromNumber(0.1), 100_000_000);
  assert.equal(usdFromNumber(12.345678901234), 12_345_678_901);
  assert.equal(usdFromNumber(1e-7), 100);
  for (const usd of [-1, NaN, Infinity, 1e10]) assert.throws(() => usdFromNumber(usd), MoneyError);
});

Deno.test("amounts and prices survive being written and read", () => {
  for (let at = 0; at < 1_000; at++) {
    const amount = toNanoUsd(Math.floor(1.03 ** at % 4e15) + at);
    assert.equal(parseUsd(formatUsd(amount)), amount);
    const price = parseUnitPrice(formatUsd(amount));
    assert.equal(formatUnitPrice(price), formatUsd(amount));
    assert.equal(costOf([{ quantity: 1, price }]), amount);
    if (amount < 1e15) assert.equal(usdFromNumber(toUsdNumber(amount)), amount);
  }
});

Deno.test("parseReportedUsd reads what a provider says, rounded up, and nothing that is no amount", () => {
  const cases: readonly (readonly [unknown, number | undefined])[] = [
    [0, 0],
    [0.00014, 140_000],
    [0.1 + 0.2, 300_000_001],
    [1e-7, 100],
    [1.5e-9, 2],
    [1e-300, 1],
    [0.41, 410_000_000],
    ["0.0123", 12_300_000],
    ["4e-9", 4],
    [9_000_000, 9_000_000_000_000_000],
    [9_000_001, undefined],
    [1e21, undefined],
    [-0.1, undefined],
    [NaN, undefined],
    [Infinity, undefined],
    ["", undefined],
    ["free", undefined],
    ["0x10", undefined],
    [null, undefined],
    [true, undefined],
  ];
  for (const [reported, expected] of cases) {
    assert.equal(parseReportedUsd(reported), expected, String(reported));
  }
});
