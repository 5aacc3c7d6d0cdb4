/** Settings of an advisor: of the gateway's tool, or of Anthropic's, which knows the whole conversation. */

import * as z from "zod";
import type { CacheBreakpoint, JsonObject } from "../../../protocols/canonical/item.ts";
import type { ReasoningOptions } from "../../../protocols/canonical/request.ts";
import type { SettingsIssue } from "../tool_definition.ts";
import { checkNestedSettings, flag, instanceNameOf, nestedSettings } from "./nested_settings.ts";

interface AdvisorSettings {
  /** Undefined: the call may name one, else it is the model that has called. */
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly forwardsTranscript: boolean;
  /** Its text is told while it comes. */
  readonly streams: boolean;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly reasoning: ReasoningOptions | undefined;
  /** Calls of a request; undefined: as many as the gateway allows. */
  readonly maxUses: number | undefined;
  readonly cache: CacheBreakpoint | undefined;
}

const ownSchema = z.object({ ...nestedSettings, forward_transcript: flag, stream: flag });

const caching = z.object(
  { type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).nullish() },
  'must be {"type": "ephemeral"}, with a ttl of "5m" or "1h", or null',
);
const model = z.string("must name the model that advises").min(1, "must name the model that advises");
const wholeNumber = z.int("must be a whole number").min(1, "must be at least 1").nullish();

/** Anthropic's own. */
const anthropicSchema = z.looseObject({
  model,
  max_uses: wholeNumber,
  max_tokens: wholeNumber,
  caching: caching.nullish(),
});

const isOfAnthropic = ({ type }: JsonObject): boolean =>
  typeof type === "string" && /^advisor_\d{8}$/.test(type);

export function advisorSettings(settings: JsonObject): AdvisorSettings {
  if (isOfAnthropic(settings)) return settingsOfAnthropic(settings);
  const read = ownSchema.parse(settings);
  return {
    model: read.model,
    instructions: read.instructions,
    forwardsTranscript: read.forward_transcript,
    streams: read.stream,
    maxTokens: read.max_completion_tokens,
    temperature: read.temperature,
    reasoning: read.reasoning,
    maxUses: undefined,
    cache: undefined,
  };
}

function settingsOfAnthropic(settings: JsonObject): AdvisorSettings {
  const { model, max_uses, max_tokens, caching: cache } = anthropicSchema.parse(settings);
  return {
    model,
    instructions: undefined,
    forwardsTranscript: true,
    streams: false,
    maxTokens: max_tokens ?? undefined,
    temperature: undefined,
    reasoning: undefined,
    maxUses: max_uses ?? undefined,
    cache: cache ? { ttl: cache.ttl ?? undefined } : undefined,
  };
}

export const advisorName = (settings: JsonObject): string =>
  isOfAnthropic(settings) ? "" : instanceNameOf(settings);

export function checkAdvisor(settings: JsonObject): SettingsIssue | undefined {
  if (!isOfAnthropic(settings)) return checkNestedSettings(settings);
  const [issue] = anthropicSchema.safeParse(settings).error?.issues ?? [];
  if (issue !== undefined) return { field: issue.path.join("."), message: issue.message };
  return checkNestedSettings({ model: settings.model });
}
