/** What a request has cost so far, in the USD of its answer. */

import { addUsd, toUsdNumber, ZERO } from "../../../shared/money.ts";
import type { RequestRecord } from "../../pipeline/request_context.ts";
import type { ReportedCost } from "../../protocols/wire.ts";

export function sumReportedCost({ callCosts: bills }: Pick<RequestRecord, "callCosts">): ReportedCost {
  let charged = ZERO;
  let upstream = ZERO;
  let input = ZERO;
  let output = ZERO;
  let tools = ZERO;
  let known = false;
  let webSearches = 0;
  for (const { endpoint, charge, usage } of bills) {
    if (endpoint.byok !== true) charged = addUsd(charged, charge.total);
    upstream = addUsd(upstream, charge.total);
    input = addUsd(input, charge.input);
    output = addUsd(output, charge.output);
    tools = addUsd(tools, charge.tools);
    known ||= charge.by !== "nobody";
    webSearches += usage.webSearches ?? 0;
  }
  return {
    cost: toUsdNumber(charged),
    upstreamCost: known ? toUsdNumber(upstream) : null,
    inputCost: toUsdNumber(input),
    outputCost: toUsdNumber(output),
    toolCost: toUsdNumber(tools),
    isByok: bills.at(-1)?.endpoint.byok === true,
    webSearches,
  };
}
