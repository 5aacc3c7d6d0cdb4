/** Every plugin, in the order in which they run. The type checker asks for the missing ones. */

import { contextCompression } from "./context_compression.ts";
import { fusion } from "./fusion/fusion.ts";
import { fileParser } from "./file_parser/file_parser.ts";
import { moderation } from "./moderation/moderation.ts";
import type { PluginDefinition } from "./plugin.ts";
import type { PluginId } from "../../../shared/responses/plugins.ts";
import type { PluginOptions } from "./plugin_use.ts";
import { explainRouter } from "./router.ts";
import { responseHealing } from "./healing/response_healing.ts";
import { web } from "./web/web.ts";
import { webFetch } from "./web_fetch/web_fetch.ts";

/** Null: this gateway does not run it yet, and names it as dropped. */
const definitions: { readonly [Id in PluginId]: PluginDefinition<PluginOptions<Id>> | null } = {
  moderation,
  "file-parser": fileParser,
  "web-fetch": webFetch,
  web,
  "response-healing": responseHealing,
  "context-compression": contextCompression,
  "auto-router": { explain: explainRouter },
  "auto-beta-router": { explain: explainRouter },
  "pareto-router": { explain: explainRouter },
  fusion,
  "switchyard-router": null,
};

const rows: ReadonlyMap<string, PluginDefinition | null> = new Map(Object.entries(definitions));

/** In the order in which they run. */
export const orderedPlugins: readonly (readonly [id: string, definition: PluginDefinition | null])[] = [
  ...rows,
];
