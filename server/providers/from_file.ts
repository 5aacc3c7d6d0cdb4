/** Providers of the configuration file. */

import type { ModelRow, ProviderRow } from "../config.ts";
import type { WireId } from "../hub/item.ts";
import { toPriceList } from "../../shared/models.ts";
import { assumedModalities, type Provider, type Quirks } from "./endpoint.ts";
import type { ModelData } from "./row.ts";

/** The provider of a row. `key` is the value of the variable that the row names for it. */
export function toProvider(row: ProviderRow, key: string | undefined): Provider {
  return {
    id: row.id,
    name: row.name ?? row.id,
    wire: row.wire,
    baseUrl: row.base_url,
    headers: { ...row.headers, ...keyHeader(row.wire, key) },
    quirks: toQuirks(row.quirks),
    open: row.open,
    dataPolicy: row.data_policy,
  };
}

/** Where a wire's own service wants its key; the others take it as a bearer. */
const keyHeaders: { readonly [W in WireId]?: string } = { gemini: "x-goog-api-key", messages: "x-api-key" };

/** The header that carries a provider's key; none for servers that ask for none. */
export function keyHeader(wire: WireId, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  const name = keyHeaders[wire];
  return name === undefined ? { authorization: `Bearer ${key}` } : { [name]: key };
}

/** What a row leaves out is unknown; the catalog may know it. */
export function toModelData(row: ModelRow): ModelData {
  return {
    model: {
      id: row.id,
      name: row.name ?? row.id,
      created: row.created ?? 0,
      description: row.description,
      contextLength: row.context_length ?? null,
      inputModalities: row.input_modalities ?? assumedModalities,
      outputModalities: row.output_modalities ?? assumedModalities,
      supportedParameters: row.supported_parameters ?? [],
      tokenizer: row.tokenizer,
      hidden: row.hidden,
    },
    upstreamModel: row.upstream_id ?? row.id,
    maxOutputTokens: row.max_output_tokens ?? null,
    pricing: row.pricing === undefined ? null : toPriceList(row.pricing),
  };
}

function toQuirks(row: ProviderRow["quirks"]): Quirks {
  return {
    passKeys: row.pass_keys,
    omit: row.omit,
    rename: row.rename,
    developerRole: row.developer_role,
    reasoningReplay: row.reasoning_replay,
    serviceTiers: row.service_tiers,
    dialect: row.dialect && {
      asksReasoning: row.dialect.asks_reasoning,
      efforts: row.dialect.efforts,
      jsonSchema: row.dialect.json_schema,
      toolChoices: row.dialect.tool_choices,
      thinkTags: row.dialect.think_tags,
    },
    extraBody: row.extra_body,
  };
}
