/** Tools that run models, as rows of a table: an outer model on the chat wire calls them, inner ones answer on another. */

import assert from "node:assert/strict";
import type { Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { bodyFor, nestedTool } from "./nested_rig.ts";
import { type Api, apis, calls, says, type ToolRig, type Turns } from "./rig.ts";

interface NestedKind {
  readonly tool: (model: string, more?: Json) => Json;
  /** Arguments of a call with a text, where the kind takes one. */
  readonly args: (text: string) => Json;
  /** Purpose of its calls on a receipt; the first is the run's own. */
  readonly purposes: readonly [string, ...string[]];
  /** Milliseconds after which a run is ended whose model says nothing. */
  readonly ms: number;
  /** A model's answer as the item tells it. */
  readonly answerIn: (item: Json) => unknown;
}

const rows = {
  advisor: {
    tool: (model, more) => nestedTool("advisor", { model, ...more }),
    args: (prompt) => ({ prompt }),
    purposes: ["advisor:answer"],
    ms: 120_000,
    answerIn: ({ advice }) => advice,
  },
  subagent: {
    tool: (model, more) => nestedTool("subagent", { model, ...more }),
    args: (task_description) => ({ task_name: "T", task_description }),
    purposes: ["subagent:task"],
    ms: 600_000,
    answerIn: ({ outcome }) => outcome,
  },
  fusion: {
    tool: (model, more) => ({
      type: "openrouter:fusion",
      parameters: { analysis_models: [model], model, tools: [], ...more },
    }),
    args: () => ({}),
    purposes: ["fusion:panel", "fusion:analysis"],
    ms: 300_000,
    answerIn: ({ responses }) => Array.isArray(responses) ? asObject(responses[0]).content : undefined,
  },
} as const satisfies Readonly<Record<string, NestedKind>>;

export type NestedKindName = keyof typeof rows;
export const nestedKinds: readonly NestedKindName[] = ["advisor", "subagent", "fusion"];
export const nestedKind = (name: NestedKindName): NestedKind => rows[name];

export interface NestedCase {
  readonly api: Api;
  readonly stream: boolean;
}

/** Each API, whole and streamed. */
export const nestedCases: readonly NestedCase[] = apis.flatMap((api) =>
  [false, true].map((stream) => ({ api, stream }))
);

/** The model of the rig whose wire inner models of these tables speak. */
export const INNER = "mock/messages";

interface NestedRequest extends NestedCase {
  readonly kind: NestedKindName;
  readonly model?: string;
  readonly more?: Json;
}

/** A request whose outer model may call one tool of the kind. */
export const requestOf = ({ kind, api, stream, model = INNER, more = {} }: NestedRequest): Json =>
  bodyFor(api, {
    model: "mock/chat",
    stream,
    tools: [nestedKind(kind).tool(model)],
    ...(api === "responses" ? { max_output_tokens: 50 } : { max_tokens: 50 }),
    ...more,
  });

export const WENT_ON = "I went on.";

/** One call of the tool, then a text. */
export const callsOnce = (kind: NestedKindName, text = "Left or right?") => (turn: number) =>
  turn === 0 ? [calls(kind, { args: nestedKind(kind).args(text) })] : [says(WENT_ON)];

interface Script {
  readonly outer: Turns;
  /** An inner model's answers, counted over all runs. */
  readonly inner?: (turn: number, body: Json) => readonly Planned[];
}

/** Tells inner models by their wire. */
export function planByWire(
  { plan }: Pick<ToolRig, "plan">,
  { outer, inner = () => [says("Wait.")] }: Script,
): void {
  const turns = { inner: 0, outer: 0 };
  plan((_turn, body) => body.model === "mock" ? outer(turns.outer++, body) : inner(turns.inner++, body));
}

/** A key with a limit of USD 1, under a guardrail. */
export async function guardedKey(gateway: Gateway, guardrail: Json): Promise<string> {
  const { key, record } = await createKey(gateway, { limit: 1 });
  const { body } = await managed(gateway, { call: "POST /guardrails", body: { name: "G", ...guardrail } });
  const { id } = asObject(body.data);
  const call = `POST /guardrails/${id}/assignments/keys`;
  const assigned = await managed(gateway, { call, body: { key_hashes: [record.hash] } });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  return key;
}
