/** How a host is asked to think. */

import { ownValue } from "../../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../../shared/util/json.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import type { EditableCall, TraitContext } from "./trait_rule.ts";

/** The effort in the host's own word. */
export function withOwnEfforts(request: ModelRequest, { endpoint: { efforts } }: TraitContext): ModelRequest {
  const { reasoning } = request;
  if (efforts === undefined || reasoning === undefined) return request;
  const effort = reasoning.effort ?? (reasoning.enabled === false ? "none" : undefined);
  const word = effort === undefined ? undefined : ownValue(efforts, effort);
  return word === undefined ? request : { ...request, reasoning: { ...reasoning, effort: word } };
}

/** Thinking is on or off; the word beside it tells the models that have degrees how hard. */
export function withThinkingSwitch(
  call: EditableCall,
  { request: { reasoning } }: TraitContext,
): EditableCall {
  if (reasoning === undefined) return call;
  const { reasoning_effort: effort, ...body } = call.body;
  const { enabled } = reasoning;
  if (effort === "none" || enabled === false) {
    return { ...call, body: { ...body, thinking: { type: "disabled" } } };
  }
  if (effort === undefined && enabled === undefined) return call;
  const switched = omitUndefined({ thinking: { type: "enabled" }, reasoning_effort: effort });
  return { ...call, body: { ...body, ...switched } };
}

/** Effort and budget exclude each other there; the budget says more. */
export function withReasoningObject(
  call: EditableCall,
  { request: { reasoning }, noteSent }: TraitContext,
): EditableCall {
  if (reasoning === undefined) return call;
  const { reasoning_effort: effort, ...body } = call.body;
  const { maxTokens, enabled } = reasoning;
  if (maxTokens !== undefined) noteSent("reasoning.max_tokens");
  const object = omitUndefined({
    effort: maxTokens === undefined ? effort : undefined,
    max_tokens: maxTokens,
    enabled: effort === undefined && maxTokens === undefined ? enabled : undefined,
  });
  return Object.keys(object).length === 0 ? call : { ...call, body: { ...body, reasoning: object } };
}
