/** Bounds what the provider's own tools may cost, as a request allows them: the cost bound reserves it. */

import type { RateName } from "../../../shared/models.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { DEFAULT_IMAGES, DEFAULT_SEARCHES, PAGE_TOKENS, SEARCH_TOKENS } from "./cost_bound.ts";
import type { WireId } from "../../protocols/canonical/item.ts";
import type { HostedTool, ModelRequest, Tool } from "../../protocols/canonical/request.ts";

export interface HostedToolBound {
  /** Any tools, the client's too: providers put them into the prompt. */
  readonly tools: boolean;
  /** Calls of the provider's own tools, each of which may be charged and adds to the prompt. */
  readonly maxSearches: number;
  /** Tokens that one search adds, and how many images may be drawn. */
  readonly searchTokens: number;
  readonly maxImages: number;
  /** Rates by which a call may be charged. */
  readonly searchRates: readonly RateName[];
  /** As how many containers one counts in which the provider runs programs. */
  readonly containerSize: number;
  /** Tools that the provider runs itself. */
  readonly kinds: readonly string[];
  /** Uses that the provider charges for beside tokens: of each tool's rates one has to be known. */
  readonly pricedUses: readonly PricedToolUse[];
}

interface PricedToolUse {
  /** The tool, for who has to be told that its price is missing. */
  readonly kind: string;
  /** Empty: nobody knows how it is charged. */
  readonly rates: readonly RateName[];
}

export type HostedToolRequest = Pick<ModelRequest, "tools" | "maxToolCalls">;

const nothing: HostedToolBound = {
  tools: false,
  maxSearches: 0,
  searchTokens: SEARCH_TOKENS,
  maxImages: 0,
  searchRates: [],
  containerSize: 1,
  kinds: [],
  pricedUses: [],
};

/** Tools of another wire than the endpoint's are not offered to it. */
export function hostedToolBound({ tools, maxToolCalls }: HostedToolRequest, wire: WireId): HostedToolBound {
  if (tools.length === 0) return nothing;
  const hosted = hostedIn(tools, wire);
  if (hosted.length === 0) return { ...nothing, tools: true };
  const looking = hosted.filter((tool) => !isDrawing(tool));
  const calls = maxCalls(hosted, maxToolCalls);
  return {
    tools: true,
    maxSearches: looking.length > 0 ? calls : 0,
    searchTokens: Math.max(SEARCH_TOKENS, ...looking.map(searchContextTokens)),
    maxImages: hosted.some(isDrawing) ? calls : 0,
    searchRates: pricedUsesOf(looking).flatMap(({ rates }) => rates),
    containerSize: requestedContainerSize(tools),
    kinds: hosted.map(({ kind }) => kind),
    pricedUses: pricedUsesOf(hosted),
  };
}

/** Filters the tools that the provider runs itself. */
const hostedIn = (tools: readonly Tool[], wire: WireId): readonly HostedTool[] =>
  tools.filter((tool): tool is HostedTool => tool.type === "hosted" && tool.wire === wire)
    .filter((tool) => !isByClient(tool));

/** Tools that a provider defines and the client runs: each call of theirs is a request of its own. */
const byClient = /^(?:bash|text_editor|computer|memory|local_shell|apply_patch)/;
/** A shell is the client's unless a container of the provider's is named for it. */
const isByClient = ({ kind, value: { environment } }: HostedTool): boolean =>
  byClient.test(kind) || (kind === "shell" && !/^container/.test(readOption(environment, "type") ?? ""));

/** Tools that find passages. Others fetch whole pages or run programs, whose output may be as long. */
const search = /search/;

/** Tokens that one call of a tool adds to the prompt. */
function searchContextTokens({ kind, value: { max_num_results: most } }: HostedTool): number {
  if (!kind.startsWith("file_search")) return search.test(kind) ? SEARCH_TOKENS : PAGE_TOKENS;
  const passages = typeof most === "number" && most >= 1
    ? Math.min(Math.ceil(most), MOST_PASSAGES)
    : PASSAGES;
  return passages * PASSAGE_TOKENS;
}

/** OpenAI's search of files: passages that it finds unless it is told, at most, and how long one may be. */
const PASSAGES = 20;
const MOST_PASSAGES = 50;
const PASSAGE_TOKENS = 4_096;

export const isDrawing = ({ kind }: Pick<HostedTool, "kind">): boolean => kind.startsWith("image_generation");

