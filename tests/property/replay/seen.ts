/** Reads earlier turns from a request, in one form for all wires: seals, calls and results in their order. */

import type { MockedWire } from "../../mocks/upstreams.ts";
import { asList, asObject, isObject, type Json } from "../../support/event_stream.ts";
import { callIdOf, sealOf, type Turn } from "./turns.ts";

/** `seal …`, `call …` or `result …`; a seal of a part of Gemini's stands before what it seals. */
export type Seen = readonly string[];

const records = (value: unknown): readonly Json[] => Array.isArray(value) ? value.filter(isObject) : [];
const seal = (value: unknown): readonly string[] => typeof value === "string" ? [`seal ${value}`] : [];

const messages = (body: Json): Seen =>
  records(body.messages).flatMap(({ content }) =>
    records(content).flatMap(({ type, id, signature, tool_use_id }) => {
      if (type === "thinking") return seal(signature);
      if (type === "tool_use") return [`call ${id}`];
      return type === "tool_result" ? [`result ${tool_use_id}`] : [];
    })
  );

const bedrock = (body: Json): Seen =>
  records(body.messages).flatMap(({ content }) =>
    records(content).flatMap(({ reasoningContent, toolUse, toolResult }) => {
      if (isObject(reasoningContent)) return seal(asObject(reasoningContent.reasoningText).signature);
      if (isObject(toolUse)) return [`call ${toolUse.toolUseId}`];
      return isObject(toolResult) ? [`result ${toolResult.toolUseId}`] : [];
    })
  );

const UNKNOWN = "skip_thought_signature_validator";

const gemini = (body: Json): Seen =>
  records(body.contents).flatMap(({ parts }) =>
    records(parts).flatMap(({ thoughtSignature, functionCall, functionResponse }) => [
      ...(thoughtSignature === UNKNOWN ? [] : seal(thoughtSignature)),
      ...(isObject(functionCall) ? [`call ${functionCall.id}`] : []),
      ...(isObject(functionResponse) ? [`result ${functionResponse.id}`] : []),
    ])
  );

const responses = (body: Json): Seen =>
  records(body.input).flatMap(({ type, call_id, encrypted_content }) => {
    if (type === "reasoning") return seal(encrypted_content);
    if (type === "function_call") return [`call ${call_id}`];
    return type === "function_call_output" ? [`result ${call_id}`] : [];
  });

/** Details of a call are read with it, all others before. */
const chat = (body: Json): Seen =>
  asList(body.messages).map(asObject).flatMap(({ reasoning_details, tool_calls, tool_call_id }) => {
    const calls = records(tool_calls);
    const details = records(reasoning_details);
    const sealsOf = (some: readonly Json[]) => some.flatMap(({ signature, data }) => seal(signature ?? data));
    return [
      ...sealsOf(details.filter(({ id }) => !calls.some((call) => call.id === id))),
      ...calls.flatMap(({ id }) => [...sealsOf(details.filter((detail) => detail.id === id)), `call ${id}`]),
      ...(tool_call_id === undefined ? [] : [`result ${tool_call_id}`]),
    ];
  });

export const seenBy: { readonly [W in MockedWire]: (body: Json) => Seen } = {
  messages,
  bedrock,
  gemini,
  responses,
  chat,
};

/** Seals, calls and results that must be seen of turns whose calls are all answered. */
export const expected = (turns: readonly Turn[]): Seen =>
  turns.flatMap((turn) => [
    ...turn.flatMap((step) => [
      ...(step.thinks ? seal(sealOf(step)) : []),
      ...(step.type === "call" ? [`call ${callIdOf(step)}`] : []),
    ]),
    ...turn.filter(({ type }) => type === "call").map((step) => `result ${callIdOf(step)}`),
  ]);
