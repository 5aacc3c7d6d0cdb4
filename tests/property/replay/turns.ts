/** Random turns of a model that thinks and calls tools, and how a provider of each wire tells them. */

import fc from "fast-check";
import type { MockedWire } from "../../mocks/upstreams.ts";
import type { Json } from "../../support/event_stream.ts";

export interface Step {
  readonly type: "text" | "call";
  /** Whether a thought stands before it. */
  readonly thinks: boolean;
  /** Names it: an id, a text and what seals its thought are made of it. */
  readonly name: string;
}

/** Steps of a model in one turn: it says some things, then calls some tools. */
export type Turn = readonly Step[];

const thinks = fc.boolean();
const text = thinks.map((thinks) => ({ type: "text" as const, thinks }));
const call = thinks.map((thinks) => ({ type: "call" as const, thinks }));

const turn = fc.tuple(fc.array(text, { maxLength: 2 }), fc.array(call, { minLength: 1, maxLength: 3 }))
  .map(([texts, calls]) => [...texts, ...calls]);

export const conversations: fc.Arbitrary<readonly Turn[]> = fc.array(turn, { minLength: 1, maxLength: 3 })
  .map((turns) =>
    turns.map((steps, at) => steps.map((step, place): Step => ({ ...step, name: `t${at}s${place}` })))
  );

/** The seal of the thought before a step: a signature or encrypted content, as its wire has it. */
export const sealOf = ({ name }: Pick<Step, "name">): string => btoa(`seal ${name} ${"x".repeat(40)}`);
export const callIdOf = ({ name }: Pick<Step, "name">): string => `call_${name}`;
const argumentsOf = ({ name }: Step): Json => ({ at: name });

const messages = (turn: Turn): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: turn.flatMap((step) => [
    ...(step.thinks ? [{ type: "thinking", thinking: `thought ${step.name}`, signature: sealOf(step) }] : []),
    step.type === "text"
      ? { type: "text", text: step.name }
      : { type: "tool_use", id: callIdOf(step), name: "look", input: argumentsOf(step) },
  ]),
  stop_reason: "tool_use",
  usage: { input_tokens: 7, output_tokens: 9 },
});

const bedrock = (turn: Turn): Json => ({
  output: {
    message: {
      role: "assistant",
      content: turn.flatMap((step) => [
        ...(step.thinks
          ? [{
            reasoningContent: { reasoningText: { text: `thought ${step.name}`, signature: sealOf(step) } },
          }]
          : []),
        step.type === "text"
          ? { text: step.name }
          : { toolUse: { toolUseId: callIdOf(step), name: "look", input: argumentsOf(step) } },
      ]),
    },
  },
  stopReason: "tool_use",
  usage: { inputTokens: 7, outputTokens: 9, totalTokens: 16 },
});

/** Signatures stand on the part that they seal. */
const gemini = (turn: Turn): Json => ({
  candidates: [{
    index: 0,
    content: {
      role: "model",
      parts: turn.flatMap((step) => [
        ...(step.thinks ? [{ text: `thought ${step.name}`, thought: true }] : []),
        {
          ...(step.thinks ? { thoughtSignature: sealOf(step) } : {}),
          ...(step.type === "text"
            ? { text: step.name }
            : { functionCall: { id: callIdOf(step), name: "look", args: argumentsOf(step) } }),
        },
      ]),
    },
    finishReason: "STOP",
  }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9 },
});

const responses = (turn: Turn): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: turn.flatMap((step) => [
    ...(step.thinks
      ? [{ type: "reasoning", id: `rs_${step.name}`, summary: [], encrypted_content: sealOf(step) }]
      : []),
    step.type === "text"
      ? {
        type: "message",
        id: `msg_${step.name}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: step.name, annotations: [] }],
      }
      : {
        type: "function_call",
        id: `fc_${step.name}`,
        call_id: callIdOf(step),
        name: "look",
        arguments: JSON.stringify(argumentsOf(step)),
        status: "completed",
      },
  ]),
  usage: { input_tokens: 7, output_tokens: 9, total_tokens: 16 },
});

/** As OpenRouter tells it: a detail of a call has its id. */
const chat = (turn: Turn): Json => {
  const calls = turn.filter(({ type }) => type === "call");
  const texts = turn.filter(({ type }) => type === "text").map(({ name }) => name);
  const reasoning_details = turn.filter((step) => step.thinks).map((step, index) =>
    step.type === "call"
      ? {
        type: "reasoning.encrypted",
        data: sealOf(step),
        id: callIdOf(step),
        format: "google-gemini-v1",
        index,
      }
      : {
        type: "reasoning.text",
        text: `thought ${step.name}`,
        signature: sealOf(step),
        format: "anthropic-claude-v1",
        index,
      }
  );
  const message = {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n"),
    reasoning_details,
    tool_calls: calls.map((step) => ({
      id: callIdOf(step),
      type: "function",
      function: { name: "look", arguments: JSON.stringify(argumentsOf(step)) },
    })),
  };
  return {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
  };
};

/** A whole answer of each wire. */
export const answers: { readonly [W in MockedWire]: (turn: Turn) => Json } = {
  messages,
  bedrock,
  gemini,
  responses,
  chat,
};
