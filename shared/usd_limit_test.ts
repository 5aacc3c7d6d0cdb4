import assert from "node:assert/strict";
import { validate } from "./validation/validate.ts";
import { usdLimitSchema } from "./usd_limit.ts";
import { nanoToUsd, toExactNano } from "./money.ts";

Deno.test("usdLimitSchema takes 0 to 1e9 in whole nano-USD", () => {
  for (const usd of [0, 1e-9, 0.1, 1 / 8, 12.345678901, 1e6 + 0.5, 999_999_999.9, 1e9]) {
    assert.deepEqual(validate(usdLimitSchema, usd), { ok: true, value: usd });
  }
  const zero = validate(usdLimitSchema, -0);
  assert(zero.ok && Object.is(zero.value, 0));
});

Deno.test("usdLimitSchema refuses everything else and names it", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [-1, "is -1; allowed is 0 to 1000000000 with at most 9 decimals"],
    [-1e-9, "is -1e-9; allowed"],
    [1e9 + 0.5, "is 1000000000.5; allowed"],
    [1e-10, "is 1e-10; allowed"],
    [0.1 + 0.2, "is 0.30000000000000004; allowed"],
    [Infinity, "is Infinity; a number is expected"],
    [NaN, "is NaN; a number is expected"],
    ["5", 'is "5"; a number is expected'],
    [null, "is null; a number is expected"],
  ];
  for (const [value, says] of cases) {
    const checked = validate(usdLimitSchema, value);
    assert(!checked.ok && checked.faults[0]?.message.includes(says), String(value));
  }
});

Deno.test("toExactNano and usdOfNano are each other's reverse", () => {
  const cases: readonly (readonly [number, bigint])[] = [
    [0, 0n],
    [1e-9, 1n],
    [0.000001, 1_000n],
    [1.5, 1_500_000_000n],
    [9_007_199.254740993, 9_007_199_254_740_993n],
    [1e9, 1_000_000_000_000_000_000n],
    [1e21, 10n ** 30n],
  ];
  for (const [usd, nano] of cases) {
    assert.equal(toExactNano(usd), nano);
    assert.equal(nanoToUsd(nano), usd);
  }
  for (const wrong of [-1, 1e-10, 1.0000000001, NaN, Infinity]) assert.equal(toExactNano(wrong), undefined);
});
