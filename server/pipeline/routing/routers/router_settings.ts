/** The settings of routers: those of a request, of its workspace by default, and those that a workspace has locked. */

import {
  type DefaultPlugin,
  isPluginOn,
  type Plugin,
  type PluginId,
} from "../../../../shared/responses/plugins.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { PluginOptions } from "../../plugins/plugin_use.ts";
import type { SettingsOf } from "./router.ts";
import { nameOfRouter } from "./router_slugs.ts";

type Defaults = readonly DefaultPlugin[] | undefined;

/** The same before and behind the stage that joins a request's plugins with the defaults. */
export function settingsFinder({ plugins }: Pick<ModelRequest, "plugins">, defaults: Defaults): SettingsOf {
  return (wanted) => {
    const entry = entryOf(wanted, { plugins, defaults });
    return entry !== undefined && isOf(entry, wanted) && isPluginOn(entry) ? entry : undefined;
  };
}

interface Entries extends Pick<ModelRequest, "plugins"> {
  readonly defaults: Defaults;
}

/** A default that its workspace has locked holds, else the request's own entry, else the default. */
function entryOf(wanted: PluginId, { plugins, defaults }: Entries): Plugin | undefined {
  const saved = defaults?.find(({ id }) => id === wanted);
  return saved?.locked === true ? saved : plugins.find(({ id }) => id === wanted) ?? saved;
}

function isOf<Id extends PluginId>(entry: Plugin, id: Id): entry is PluginOptions<Id> {
  return entry.id === id;
}

/** The slug of the first router whose plugin a request brings, where it names no model; `plugins` are its own. */
export function slugByPlugin(
  { model, models, plugins }: Pick<ModelRequest, "model" | "models" | "plugins">,
  defaults: Defaults,
): string | undefined {
  if (model !== undefined || models.length > 0 || plugins.length === 0) return undefined;
  const on = plugins.filter(({ id }) => {
    const entry = entryOf(id, { plugins, defaults });
    return entry !== undefined && isPluginOn(entry);
  });
  return on.map(({ id }) => nameOfRouter(id)).find((name) => name !== undefined);
}

/** The request with the router's slug as its model, where a plugin of its own stands for it. */
export function withRouterNamed(request: ModelRequest, defaults: Defaults): ModelRequest {
  const slug = slugByPlugin(request, defaults);
  return slug === undefined ? request : { ...request, model: slug };
}
