/** Checks requests as those that are sent are checked before anybody is called, for what is kept of them. */

import { planPlugins, pluginError } from "../../../pipeline/plugins/plan_plugins.ts";
import { checkNamedServers } from "../../../pipeline/tools/mcp/named_servers.ts";
import { checkTools } from "../../../pipeline/tools/tool_plan.ts";
import type { ManagementDeps } from "../../../management/core/management_deps.ts";
import { targetFault } from "../../../web/fetch/target_fault.ts";
import type { CompositionParts } from "../../composition_parts.ts";
import { parseModelRequest } from "../guardrails.ts";
import { createModerator } from "../moderation.ts";
import { searchEnginesOf } from "../web.ts";

export function createRequestCheck(parts: CompositionParts): ManagementDeps["checkModelRequest"] {
  const { config, config: { aliases, defaultModel } } = parts;
  const toolDeps = { web: { engines: searchEnginesOf(config) } };
  const deps = { aliases, defaultModel, toolDeps, moderator: createModerator(parts) };
  return (api, body) => {
    const request = parseModelRequest(api, body);
    for (const plugin of planPlugins(deps, { request, defaults: undefined }).planned) {
      const error = pluginError(plugin);
      if (error !== undefined) throw error;
    }
    checkTools(request, toolDeps);
    checkNamedServers(request, (url) => targetFault(url, config.fetch));
  };
}
