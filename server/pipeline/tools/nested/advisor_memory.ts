/** An advisor's memory: what it was asked before in the conversation, and what it advised. */

import { isRecord, tryParseJson } from "../../../../shared/util/json.ts";
import type { Item, JsonObject, PassthroughItem, ToolCallItem } from "../../../protocols/canonical/item.ts";
import { textOf, type ToolInput } from "../tool_definition.ts";
import type { Exchange } from "../tool_memory.ts";

interface Advisor {
  /** Its own name; "" for one without. */
  readonly instance: string;
  /** Name under which the model calls it. */
  readonly name: string;
}

/** Exchanges of one advisor, those of the request's input first, then those of its own turns. */
export const exchangesWith = (
  { request: { input }, memory }: Pick<ToolInput, "request" | "memory">,
  advisor: Advisor,
): readonly Exchange[] => [...replayedExchanges(input, advisor), ...memory.exchangesOf(advisor.name)];

export function replayedExchanges(input: readonly Item[], { instance, name }: Advisor): readonly Exchange[] {
  const calls = new Map<string, ToolCallItem>();
  return input.flatMap((item): readonly Exchange[] => {
    if (item.type === "foreign") {
      return item.kind === "service:advisor" && instanceOf(item) === instance ? exchangeOf(item.value) : [];
    }
    if (item.type === "call" && item.name === name) calls.set(item.callId, item);
    if (item.type !== "result" || typeof item.output !== "string") return [];
    const call = calls.get(item.callId);
    return call === undefined ? [] : exchangeOf({ arguments: call.arguments, output: item.output });
  });
}

const instanceOf = ({ value }: PassthroughItem): string => textOf(value.instance_name)?.trim() ?? "";

/** None for a call that brought no advice. */
function exchangeOf(item: JsonObject): readonly Exchange[] {
  const prompt = textOf(item.prompt) ?? fieldIn(item.arguments, "prompt");
  const advice = textOf(item.advice) ?? fieldIn(item.output, "advice");
  return prompt === undefined || advice === undefined ? [] : [{ prompt, advice }];
}

function fieldIn(text: unknown, field: "prompt" | "advice"): string | undefined {
  const value = typeof text === "string" ? tryParseJson(text) : undefined;
  return isRecord(value) ? textOf(value[field]) : undefined;
}
