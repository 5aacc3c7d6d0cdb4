/** POST /embeddings as OpenAI, Mistral and compatible servers take it. */

import * as z from "zod";
import { omitUndefined } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { WireId } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { readObject } from "../common/outbound/read_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../wire.ts";
import { textsOf, vectorEvents } from "./vector_events.ts";

/** Numbers are asked for whatever the client wants: not every server knows base64. */
export function renderEmbeddings(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const { dimensions, inputType } = request.embeddings ?? {};
  const takesType = endpoint.passKeys.includes("input_type");
  const fields = omitUndefined({
    model: endpoint.upstreamModel,
    input: textsOf(request),
    dimensions,
    encoding_format: "float",
    input_type: takesType ? inputType : undefined,
    user: endpoint.omit.includes("user") ? undefined : endpoint.safetyIdentifier,
  });
  const body = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [ownValue(endpoint.rename, name) ?? name, value]),
  );
  const dropped = inputType !== undefined && !takesType ? ["input_type"] : [];
  return { path: "/embeddings", body, dropped };
}

const answerSchema = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().optional(), embedding: z.array(z.number()) })),
  usage: z.unknown().optional(),
});

export const parseEmbeddings =
  (wire: WireId) => (body: unknown, request: ModelRequest): readonly ModelEvent[] => {
    const { data: answer } = answerSchema.safeParse(body);
    const vectors = answer?.data.map(({ index, embedding }) => ({ index, values: embedding }));
    const { prompt_tokens, total_tokens } = readObject(answer?.usage);
    const counts = [prompt_tokens, total_tokens];
    return vectorEvents(vectors, { request, wire, usage: answer?.usage, counts });
  };
