/** The canonical request: what a client asked, in our own words, whatever wire it came on. */

import type {
  ProviderPreferences,
  StopCondition,
  Trace,
} from "../../../shared/fields/gateway_preferences.ts";
import type { FileAnnotation } from "../../../shared/chat/file_annotation.ts";
import type { Plugin } from "../../../shared/responses/plugins.ts";
import type { TaskType } from "../../../shared/task_types.ts";
import type { CacheBreakpoint, Item, JsonObject, WireExtra, WireId } from "./item.ts";
import type { EmbeddingOptions } from "./embeddings.ts";
import type { SpeechOptions } from "./speech.ts";

export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  /** JSON schema; null when the client gave none. */
  readonly parameters: JsonObject | null;
  /**
   * Whether calls are held to the schema. Absent: the client did not ask for it, as in chat and Messages
   * requests that do not say it. Null: the provider decides, as the Responses API has it for those that do
   * not.
   */
  readonly strict?: boolean | null;
  readonly deferLoading?: boolean;
  /** The tool of an MCP server for which it stands. */
  readonly mcp?: { readonly label: string; readonly name: string };
  readonly extra?: WireExtra;
}

export type CustomToolFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: string; readonly definition: string };

export interface CustomTool {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string;
  readonly format?: CustomToolFormat;
  readonly extra?: WireExtra;
}

export interface NamespaceTool {
  readonly type: "namespace";
  readonly name: string;
  readonly description?: string;
  readonly tools: readonly (FunctionTool | CustomTool)[];
  readonly extra?: WireExtra;
}

/** A tool that only one wire's providers can host (web_search, file_search, mcp, shell …), as its wire spells it. */
export interface HostedTool {
  readonly type: "hosted";
  readonly wire: WireId;
  readonly kind: string;
  readonly value: JsonObject;
  /** Tool for other wires. The gateway runs it where `server_tools` has set it, else the client does. */
  readonly substitute?: FunctionTool;
  /** The client answers its calls, whichever endpoint makes them. */
  readonly isByClient?: true;
  /** Its provider would run it for a price that nobody knows beforehand, and the caller has a limit. */
  readonly isOnlyOurs?: true;
  /** Tools found by a search that the client runs. They stand beside the substitute. */
  readonly found?: readonly Tool[];
}

/** A tool that the gateway runs: `kind` is the canonical name after `service:`; `originalType` is what the client wrote. */
export interface ServerTool {
  readonly type: "server";
  readonly kind: string;
  readonly originalType: string;
  readonly parameters: JsonObject;
  /**
   * Function that the model is offered instead; set by `server_tools`, absent for a tool that the gateway cannot run.
   */
  readonly substitute?: FunctionTool;
  /** Plugin of the router whose models alone are offered it, where a slug has brought it. */
  readonly onlyForRouter?: string;
}

export type Tool = FunctionTool | CustomTool | NamespaceTool | HostedTool | ServerTool;

export interface ToolReference {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly namespace?: string;
}

export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  | { readonly type: "required" }
  | { readonly type: "named"; readonly tool: ToolReference }
  | { readonly type: "hosted"; readonly kind: string; readonly value: JsonObject }
  | {
    readonly type: "allowed";
    readonly mode: "auto" | "required";
    readonly tools: readonly ToolReference[];
    readonly value: JsonObject;
  };

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
    readonly type: "json_schema";
    readonly name: string;
    readonly schema: JsonObject;
    readonly description?: string;
    readonly strict?: boolean;
  };

export interface ReasoningOptions {
  readonly effort?: string;
  /** The effort is that of the whole answer, as the Messages API has it: no thoughts are asked for. */
  readonly effortOnly?: true;
  readonly summary?: string;
  readonly maxTokens?: number;
  readonly enabled?: boolean;
  readonly context?: string;
  readonly mode?: string;
  /** How thoughts are shown, in the words of the Messages API; absent: as a summary. */
  readonly display?: "updates";
}

/** User behind the caller; never leaves the gateway raw (specification, `safety_identifier`). */
export interface EndUser {
  readonly user?: string;
  readonly safetyIdentifier?: string;
}

/** Numbers are tokens, probabilities or the provider's own scales, exactly as the client sent them. */
export interface SamplingOptions {
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
  readonly sampling: SamplingOptions;
  readonly reasoning?: ReasoningOptions;
  readonly format: OutputFormat;
  readonly verbosity?: string;
  readonly modalities?: readonly ("text" | "image")[];
  readonly imageConfig?: JsonObject;
  /** The input is to be spoken. */
  readonly speech?: SpeechOptions;
  /** A vector for each message of the input is to be made. */
  readonly embeddings?: EmbeddingOptions;
  readonly stream: boolean;
  readonly include: readonly string[];
  readonly serviceTier?: string;
  readonly truncation?: "auto" | "disabled";
  readonly promptCacheKey?: string;
  readonly promptCacheOptions?: JsonObject;
  readonly cache?: CacheBreakpoint;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly endUser: EndUser;
  readonly sessionId?: string;
  /** Kind of task that it is for, where a model was asked for it. */
  readonly task?: TaskType;
  /** The model that the newest message of an assistant names, where the client has kept it there. */
  readonly answeredBy?: string;
  readonly maxToolCalls?: number;
  readonly stopWhen?: readonly StopCondition[];
  readonly plugins: readonly Plugin[];
  /** Texts of files that the client got with earlier answers, and sends back. */
  readonly knownFiles?: readonly FileAnnotation[];
  readonly provider?: ProviderPreferences;
  readonly trace?: Trace;
  readonly echoUpstreamBody: boolean;
  /**
   * Anthropic's betas that the client names (`x-anthropic-beta`, specification, Request headers clients send), for
   * the wire that has them.
   */
  readonly betas?: readonly string[];
  /** Unknown top-level keys of the client's wire; sent on only where the endpoint's row lists them. */
  readonly extra?: WireExtra;
  /** Parameters that were dropped while parsing, in words for the routing metadata (`item_reference rs_1`). */
  readonly dropped: readonly string[];
}

/** Whether it is answered in words, pictures or calls: what acts on conversations leaves all others alone. */
export const isConversation = (
  { speech, embeddings }: Pick<ModelRequest, "speech" | "embeddings">,
): boolean => speech === undefined && embeddings === undefined;

function textAt(item: ModelRequest["input"][number] | undefined): string {
  if (item?.type !== "message") return "";
  return item.parts.map((part) => part.type === "text" ? part.text : "").join("");
}

/** The text to be spoken. */
export const speechInputText = ({ input }: Pick<ModelRequest, "input">): string => textAt(input[0]);

/** Words that are said in the reference; undefined when the request does not give them. */
export const referenceTranscript = ({ input }: Pick<ModelRequest, "input">): string | undefined =>
  input.length < 2 ? undefined : textAt(input[1]);

/** Tokens that a model can read for the request; null where nobody has stated it. Each text to embed has the context for itself. */
export const readableTokens = (
  { input, embeddings }: Pick<ModelRequest, "input" | "embeddings">,
  { contextLength }: { readonly contextLength: number | null },
): number | null =>
  contextLength === null || embeddings === undefined ? contextLength : contextLength * input.length;
