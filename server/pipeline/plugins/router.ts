/**
 * The plugin of a router, which holds its settings. The router itself acts where the route is planned
 * (pipeline/routing/routers/).
 */

import { nameOfRouter } from "../routing/routers/router_slugs.ts";
import type { PluginExplained } from "./plugin.ts";
import type { PluginUse } from "./plugin_use.ts";

/** Says which models it has chosen, as the end of a sentence that begins with "would". */
export function explainRouter({ options: { id } }: PluginUse, { candidates }: PluginExplained): string {
  const chosen = candidates.filter(({ model }) => model.router?.plugin === id);
  const models = new Set(chosen.map(({ model }) => model.name));
  return models.size === 0
    ? `do nothing: no model of the request is ${nameOfRouter(id)}, or none may serve it`
    : `choose ${[...models].join(", then ")}`;
}
