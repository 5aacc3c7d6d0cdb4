/** POST /models/{model}:batchEmbedContents of the Gemini API. */

import * as z from "zod";
import { omitUndefined } from "../../../shared/util/json.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { readObject } from "../common/outbound/read_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../wire.ts";
import { textsOf, vectorEvents } from "./vector_events.ts";

/** Types of other providers, in Google's words; its own words pass. */
const taskTypes: ReadonlyMap<string, string> = new Map([
  ["search_query", "RETRIEVAL_QUERY"],
  ["query", "RETRIEVAL_QUERY"],
  ["search_document", "RETRIEVAL_DOCUMENT"],
  ["document", "RETRIEVAL_DOCUMENT"],
  ["passage", "RETRIEVAL_DOCUMENT"],
  ["classification", "CLASSIFICATION"],
  ["clustering", "CLUSTERING"],
]);

export function renderGeminiEmbeddings(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const { dimensions, inputType } = request.embeddings ?? {};
  const model = `models/${endpoint.upstreamModel}`;
  const taskType = inputType === undefined ? undefined : taskTypes.get(inputType) ?? inputType;
  const requests = textsOf(request).map((text) =>
    omitUndefined({ model, content: { parts: [{ text }] }, taskType, outputDimensionality: dimensions })
  );
  const path = `/models/${encodeURIComponent(endpoint.upstreamModel)}:batchEmbedContents`;
  return { path, body: { requests }, dropped: [] };
}

const answerSchema = z.looseObject({
  embeddings: z.array(z.looseObject({ values: z.array(z.number()) })),
  usageMetadata: z.unknown().optional(),
});

export function parseGeminiEmbeddings(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const { data: answer } = answerSchema.safeParse(body);
  const usage = answer?.usageMetadata;
  return vectorEvents(answer?.embeddings.map(({ values }) => ({ values })), {
    request,
    wire: "gemini",
    usage,
    counts: [readObject(usage).promptTokenCount],
  });
}
