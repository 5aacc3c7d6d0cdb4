/** Vectors of a provider as the events of an answer. */

import { unreadableAnswer } from "../common/outbound/failures.ts";
import { EMBEDDINGS } from "../canonical/embeddings.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { WireId } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { isReported, normalizeUsage, type Usage } from "../canonical/usage.ts";
import { parseReportedCost } from "../common/outbound/parse_reported_cost.ts";
import { readNumber, readObject } from "../common/outbound/read_fields.ts";

interface Answered {
  readonly request: Pick<ModelRequest, "input" | "embeddings">;
  readonly wire: WireId;
  /** The provider's own object of counts. */
  readonly usage: unknown;
  /** Its counts of input tokens, whatever they are: the first that can be one holds. */
  readonly counts: readonly unknown[];
}

/** A vector as a provider gives it. */
interface AnsweredVector {
  /** Place of its text in the input; absent: its own place in the answer. */
  readonly index?: number;
  readonly values: readonly number[];
}

/** Numbers of one vector, many times those of any model. */
const MOST_NUMBERS = 65_536;

/** Texts that are to be embedded, in order. */
export const textsOf = ({ input }: Pick<ModelRequest, "input">): readonly string[] =>
  input.map((item) =>
    item.type !== "message" ? "" : item.parts.map((part) => part.type === "text" ? part.text : "").join("\n")
  );

/** A failure where the provider's answer does not have one usable vector for each text. */
export function vectorEvents(
  answered: readonly AnsweredVector[] | undefined,
  { request, wire, usage, counts }: Answered,
): readonly ModelEvent[] {
  const vectors = readVectors(answered ?? [], request);
  if (vectors === undefined) return [{ type: "failure", failure: unreadableAnswer }];
  const item = { type: "foreign", wire, kind: EMBEDDINGS, value: { vectors } } as const;
  return [
    { type: "begin" },
    { type: "item", itemKey: 0, item },
    { type: "item_done", itemKey: 0, item },
    { type: "finish", reason: "stop", usage: parseUsage(usage, counts) },
  ];
}

/** Undefined where the provider has not told how many tokens went in. Vectors are no tokens, whatever it counts. */
function parseUsage(raw: unknown, counts: readonly unknown[]): Usage | undefined {
  const inputTokens = counts.map(readNumber).find(isReported);
  if (inputTokens === undefined) return undefined;
  return normalizeUsage({
    inputTokens,
    outputTokens: 0,
    reportedCost: parseReportedCost(readObject(raw)),
    raw,
  });
}

/** The vectors in the order of the texts; undefined where a text has none, or two, or one that is not usable. */
function readVectors(
  answered: readonly AnsweredVector[],
  { input, embeddings }: Answered["request"],
): readonly (readonly number[])[] | undefined {
  if (answered.length !== input.length) return undefined;
  const length = embeddings?.dimensions ?? answered[0]?.values.length;
  const byIndex = new Map(answered.map(({ index, values }, at) => [index ?? at, values]));
  const vectors = input.flatMap((_text, at) => {
    const values = byIndex.get(at);
    return values?.length === length && isVector(values) ? [values] : [];
  });
  return vectors.length === input.length ? vectors : undefined;
}

/** True for numbers that clients can be given: as base64 each has 32 bits. */
function isVector(values: readonly number[] | undefined): values is readonly number[] {
  return values !== undefined && values.length > 0 && values.length <= MOST_NUMBERS &&
    values.every((value) => Number.isFinite(Math.fround(value)));
}
