/** The plugin `fusion`: settings of a run that the tool or a slug starts (docs/fusion.md). It starts none itself. */

import { isFusion } from "../../tools/fusion/fusion_options.ts";
import type { PluginDefinition } from "../plugin.ts";
import type { PluginOptions } from "../plugin_use.ts";

/** The stage of server tools reads its settings, also those of one that is switched off. */
export const fusion: PluginDefinition<PluginOptions<"fusion">> = {
  explain: (_use, { request }) =>
    request.tools.some(isFusion)
      ? "give its settings to the run of fusion that the model may start"
      : "do nothing: the request has no tool fusion",
};