/** How tools are charged besides the tokens that they read and write. */
const rates: readonly (readonly [RegExp, readonly RateName[]])[] = [
  [/^(?:web_search|x_search|google_search)/, ["webSearch"]],
  [/^(?:file_search|collections_search)/, ["fileSearch"]],
  [/^(?:code_interpreter|code_execution|shell)/, ["codeInterpreter"]],
  [/^image_generation/, ["imageOutput", "outputImage"]],
];
/** By tokens alone. */
const free = /^(?:web_fetch|mcp|tool_search|programmatic_tool_calling)/;

function pricedUsesOf(hosted: readonly HostedTool[]): readonly PricedToolUse[] {
  return hosted.flatMap((tool) => {
    const rates = ratesOf(tool);
    return rates === undefined ? [] : [{ kind: tool.kind, rates }];
  });
}

/** Undefined for what is charged by tokens alone. */
function ratesOf({ kind }: HostedTool): readonly RateName[] | undefined {
  if (free.test(kind)) return undefined;
  return rates.find(([pattern]) => pattern.test(kind))?.[1] ?? [];
}

/** OpenAI's sizes: a container costs as much as so many of the smallest. */
const sizes: Readonly<Record<string, number>> = { "1g": 1, "4g": 4, "16g": 16, "64g": 64 };
const LARGEST = 64;

/** The largest that is asked for. */
export function requestedContainerSize(tools: readonly Tool[]): number {
  let most = 1;
  for (const tool of tools) {
    if (tool.type !== "hosted") continue;
    const { container, environment } = tool.value;
    const memory = readOption(container, "memory_limit") ?? readOption(environment, "memory_limit");
    if (memory !== undefined) most = Math.max(most, ownValue(sizes, memory) ?? LARGEST);
  }
  return most;
}

function readOption(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof found === "string" ? found : undefined;
}

/** Most uses of all tools together; a request for more gets so many. */
const MOST_USES = 1_000;
/** Steps that Anthropic takes with its own tools before it asks whether to go on. */
const OWN_STEPS = 10;

/** Anthropic's tools that can be told how often they may be used; its others cannot be told at all. */
const takesUses = ({ wire, kind }: HostedTool): boolean =>
  wire === "messages" && /^web_(?:search|fetch)/.test(kind);

interface Among {
  /** So many tools. */
  readonly tools: number;
  readonly maxToolCalls: number | undefined;
}

/** How often one tool may be used. */
function maxUses(tool: HostedTool, { tools, maxToolCalls }: Among): number {
  if (tool.wire === "messages" && !takesUses(tool)) return OWN_STEPS;
  const most = tool.value.max_uses;
  const requested = typeof most === "number" && Number.isSafeInteger(most) && most > 0;
  const uses = requested ? Math.min(most, Math.ceil(MOST_USES / tools)) : DEFAULT_SEARCHES;
  // Elsewhere there is one number for all of them.
  return tool.wire === "messages" ? Math.min(uses, maxToolCalls ?? uses) : uses;
}

/** How often all of them together may be used, any one of them as often as all. */
function maxCalls(hosted: readonly HostedTool[], maxToolCalls: number | undefined): number {
  const looking = hosted.filter((tool) => !isDrawing(tool));
  const among = { tools: looking.length, maxToolCalls };
  const uses = looking.reduce((sum, tool) => sum + maxUses(tool, among), 0);
  const calls = Math.max(uses, hosted.some(isDrawing) ? DEFAULT_IMAGES : 0);
  return hosted.some(({ wire }) => wire === "messages") ? calls : Math.min(calls, maxToolCalls ?? calls);
}

/** The same request, which tells the provider to do no more with its own tools than `hostedToolBound` counts with. */
export function capHostedToolCalls<Request extends HostedToolRequest>(
  request: Request,
  wire: WireId,
): Request {
  const hosted = hostedIn(request.tools, wire);
  if (hosted.length === 0) return request;
  const { maxToolCalls } = request;
  const among = { tools: hosted.filter((tool) => !isDrawing(tool)).length, maxToolCalls };
  const tools = request.tools.map((tool) =>
    tool.type === "hosted" && takesUses(tool)
      ? { ...tool, value: { ...tool.value, max_uses: maxUses(tool, among) } }
      : tool
  );
  return { ...request, tools, maxToolCalls: maxCalls(hosted, maxToolCalls) };
}
