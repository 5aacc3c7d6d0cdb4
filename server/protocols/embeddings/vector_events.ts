/** Vectors of a provider as the events of an answer. */

import { unreadableAnswer } from "../common/outbound/failures.ts";
import { EMBEDDINGS } from "../canonical/embeddings.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { WireId } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { normalizeUsage } from "../canonical/usage.ts";

interface Answered {
  readonly request: Pick<ModelRequest, "input">;
  readonly wire: WireId;
  /** Input tokens that the provider counted. */
  readonly tokens: number | undefined;
}

/** Texts that are to be embedded, in order. */
export const textsOf = ({ input }: Pick<ModelRequest, "input">): readonly string[] =>
  input.map((item) =>
    item.type !== "message" ? "" : item.parts.map((part) => part.type === "text" ? part.text : "").join("\n")
  );

/** A failure where a text has no vector, or the provider's answer is none. */
export function vectorEvents(
  vectors: readonly (readonly number[])[] | undefined,
  { request, wire, tokens }: Answered,
): readonly ModelEvent[] {
  if (vectors?.length !== request.input.length) return [{ type: "failure", failure: unreadableAnswer }];
  const item = { type: "foreign", wire, kind: EMBEDDINGS, value: { vectors } } as const;
  const usage = tokens === undefined ? undefined : normalizeUsage({ inputTokens: tokens, outputTokens: 0 });
  return [
    { type: "begin" },
    { type: "item", itemKey: 0, item },
    { type: "item_done", itemKey: 0, item },
    { type: "finish", reason: "stop", usage },
  ];
}
