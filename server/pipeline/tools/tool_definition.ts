/** The definition of a server tool: one file of this folder each (docs/server-tools.md). */

import type { FusionPresets } from "../../../shared/fields/fusion.ts";
import type { ServerToolKind } from "./tool_memory.ts";
import type { ContainerRequest, Containers } from "../../sandbox/containers/containers.ts";
import type { Item, JsonObject } from "../../protocols/canonical/item.ts";
import type {
  FunctionTool,
  HostedTool,
  ModelRequest,
  ServerTool,
  Tool,
} from "../../protocols/canonical/request.ts";
import type { FetchedResource, FetchInput } from "../../web/fetch/guarded_fetch.ts";
import type { McpAccess } from "../../web/mcp/mcp_access.ts";
import type { DocumentServices } from "../../web/documents/document_services.ts";
import type { Reader } from "../../web/reader/reader.ts";
import type { ConfiguredEngine } from "../../web/search/configured_engines.ts";
import type { SearchClient } from "../../web/search/search_client.ts";
import type { FileSearcher } from "./file_search/file_searcher.ts";
import type { Purchase } from "../purchase.ts";
import type { SettingsOffer } from "../settings_check.ts";
import type { ToolMemory } from "./tool_memory.ts";
import type { WorkspaceDefaults } from "../caller_rules.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { Clock } from "../../runtime.ts";
import type { ModelEvent, OutputEvent } from "../../protocols/canonical/event.ts";
import type { CancelSignal } from "../../one_shot_signal.ts";
import type { RunPurpose, StageRecord } from "../request_record.ts";
import type { ModelFinder } from "../routing/find_models.ts";
import type { WorkspaceFiles } from "./files/workspace_files.ts";
import type { ListedModel } from "./model_index.ts";

/** The parts of the gateway that a tool may use. */
export interface ToolDeps {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Every model that is listed, in the catalog's order. */
  readonly models: () => readonly ListedModel[];
  readonly web: WebAccess;
  readonly containers: Containers;
  readonly fusionPresets: FusionPresets;
  readonly mcp: McpAccess;
  /** Searches files of workspaces; undefined where there is no place for files. */
  readonly fileSearcher?: FileSearcher;
  /** Files of workspaces; undefined where there is no place for them. */
  readonly workspaceFiles?: WorkspaceFiles;
}

/** The ways to the web. */
export interface WebAccess {
  /** In the order in which one is chosen; empty where none is switched on. */
  readonly engines: readonly ConfiguredEngine[];
  readonly search: SearchClient;
  /** For what models and callers name. */
  readonly fetch: (input: FetchInput) => Promise<FetchedResource>;
  readonly read: Reader;
  /** Services that read documents besides; absent: none. */
  readonly documents?: DocumentServices;
  /** The beginning of a text, in at most so many tokens. */
  readonly firstTokens: (text: string, most: number) => Promise<string>;
}

/** The caller of a request, whose containers and files it has. */
export interface ToolSession extends Pick<ContainerRequest, "workspaceId" | "sessionId" | "generation"> {
  readonly keyHash: string;
}

/** The commands that a call has run in a container. */
interface CommandUse {
  readonly commands: number;
  readonly seconds: number;
}

/** A tool as a request has it. */
export interface ToolRequest {
  readonly settings: JsonObject;
  readonly session: ToolSession;
  readonly deps: ToolDeps;
  /** The client's request. */
  readonly request: ModelRequest;
  /** By the rules that the caller has now. */
  readonly finder: ModelFinder;
}

/** A model with server tools of its own, as a tool has it run. */
export interface ModelRun {
  readonly request: ModelRequest;
  readonly purpose: RunPurpose;
  /** Memory of the calls of its tools. */
  readonly memory: ToolMemory;
  /** Ends it. */
  readonly signal: CancelSignal;
  /** Told each batch as it comes; the last one ends in a finish or a failure. */
  readonly onEvents: (batch: readonly OutputEvent[]) => void;
}

/** A call that starts a nested run, before anybody has made it. */
export interface AwaitedRun {
  readonly settings: JsonObject;
  /** The client's request. */
  readonly request: ModelRequest;
  /** The model that calls, and all that it writes. */
  readonly model: string;
  readonly words: string;
  /** Name of the tool. */
  readonly name: string;
}

export interface NestedRun {
  readonly request: ModelRequest;
  /** Runs that a request may have. */
  readonly most: number;
}

