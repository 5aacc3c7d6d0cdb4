/** The cost of a request so far, in the USD of its answer. */

import { addUsd, toUsdNumber, ZERO } from "../../../shared/money.ts";
import type { RequestRecord } from "../../pipeline/request_context.ts";
import type { ReportedCost } from "../../protocols/wire.ts";

export function sumReportedCost({ calls, toolUse }: Pick<RequestRecord, "calls" | "toolUse">): ReportedCost {
  let charged = ZERO;
  let input = ZERO;
  let output = ZERO;
  let tools = ZERO;
  let known = false;
  let webSearches = 0;
  for (const { purpose, callCosts } of calls) {
    for (const { endpoint, charge, usage } of callCosts) {
      const sides = purpose === "model" ? charge : { input: ZERO, output: ZERO, tools: charge.total };
      if (endpoint?.byok !== true) charged = addUsd(charged, charge.total);
      input = addUsd(input, sides.input);
      output = addUsd(output, sides.output);
      tools = addUsd(tools, sides.tools);
      known ||= charge.by !== "nobody";
      webSearches += usage.webSearches ?? 0;
    }
  }
  const turns = calls.filter(({ purpose }) => purpose === "model").flatMap(({ callCosts }) => callCosts);
  return {
    cost: toUsdNumber(charged),
    upstreamCost: known ? toUsdNumber(addUsd(input, output)) : null,
    inputCost: toUsdNumber(input),
    outputCost: toUsdNumber(output),
    toolCost: toUsdNumber(tools),
    isByok: turns.at(-1)?.endpoint?.byok === true,
    webSearches,
    toolCallsRequested: toolUse.requested,
    toolCallsExecuted: toolUse.executed,
  };
}
