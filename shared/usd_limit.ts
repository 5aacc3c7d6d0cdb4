/** Limits in USD as requests give them. */

import * as z from "zod";
import { toExactNano } from "./money.ts";

const MAX_LIMIT_USD = 1_000_000_000;

const allowed = `allowed is 0 to ${MAX_LIMIT_USD} with at most 9 decimals`;

/** Finite, 0 to 1e9, whole nano-USD. The fault names the value. */
export const usdLimitSchema = z.number().refine(
  (usd) => Object.is(usd, -0) || (usd <= MAX_LIMIT_USD && toExactNano(usd) !== undefined),
  { error: ({ input }) => `is ${String(input)}; ${allowed}` },
).transform((usd) => usd === 0 ? 0 : usd);
