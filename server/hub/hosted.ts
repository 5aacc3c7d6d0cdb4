/** What a request lets the provider's own tools do, as far as it costs: what `worstCase` reserves for it. */

import { DRAWINGS, SEARCHES } from "../../shared/worst_case.ts";
import type { HostedTool, ModelRequest } from "./request.ts";

export interface Hosted {
  /** Any tools, the client's too: providers put them into the prompt. */
  readonly tools: boolean;
  /** Calls of the provider's own tools, each of which may be charged as a search and adds to the prompt. */
  readonly searches: number;
  readonly drawings: number;
}

type Asked = Pick<ModelRequest, "tools" | "maxToolCalls">;

export function hostedOf({ tools, maxToolCalls }: Asked): Hosted {
  const hosted = tools.filter((tool) => tool.type === "hosted");
  const drawing = hosted.filter(isDrawing).length > 0;
  const calls = hosted.filter((tool) => !isDrawing(tool)).reduce((sum, tool) => sum + usesOf(tool), 0);
  const upTo = (count: number) => Math.min(count, maxToolCalls ?? count);
  return { tools: tools.length > 0, searches: upTo(calls), drawings: upTo(drawing ? DRAWINGS : 0) };
}

const isDrawing = ({ kind }: HostedTool): boolean => kind.startsWith("image_generation");

/** Anthropic's tools take a maximum; the others have none but `max_tool_calls`. */
function usesOf({ value: { max_uses: most } }: HostedTool): number {
  return typeof most === "number" && Number.isSafeInteger(most) && most > 0 ? most : SEARCHES;
}
