/** How hard the model is to think, in the words of the server. */

import type { JsonObject } from "../../../canonical/item.ts";
import type { ReasoningOptions } from "../../../canonical/request.ts";
import { omitUndefined } from "../../common/outbound/render_body.ts";
import type { Dialect } from "../../wire.ts";

/** The published wire has one word for it; `enabled: false` is its `none`. */
export function renderReasoning(
  reasoning: ReasoningOptions | undefined,
  dialect: Dialect | undefined,
): JsonObject {
  if (reasoning === undefined) return {};
  const asked = reasoning.effort ?? (reasoning.enabled === false ? "none" : undefined);
  const effort = asked === undefined ? undefined : wordFor(asked, dialect?.efforts);
  const how = dialect?.asksReasoning ?? "effort";
  switch (how) {
    case "thinking":
      return reasoningSwitch({ effort, on: reasoning.enabled });
    case "object":
      return asObject({ ...reasoning, effort });
    case "effort":
      return { reasoning_effort: effort };
    default:
      return how satisfies never;
  }
}

const wordFor = (effort: string, words: Dialect["efforts"] = {}): string =>
  Object.hasOwn(words, effort) ? words[effort] ?? effort : effort;

/** Thinking is on or off; the word beside it tells the models that have degrees how hard. */
function reasoningSwitch({ effort, on }: { readonly effort?: string; readonly on?: boolean }): JsonObject {
  if (effort === "none" || on === false) return { thinking: { type: "disabled" } };
  if (effort === undefined && on === undefined) return {};
  return { thinking: { type: "enabled" }, reasoning_effort: effort };
}

/** Effort and budget exclude each other there; the budget says more. */
function asObject({ effort, maxTokens, enabled }: ReasoningOptions): JsonObject {
  const body = omitUndefined({
    effort: maxTokens === undefined ? effort : undefined,
    max_tokens: maxTokens,
    enabled: effort === undefined && maxTokens === undefined ? enabled : undefined,
  });
  return Object.keys(body).length === 0 ? {} : { reasoning: body };
}
