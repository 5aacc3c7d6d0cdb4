/** Estimates a request's input in tokens where its provider has not counted it. */

import { estimateMedia, type PageCounts } from "./media_estimate.ts";
import type { ContentPart, Item } from "../../protocols/canonical/item.ts";
import { mediaPartsOf } from "./request_media.ts";
import { type ModelRequest, readableTokens } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Tokenizer } from "../tokenizer/tokens.ts";
import { TextSample } from "./text_sample.ts";

export interface InputEstimate {
  readonly inputTokens: number;
  readonly inputImageTokens: number;
  readonly inputAudioTokens: number;
}

interface EstimatedInput {
  readonly request: ModelRequest;
  /** Absent: not chosen yet. */
  readonly endpoint?: Pick<Endpoint, "upstreamModel" | "model">;
  /** Absent: text by its scripts. */
  readonly tokenizer?: Tokenizer;
  readonly pages?: PageCounts;
}

/** Text by the tokenizer, media by what is likely; no more than the model can read. */
export function estimateInput({ request, endpoint, tokenizer, pages }: EstimatedInput): InputEstimate {
  const most = (endpoint && readableTokens(request, endpoint.model)) ?? Infinity;
  const media = estimateMedia(mediaPartsOf(request), {
    model: endpoint?.upstreamModel ?? "",
    pages,
  });
  const text = textOf(request, endpoint?.upstreamModel).tokens(tokenizer);
  const all = text + media.imageTokens + media.audioTokens + media.otherTokens;
  return {
    inputTokens: Math.min(all, most),
    inputImageTokens: Math.min(media.imageTokens, most),
    inputAudioTokens: Math.min(media.audioTokens, most),
  };
}

function textOf({ instructions, input, tools }: ModelRequest, model: string | undefined): TextSample {
  const text = new TextSample(model);
  if (instructions !== undefined) text.add(instructions);
  if (tools.length > 0) text.add(JSON.stringify(tools));
  for (const item of input) addItem(text, item);
  return text;
}

function addItem(text: TextSample, item: Item): void {
  switch (item.type) {
    case "message":
      return addParts(text, item.parts);
    case "reasoning":
      for (const words of [...item.content, ...item.summary]) text.add(words);
      return;
    case "call":
      text.add(item.name);
      return text.add(item.arguments);
    case "result":
      return typeof item.output === "string" ? text.add(item.output) : addParts(text, item.output);
    case "foreign":
      return text.add(item.textFallback ?? "");
    default:
      return item satisfies never;
  }
}

function addParts(text: TextSample, parts: readonly ContentPart[]): void {
  for (const part of parts) {
    if (part.type === "foreign") text.add(part.textFallback ?? JSON.stringify(part.value));
    else if ("text" in part) text.add(part.text);
  }
}