/** One call of a tool. */
export interface ToolInput {
  readonly session: ToolSession;
  /** Parts that the client wants to see besides (`include`). */
  readonly include: readonly string[];
  /** For the receipt. */
  readonly countCommands: (use: CommandUse) => void;
  /** Arguments of the model's call. */
  readonly args: JsonObject;
  /** Settings of the tool in the client's request. */
  readonly settings: JsonObject;
  /** The tools of the request, those that are deferred among them. */
  readonly tools: readonly Tool[];
  readonly deps: ToolDeps;
  /** Defaults of the caller's workspace. */
  readonly defaults?: WorkspaceDefaults;
  /** Memory of all calls of the request's tools. */
  readonly memory: ToolMemory;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  /** Milliseconds that it may take. */
  readonly ms: number;
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
  /** Name under which the model has called it. */
  readonly name: string;
  /** Id of the model that has called it. */
  readonly model: string;
  /** Whether that model is shown pictures of results. */
  readonly seesImages: boolean;
  /** Runs of models by tools that the call is a part of. */
  readonly depth: number;
  /** The conversation until now, with the calls and results of earlier turns and the messages of this one. */
  readonly transcript: readonly Item[];
  /** The client's request, without what came of its turns. */
  readonly request: ModelRequest;
  /** Makes a model call of the tool's own. Throws an ApiError where it comes to nothing. */
  readonly callModel: (request: ModelRequest) => Promise<readonly ModelEvent[]>;
  /**
   * Runs a model with its tools until it answers, and tells the model's id. Throws an ApiError where its first call
   * comes to nothing.
   */
  readonly runModel: (run: ModelRun) => Promise<string>;
  /** By the rules that the caller had when the call began. */
  readonly finder: ModelFinder;
  /** Tells a client of the Responses API of the call's progress; undefined where nobody would see it. */
  readonly emit: ((event: { readonly type: string } & JsonObject) => void) | undefined;
  /** Notes for the routing metadata what it did. */
  readonly addStage: (stage: StageRecord) => void;
  /** Buys within the caller's limits. Throws an ApiError where they do not allow it. */
  readonly purchase: <T>(purchase: Purchase<T>) => Promise<T>;
}

export interface ToolOutcome {
  /** Result that the model reads. */
  readonly output: string;
  /** Pictures that the model is shown with it, as data URLs; only for one that sees them. */
  readonly images?: readonly string[];
  /** Fields of the item that the client is shown. */
  readonly fields: JsonObject;
  /** It came to nothing, for the reason that `output` gives. */
  readonly failed?: true;
  /** Its item says so by its fields, and has ended as others do. */
  readonly itemStatus?: "completed";
  /** It was ended before it was done; what it did until then is here. */
  readonly incomplete?: true;
  /** Names of deferred tools that are offered from the next turn on. */
  readonly found?: readonly string[];
}

interface HostedForm {
  /** In `tools` of a Responses request; the first is that of today. */
  readonly types: readonly [string, ...string[]];
  /** Type of the items in which clients see its calls. */
  readonly itemType: string;
  /** The items that have the results, where these are items of their own. */
  readonly output?: {
    readonly type: string;
    /** Fields that stand in the item of the call; all others are of the result. */
    readonly ofCall: readonly string[];
    /** A result of which nothing is known. */
    readonly empty: JsonObject;
  };
}

/** How a request may use a tool. */
interface ToolOffer extends SettingsOffer {
  readonly deps: ToolDeps;
  /** The caller has a spending limit: what has no price cannot be used. */
  readonly limited: boolean;
}

/** A setting that cannot be used: `engine`, and what is wrong with it. */
export interface SettingsIssue {
  readonly field: string;
  readonly message: string;
}

