/** The canonical request: what a client asked, in our own words, whatever wire it came on. */

import type { ProviderPreferences, StopCondition, Trace } from "../../shared/fields/gateway_preferences.ts";
import type { Plugin } from "../../shared/responses/plugins.ts";
import type { CacheMark, Extra, Item, Json, WireId } from "./item.ts";
import type { SpeechWish } from "./speech.ts";

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  /** JSON schema; null when the client gave none. */
  readonly parameters: Json | null;
  readonly strict?: boolean | null;
  readonly deferLoading?: boolean;
  readonly extra?: Extra;
}

export type CustomFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: string; readonly definition: string };

export interface CustomTool {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string;
  readonly format?: CustomFormat;
  readonly extra?: Extra;
}

export interface NamespaceTool {
  readonly type: "namespace";
  readonly name: string;
  readonly description?: string;
  readonly tools: readonly (FunctionTool | CustomTool)[];
  readonly extra?: Extra;
}

/** A tool that only one wire's providers can host (web_search, file_search, mcp, shell …), as its wire spells it. */
export interface HostedTool {
  readonly type: "hosted";
  readonly wire: WireId;
  readonly kind: string;
  readonly value: Json;
}

/** A tool that the gateway runs: `kind` is the canonical name after `service:`; `spelled` is what the client wrote. */
export interface ServerTool {
  readonly type: "server";
  readonly kind: string;
  readonly spelled: string;
  readonly parameters: Json;
}

export type Tool = FunctionTool | CustomTool | NamespaceTool | HostedTool | ServerTool;

export interface NamedTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly namespace?: string;
}

export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  | { readonly type: "required" }
  | { readonly type: "named"; readonly tool: NamedTool }
  | { readonly type: "hosted"; readonly kind: string; readonly value: Json }
  | {
    readonly type: "allowed";
    readonly mode: "auto" | "required";
    readonly tools: readonly NamedTool[];
    readonly value: Json;
  };

export type Format =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
    readonly type: "json_schema";
    readonly name: string;
    readonly schema: Json;
    readonly description?: string;
    readonly strict?: boolean | null;
  };

export interface Reasoning {
  readonly effort?: string;
  readonly summary?: string;
  readonly maxTokens?: number;
  readonly enabled?: boolean;
  readonly context?: string;
  readonly mode?: string;
}

/** Who is behind the caller; never leaves the gateway raw (gateway-api.md, `safety_identifier`). */
export interface EndUser {
  readonly user?: string;
  readonly safetyIdentifier?: string;
}

/** Numbers are tokens, probabilities or the provider's own scales, exactly as the client sent them. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly topLogprobs?: number;
  readonly minP?: number;
  readonly topA?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  /** Token id → bias, as the client sent them: other models count their tokens otherwise. */
  readonly logitBias?: Readonly<Record<string, number>>;
}

export interface ModelRequest {
  readonly model?: string;
  readonly models: readonly string[];
  readonly instructions?: string;
  readonly input: readonly Item[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  /** Texts that end the answer before they are said. */
  readonly stop?: readonly string[];
  readonly sampling: Sampling;
  readonly reasoning?: Reasoning;
  readonly format: Format;
  readonly verbosity?: string;
  readonly modalities?: readonly ("text" | "image")[];
  readonly imageConfig?: Json;
  /** The input is to be spoken. */
  readonly speech?: SpeechWish;
  readonly stream: boolean;
  readonly include: readonly string[];
  readonly serviceTier?: string;
  readonly truncation?: "auto" | "disabled";
  readonly promptCacheKey?: string;
  readonly promptCacheOptions?: Json;
  readonly cache?: CacheMark;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly endUser: EndUser;
  readonly sessionId?: string;
  readonly maxToolCalls?: number;
  readonly stopWhen?: readonly StopCondition[];
  readonly plugins: readonly Plugin[];
  readonly provider?: ProviderPreferences;
  readonly trace?: Trace;
  readonly echoUpstreamBody: boolean;
  /** Anthropic's betas that the client names (`x-anthropic-beta`, wire-reference §2.2), for the wire that has them. */
  readonly betas?: readonly string[];
  /** Unknown top-level keys of the client's wire; sent on only where the endpoint's row lists them. */
  readonly extra?: Extra;
  /** What was dropped while parsing, in words for the routing metadata (`item_reference rs_1`). */
  readonly dropped: readonly string[];
}
