/** What a request lets the provider's own tools do, as far as it costs: what `worstCase` reserves for it. */

import { DRAWINGS, PAGE_TOKENS, SEARCH_TOKENS, SEARCHES } from "../../shared/worst_case.ts";
import type { HostedTool, ModelRequest } from "./request.ts";

export interface Hosted {
  /** Any tools, the client's too: providers put them into the prompt. */
  readonly tools: boolean;
  /** Calls of the provider's own tools, each of which may be charged as a search and adds to the prompt. */
  readonly searches: number;
  /** What each of them adds, in tokens. */
  readonly searchTokens: number;
  readonly drawings: number;
}

export type Asked = Pick<ModelRequest, "tools" | "maxToolCalls">;

const nothing: Hosted = { tools: false, searches: 0, searchTokens: SEARCH_TOKENS, drawings: 0 };

export function hostedOf({ tools, maxToolCalls }: Asked): Hosted {
  if (tools.length === 0) return nothing;
  const hosted = tools.filter((tool) => tool.type === "hosted").filter(({ kind }) => !byClient.test(kind));
  const looking = hosted.filter((tool) => !isDrawing(tool));
  const uses = usesOf(looking.length);
  const upTo = (count: number) => Math.min(count, maxToolCalls ?? count);
  return {
    tools: tools.length > 0,
    searches: upTo(looking.reduce((sum, tool) => sum + uses(tool), 0)),
    searchTokens: looking.every(({ kind }) => search.test(kind)) ? SEARCH_TOKENS : PAGE_TOKENS,
    drawings: upTo(hosted.some(isDrawing) ? DRAWINGS : 0),
  };
}

/** Tools that a provider defines and the client runs: each call of theirs is a request of its own. */
const byClient = /^(?:bash|text_editor|computer|memory|local_shell|apply_patch)/;
/** Tools that find passages. Others fetch whole pages or run programs, whose output may be as long. */
const search = /search/;

const isDrawing = ({ kind }: HostedTool): boolean => kind.startsWith("image_generation");

/** Of all tools together; who asks for more gets so many. */
const MOST_USES = 1_000;

/** Anthropic's tools take a maximum; the others have none but `max_tool_calls`. */
const usesOf = (tools: number) => ({ value: { max_uses: most } }: HostedTool): number =>
  typeof most === "number" && Number.isSafeInteger(most) && most > 0
    ? Math.min(most, Math.ceil(MOST_USES / tools))
    : SEARCHES;

/** Anthropic's tools that can be told how often they may be used. */
const takesUses = ({ wire, kind }: HostedTool): boolean =>
  wire === "messages" && /^web_(?:search|fetch)/.test(kind);

/** The same request, which tells the provider to do no more with its own tools than `hostedOf` reckons with. */
export function bounded<Request extends Asked>(request: Request): Request {
  const hosted = request.tools.filter((tool) => tool.type === "hosted").filter(({ kind }) =>
    !byClient.test(kind)
  );
  if (hosted.length === 0) return request;
  const { searches, drawings } = hostedOf(request);
  const uses = usesOf(hosted.filter((tool) => !isDrawing(tool)).length);
  const tools = request.tools.map((tool) =>
    tool.type === "hosted" && takesUses(tool)
      ? { ...tool, value: { ...tool.value, max_uses: uses(tool) } }
      : tool
  );
  return { ...request, tools, maxToolCalls: Math.min(request.maxToolCalls ?? Infinity, searches + drawings) };
}
