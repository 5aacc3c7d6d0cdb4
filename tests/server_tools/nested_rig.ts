/** Tools that run models: an outer model that calls them, and inner ones, behind a mock of each wire. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type Api, says, type ToolRig, type Turns } from "./rig.ts";

/** Stands in the instructions of an inner model, so that the mocks know it. */
export const MARK = "Mind the inner rules.";

/** Or those that an advisor has where the tool says none. */
const DEFAULT = "You advise another model";

export const isInner = (body: Json): boolean => {
  const text = JSON.stringify(body);
  return text.includes(MARK) || text.includes(DEFAULT);
};

interface Script {
  readonly outer: Turns;
  /** Its turns are counted over all inner runs. */
  readonly inner?: Turns;
}

export function planBoth(
  { plan }: Pick<ToolRig, "plan">,
  { outer, inner = () => [says("Wait.")] }: Script,
): void {
  const turns = { inner: 0, outer: 0 };
  plan((_turn, body) => isInner(body) ? inner(turns.inner++, body) : outer(turns.outer++, body));
}

/** A tool that runs the model of a mock, with instructions by which the mocks know it. */
export const nestedTool = (kind: "advisor" | "subagent", parameters: Json = {}): Json => ({
  type: `openrouter:${kind}`,
  parameters: { instructions: MARK, ...parameters },
});

/** The request of an API with tools. */
export const bodyFor = (
  api: Api,
  { model, tools, ...more }: Json & { readonly tools: readonly Json[] },
): Json =>
  api === "responses"
    ? { model, input: [{ role: "user", content: "Do it." }], tools, ...more }
    : { model, messages: [{ role: "user", content: "Do it." }], tools, max_tokens: 500, ...more };

/** The result of the last call that an outer model on the chat wire was told. */
export function resultSeenBy(body: Json | undefined): Json {
  const result = asList(body?.messages).map(asObject).findLast(({ role }) => role === "tool");
  assert(result !== undefined);
  return asObject(JSON.parse(String(result.content)));
}
