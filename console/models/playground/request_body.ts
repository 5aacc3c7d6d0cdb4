/** The body of a run: settings and messages as the Responses API takes them. */

import type { Attachment } from "./attachments.ts";
import type { Json } from "./json.ts";
import {
  maxTokensRange,
  numberParameterNames,
  numberParameters,
  type StoredSettings,
  toNumber,
} from "./settings.ts";

/** A message of the user. */
export interface UserMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

function partOf({ kind, name, type, data }: Attachment): Json {
  if (kind === "text") return { type: "input_text", text: `${name}:\n\n${data}` };
  if (kind === "image") return { type: "input_image", image_url: `data:${type};base64,${data}` };
  if (kind === "audio") {
    const format = type.includes("wav") ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data, format } };
  }
  return { type: "input_file", filename: name, file_data: `data:${type};base64,${data}` };
}

export function messageItem({ text, attachments }: UserMessage): Json {
  const own = text === "" ? [] : [{ type: "input_text", text }];
  // What a reload has dropped is not there any more.
  const kept = attachments.filter(({ data, size }) => data !== "" || size === 0);
  return { type: "message", role: "user", content: [...kept.map(partOf), ...own] };
}

const slugs = (text: string): readonly string[] | undefined => {
  const found = text.split(",").map((one) => one.trim()).filter((one) => one !== "");
  return found.length === 0 ? undefined : found;
};

/** Fields that are not said are left out, so that what is copied is as short as it can be. */
function said(fields: Json): Json {
  const kept = Object.entries(fields).filter(([, value]) =>
    value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0)
  );
  return Object.fromEntries(kept);
}

function providerOf({ order, only, ignore, noDataCollection }: StoredSettings): Json | undefined {
  const preferences = said({
    sort: order,
    only: slugs(only),
    ignore: slugs(ignore),
    data_collection: noDataCollection ? "deny" : undefined,
  });
  return Object.keys(preferences).length === 0 ? undefined : preferences;
}

interface BodyInput {
  readonly model: string;
  /** Items. */
  readonly input: readonly Json[];
}

export function requestBody(settings: StoredSettings, { model, input }: BodyInput): Json {
  const { fallbacks, instructions, tools, plugins, effort, maxTokens, numbers } = settings;
  const others = fallbacks.filter((one) => one !== model);
  const typed = numberParameterNames.map((name) =>
    [name, toNumber(numbers[name] ?? "", numberParameters[name])] as const
  );
  return said({
    ...others.length === 0 ? { model } : { models: [model, ...others] },
    instructions,
    input,
    tools: tools.map((tool) => ({ type: `service:${tool}` })),
    plugins: plugins.map((id) => ({ id })),
    provider: providerOf(settings),
    reasoning: effort === "" ? undefined : effort === "none" ? { effort } : { effort, summary: "auto" },
    max_output_tokens: toNumber(maxTokens, maxTokensRange),
    ...Object.fromEntries(typed),
  });
}
