/** Decides which plugins act on a request: its own, the defaults of its workspace, and `:online`. */

import {
  type DefaultPlugin,
  isPluginOn,
  type Plugin,
  type PluginId,
} from "../../../shared/responses/plugins.ts";
import type { PluginUse } from "./plugin_use.ts";

export interface PluginInput {
  /** The request's own. */
  readonly requested: readonly Plugin[];
  readonly defaults: readonly DefaultPlugin[] | undefined;
  /** A model is named with the variant `:online`. */
  readonly online: boolean;
  /** Else its only text is what shall be spoken or embedded. */
  readonly isConversation: boolean;
  /** Plugins that parameters of the request ask for. */
  readonly asked: readonly Plugin[];
  /** Plugins that the gateway runs for what the request has, unless somebody says otherwise. */
  readonly implied: readonly Plugin[];
}

interface EffectivePlugins {
  /** Plugins that act, each id once. */
  readonly uses: readonly PluginUse[];
  /** Settings of those that somebody has switched off, each id once. */
  readonly off: readonly Plugin[];
  /** Words for the routing metadata on what the request sent for locked plugins. */
  readonly notes: readonly string[];
}

const none: EffectivePlugins = { uses: [], off: [], notes: [] };

/** Plugins that have something to do where there is no conversation. */
const ofAll: ReadonlySet<PluginId> = new Set(["moderation"]);

/** An entry of the request replaces the default of its id whole; what it sends for a locked one is ignored. */
export function effectivePlugins(input: PluginInput): EffectivePlugins {
  const { requested, defaults, online, isConversation, asked } = input;
  const isPlain = input.implied.length === 0 && asked.length === 0 && !online;
  if (isPlain && requested.length === 0 && defaults === undefined) return none;
  const implied = [...input.implied, ...asked];
  const locked = new Set(defaults?.filter(isLocked).map(({ id }) => id));
  const uses = new Map<PluginId, PluginUse>();
  for (const options of implied) uses.set(options.id, { options, origin: "gateway", locked: false });
  for (const entry of defaults ?? []) {
    uses.set(entry.id, { options: entry, origin: "workspace", locked: locked.has(entry.id) });
  }
  const ignored: string[] = [];
  for (const [index, options] of requested.entries()) {
    if (locked.has(options.id)) ignored.push(`plugin ${options.id}`);
    else uses.set(options.id, { options, origin: "request", locked: false, path: `plugins[${index}]` });
  }
  for (const options of asked) {
    if (requested.some(({ id }) => id === options.id) || isOn(uses.get(options.id))) continue;
    if (locked.has(options.id)) ignored.push(`plugin ${options.id}`);
    else uses.set(options.id, { options, origin: "gateway", locked: false });
  }
  if (online && !requested.some(isWeb) && !isOn(uses.get("web"))) {
    if (locked.has("web")) ignored.push("plugin web (:online)");
    else uses.set("web", { options: { id: "web" }, origin: "online", locked: false });
  }
  return {
    uses: [...uses.values()].filter((use) => isOn(use) && (isConversation || ofAll.has(use.options.id))),
    off: [...uses.values()].filter((use) => !isOn(use)).map(({ options }) => options),
    notes: ignored.map(lockedNote),
  };
}

/** Words for something that the request has said in vain. */
export const lockedNote = (what: string): string => `${what}: the workspace has locked its default`;

const isLocked = ({ locked }: DefaultPlugin): boolean => locked === true;
const isWeb = ({ id }: Plugin): boolean => id === "web";

const isOn = (use: PluginUse | undefined): boolean => use !== undefined && isPluginOn(use.options);
