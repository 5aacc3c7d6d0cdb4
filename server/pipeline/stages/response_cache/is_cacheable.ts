/** Which requests the response cache may answer: those of which nothing is left but one call of a model. */

import type { Tool } from "../../../protocols/canonical/request.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { RequestContext } from "../../request_context.ts";

/** Calls that the client answers are kept with the response; what acts for the gateway or a provider is not. */
function isForClient(tool: Tool): boolean {
  switch (tool.type) {
    case "function":
      return tool.mcp === undefined;
    case "custom":
      return true;
    case "namespace":
      return tool.tools.every(isForClient);
    case "hosted":
      return tool.isByClient === true;
    case "server":
      return false;
    default:
      return tool satisfies never;
  }
}

/**
 * To be asked where only the model is left to be called. Not those with tools that run at the gateway or a provider,
 * with plugins that call something, or that want to see what the provider is sent; calls of tools and of loops never.
 */
export function isCacheable(context: RequestContext): boolean {
  const { request, record, call, isNested, candidatePlugins = [] } = context;
  const isOnlyCall = isNested !== true && call === record.first && record.calls.length === 1;
  return isOnlyCall && request.speech === undefined && !request.echoUpstreamBody &&
    candidatePlugins.length === 0 && record.plannedTools.size === 0 && request.tools.every(isForClient);
}

/** Whether a guardrail demands that nothing is retained. */
export const demandsNoRetention = (rules: CallerRules | undefined): boolean =>
  (rules?.policy?.zdr.size ?? 0) > 0;
