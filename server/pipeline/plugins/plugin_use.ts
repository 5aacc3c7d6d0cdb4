/** A plugin as one request has it. Types only. */

import type { Plugin, PluginId } from "../../../shared/responses/plugins.ts";

/** The settings of one plugin. */
export type PluginOptions<Id extends PluginId> = Extract<Plugin, { readonly id: Id }>;

/**
 * Side that wants it: the request by its `plugins`, its workspace by default, the variant `:online` of a model's name, or
 * the gateway, because the request has something that the plugin is for.
 */
type PluginOrigin = "request" | "workspace" | "online" | "gateway";

export interface PluginUse<Options extends Plugin = Plugin> {
  readonly options: Options;
  readonly origin: PluginOrigin;
  /** The workspace's default, which no request can change. */
  readonly locked: boolean;
  /** Where the request names it, for errors: `plugins[0]`. */
  readonly path?: string;
}
