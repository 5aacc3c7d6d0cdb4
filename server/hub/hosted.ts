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

type Asked = Pick<ModelRequest, "tools" | "maxToolCalls">;

export function hostedOf({ tools, maxToolCalls }: Asked): Hosted {
  const hosted = tools.filter((tool) => tool.type === "hosted").filter(({ kind }) => !byClient.test(kind));
  const looking = hosted.filter((tool) => !isDrawing(tool));
  const upTo = (count: number) => Math.min(count, maxToolCalls ?? count);
  return {
    tools: tools.length > 0,
    searches: upTo(looking.reduce((sum, tool) => sum + usesOf(tool), 0)),
    searchTokens: looking.every(({ kind }) => search.test(kind)) ? SEARCH_TOKENS : PAGE_TOKENS,
    drawings: upTo(hosted.some(isDrawing) ? DRAWINGS : 0),
  };
}

/** Tools that a provider defines and the client runs: each call of theirs is a request of its own. */
const byClient = /^(?:bash|text_editor|computer|memory|local_shell|apply_patch)/;
/** Tools that find passages. Others fetch whole pages or run programs, whose output may be as long. */
const search = /search/;

const isDrawing = ({ kind }: HostedTool): boolean => kind.startsWith("image_generation");

/** Anthropic's tools take a maximum; the others have none but `max_tool_calls`. */
function usesOf({ value: { max_uses: most } }: HostedTool): number {
  return typeof most === "number" && Number.isSafeInteger(most) && most > 0 ? most : SEARCHES;
}