export interface ToolDefinition {
  readonly kind: ServerToolKind;
  /** Name of the tool among those of its kind, "" for one without; absent: a request has one of its kind. */
  readonly instanceOf?: (settings: JsonObject) => string;
  /** Server tools of the models that it runs; absent: it runs none. */
  readonly innerTools?: (settings: JsonObject) => readonly ServerTool[];
  /** The run that a call of it starts; absent: it starts none whose request is known before. */
  readonly nestedRun?: (call: AwaitedRun) => NestedRun;
  /** The tool of the Responses wire that it stands in for at endpoints of other wires. */
  readonly hosted?: HostedForm;
  /** Resolves when it is known how it is described and whether it is there; absent: it always is. */
  readonly whenKnown?: (deps: Pick<ToolDeps, "containers">) => Promise<void>;
  /** Describes the tool to the model. */
  readonly describe: (
    settings: JsonObject,
    deps: Pick<ToolDeps, "containers">,
  ) => Pick<FunctionTool, "description" | "parameters">;
  /** The tool as an endpoint's provider has it itself; undefined where it has none. */
  readonly nativeAt?: (endpoint: Endpoint, settings: JsonObject) => HostedTool | undefined;
  /** Whether an endpoint's provider runs the hosted form, where its wire is spoken there; absent: it does. */
  readonly isHostedAt?: (endpoint: Endpoint, settings: JsonObject) => boolean;
  /** A call of the provider's own costs what nobody knows beforehand: callers with a limit have the gateway's alone. */
  readonly isUnpricedAtProvider?: true;
  /** Finds a fault of the settings, wherever the tool would run. */
  readonly checkSettings?: (offer: SettingsOffer) => SettingsIssue | undefined;
  /** Whether this gateway can run it; absent: always. */
  readonly isAvailable?: (offer: ToolOffer) => boolean;
  /** Whether only the provider whose stores the settings name can run it; absent: never. */
  readonly isOfProvider?: (settings: JsonObject) => boolean;
  /** A sentence for a client that forces it where it cannot be run: how the operator switches it on. */
  readonly switchOn?: string;
  /** Events of the Responses API on its items, besides those that all items have. */
  readonly progress?: {
    readonly started: readonly string[];
    /** Events that tell of a call before it runs. */
    readonly requested?: (
      args: JsonObject,
      text: string,
    ) => readonly ({ readonly type: string } & JsonObject)[];
    readonly completed: readonly string[];
    /** Events of a call that came to nothing; absent: those of others. */
    readonly failed?: readonly string[];
  };
  /** The name under which other wires have its calls; absent: its kind. */
  readonly shownName?: string;
  /** Clients see its items once the arguments of a call are there: the item's id holds them. */
  readonly opensLate?: true;
  /** Fields of its items, of a call with these arguments that has not run. */
  readonly itemFields: (args: JsonObject, settings: JsonObject) => JsonObject;
  /** Fields of the item of a call that the client answers, where they are others. */
  readonly clientFields?: (args: JsonObject) => JsonObject;
  /** The word that its items have for a call that came to nothing; those of the hosted form may have another. */
  readonly failedStatus: "failed" | "incomplete";
  readonly hostedFailedStatus?: "failed" | "incomplete";
  /** Reads the arguments or the result from an item that a client brings back; undefined where it has none. */
  readonly argumentsOf?: (item: JsonObject) => JsonObject | undefined;
  readonly outputOf?: (item: JsonObject) => string | undefined;
  /** Pictures of the result, as data URLs. */
  readonly imagesOf?: (item: JsonObject) => readonly string[];
  /** Milliseconds that a call with these arguments may take; absent, or shorter: the limit of all tools. */
  readonly timeMs?: (args: JsonObject) => number;
  /** Throws an ApiError where the request cannot use the tool as its settings say, before any model is called. */
  readonly verify?: (request: ToolRequest) => Promise<void>;
  /** Fields of the item of a call that was ended before it was done. */
  readonly endedFields?: JsonObject;
  /** Fields of the item of a call that came to nothing for a reason that the gateway gives; absent: `error` has it. */
  readonly failedFields?: (reason: string) => JsonObject;
  /** Finds a fault of the arguments, in words for the model. */
  readonly check?: (args: JsonObject) => string | undefined;
  /** Whether the gateway runs it with these settings, or the client does; absent: wherever it has a `run`. */
  readonly runsHere?: (settings: JsonObject) => boolean;
  /** Absent: the client runs it. Rejects only for faults of the gateway. */
  readonly run?: (input: ToolInput) => Promise<ToolOutcome>;
}

/** Whether the gateway runs a tool with these settings. */
export const isRunHere = ({ run, runsHere }: ToolDefinition, settings: JsonObject): boolean =>
  run !== undefined && runsHere?.(settings) !== false;

/** A call that came to nothing. */
export const failedCall = (reason: string, fields: JsonObject = {}): ToolOutcome => ({
  output: JSON.stringify({ error: reason }),
  fields,
  failed: true,
});

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
