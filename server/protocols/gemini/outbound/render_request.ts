/** The canonical request → the body of POST /models/{model}:generateContent. */

import { ownValue } from "../../../../shared/util/own_value.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { unsentOf, unsupportedOptions } from "../../common/outbound/unsent_fields.ts";
import type { EndpointTraits, RenderedRequest } from "../../wire.ts";
import { type ModelFamily, modelFamily } from "./model_family.ts";
import { renderConfig } from "./render_config.ts";
import { renderContents } from "./render_contents.ts";
import { renderTools } from "./render_tools.ts";

/** Throws an ApiError where the caller demands what this wire cannot say. */
export function renderRequest(request: ModelRequest, endpoint: EndpointTraits): RenderedRequest {
  const family = modelFamily(endpoint.upstreamModel);
  const tools = renderTools(request);
  const { instructions, input } = request;
  const conversation = renderContents({ instructions, input, names: tools.names, family });
  const made = renderConfig(request, { family, endpoint, hasTools: tools.body.tools !== undefined });
  const body = omitUndefined({
    systemInstruction: systemOf([...conversation.system, ...made.formatInstruction]),
    contents: conversation.contents,
    ...tools.body,
    generationConfig: Object.keys(made.config).length === 0 ? undefined : made.config,
    serviceTier: tierOf(request.serviceTier),
  });
  const dropped = [
    ...tools.dropped,
    ...conversation.dropped,
    ...made.dropped,
    ...unsupportedParameters(request, family),
  ];
  return { path: pathOf(request, endpoint), body, dropped: [...new Set(dropped)] };
}

/** A name with a slash says itself what it is (`tunedModels/…`). Without `alt=sse` the stream is one JSON list. */
function pathOf({ stream }: ModelRequest, { upstreamModel }: EndpointTraits): string {
  const name = upstreamModel.split("/").map(encodeURIComponent).join("/");
  const model = name.includes("/") ? name : `models/${name}`;
  return `/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
}

function systemOf(texts: readonly string[]): JsonObject | undefined {
  return texts.length === 0 ? undefined : { parts: texts.map((text) => ({ text })) };
}

/** `auto` is what the provider does unasked; `scale` is a contract it does not know. */
const tiers: Readonly<Record<string, string>> = {
  default: "standard",
  flex: "flex",
  fast: "priority",
  priority: "priority",
};

const tierOf = (tier: string | undefined) => tier === undefined ? undefined : ownValue(tiers, tier);

const options = ["top_k", "seed", "logprobs", "top_logprobs", "modalities image", "image_config"] as const;
const penalties = ["presence_penalty", "frequency_penalty"] as const;

/** Lists the requested parameters that this wire has no key for. */
function unsupportedParameters(request: ModelRequest, family: ModelFamily): readonly string[] {
  return [
    ...unsupportedOptions(request, family.penalties ? [...options, ...penalties] : options),
    ...(request.serviceTier === "scale" ? ["service_tier scale"] : []),
    ...unsentOf(request, { wire: "gemini", fields: ["is_error"], passes: () => false }),
  ];
}
