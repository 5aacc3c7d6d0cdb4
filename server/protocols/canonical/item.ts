/**
 * The canonical form of a conversation: what every client wire is parsed into and every provider wire is
 * rendered from. Close to the Responses item model, so that nothing of it is lost.
 */

/** The wires we speak. */
export const wireIds = ["responses", "chat", "messages", "gemini", "bedrock"] as const;
export type WireId = typeof wireIds[number];

/** Fields that only one wire knows; only that wire's own renderer may read its entry (ARCHITECTURE.md, Invariants). */
export type WireExtra = { readonly [wire in WireId]?: Readonly<Record<string, unknown>> };

/** A JSON object whose meaning is not ours to judge. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type Role = "user" | "assistant" | "system" | "developer";
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An explicit cache breakpoint; `ttl` is `5m` or `1h`. */
export interface CacheBreakpoint {
  readonly ttl?: string;
  /** The mark as OpenAI's two wires spell it (`prompt_cache_breakpoint`), where it came so. */
  readonly breakpoint?: JsonObject;
  readonly extra?: WireExtra;
}

export interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[];
  readonly top_logprobs?: readonly {
    readonly token: string;
    readonly logprob: number;
    readonly bytes?: readonly number[];
  }[];
}

/** Wire-reference §3.9, Annotations: kept as the Responses wire spells them. */
export type Annotation = { readonly type: string } & JsonObject;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly annotations?: readonly Annotation[];
  readonly logprobs?: readonly Logprob[];
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

export interface RefusalPart {
  readonly type: "refusal";
  readonly text: string;
  readonly extra?: WireExtra;
}

/** `url` is https, http or a data URL. */
export interface ImagePart {
  readonly type: "image";
  readonly url?: string;
  readonly fileId?: string;
  readonly detail?: string;
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

/** `data` is a data URL or bare base64. */
export interface FilePart {
  readonly type: "file";
  readonly data?: string;
  readonly url?: string;
  readonly fileId?: string;
  readonly filename?: string;
  /** A target that cannot carry its type is no candidate; else the model is told the file's name alone. */
  readonly mustBeTaken?: true;
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

/** `data` is base64. */
export interface AudioPart {
  readonly type: "audio";
  readonly data: string;
  readonly format: string;
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

export interface VideoPart {
  readonly type: "video";
  readonly url: string;
  readonly cache?: CacheBreakpoint;
  readonly extra?: WireExtra;
}

/**
 * A part of a kind that the canonical model has no words for (search_result, tool_reference, and what is newer than
 * this gateway), as its wire spells it, without its mark.
 */
export interface PassthroughPart {
  readonly type: "foreign";
  readonly wire: WireId;
  readonly kind: string;
  readonly value: { readonly type: string } & JsonObject;
  /** Text that stands for it on other wires; absent where there is nothing worth telling. */
  readonly textFallback?: string;
  readonly cache?: CacheBreakpoint;
}

export type ContentPart =
  | TextPart
  | RefusalPart
  | ImagePart
  | FilePart
  | AudioPart
  | VideoPart
  | PassthroughPart;

export interface MessageItem {
  readonly type: "message";
  readonly role: Role;
  readonly parts: readonly ContentPart[];
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly phase?: string;
  readonly extra?: WireExtra;
  /** A plugin has put it there to quote what it found: unlike instructions it may be shortened. No wire has it. */
  readonly quotes?: true;
}

/** The provider that made some reasoning. */
export interface ReasoningOrigin {
  readonly wire: WireId;
  /** Short hash of the provider's slug. */
  readonly provider: string;
  /** Whether the provider wants reasoning texts back in later requests: all of them, only signed ones, or none. */
  readonly replays: "always" | "signed" | "never";
}

/** `thoughts` are the raw reasoning texts, `summary` the summaries; `encrypted` and `signature` are opaque. */
export interface ReasoningItem {
  readonly type: "reasoning";
  readonly summary: readonly string[];
  readonly content: readonly string[];
  readonly encrypted?: string;
  readonly signature?: string;
  readonly format?: string;
  /** Set in responses, on their way to the client. */
  readonly origin?: ReasoningOrigin;
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly extra?: WireExtra;
}

/** A call of a tool that the client runs. `arguments` is JSON text for functions, free text for custom tools. */
export interface ToolCallItem {
  readonly type: "call";
  readonly kind: "function" | "custom";
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly arguments: string;
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly extra?: WireExtra;
}

/** Result of a client's tool. */
export interface ToolResultItem {
  readonly type: "result";
  readonly kind: "function" | "custom";
  readonly callId: string;
  readonly output: string | readonly ContentPart[];
  readonly id?: string;
  readonly status?: ItemStatus;
  readonly extra?: WireExtra;
}

/** A call of a server tool by the model. */
export interface ServerToolCall {
  readonly callId: string;
  /** The tool's kind; of an MCP server's tool the name under which the model knows it. */
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** Result that the model reads; absent for a call that has not run. */
  readonly output?: string;
  /** The client answers it. */
  readonly forClient?: true;
}

/**
 * An item of a kind that the canonical model has no words for (web_search_call, mcp_call, shell_call, compaction
 * …).
 * `value` is the item as its wire spells it; `told` says it in words for the wires that cannot carry it, and
 * is absent when there is nothing worth telling.
 */
export interface PassthroughItem {
  readonly type: "foreign";
  readonly wire: WireId;
  readonly kind: string;
  readonly value: JsonObject;
  readonly id?: string;
  readonly textFallback?: string;
  /** Call in an item of a server tool, for the wires that have no items of such tools. */
  readonly call?: ServerToolCall;
  readonly extra?: WireExtra;
}

export type Item = MessageItem | ReasoningItem | ToolCallItem | ToolResultItem | PassthroughItem;

/** Items that a model puts out. */
export type OutputItem = MessageItem | ReasoningItem | ToolCallItem | PassthroughItem;
