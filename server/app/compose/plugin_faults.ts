/** Why a workspace's plugin would not act as its entry says: the operator is told when it is saved. */

import { type DefaultPlugin, unknownSettings } from "../../../shared/responses/plugins.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { CompositionParts } from "../composition_parts.ts";
import { orderedPlugins } from "../../pipeline/plugins/mod.ts";
import { engineIssue } from "../../pipeline/tools/web/make_search.ts";
import { searchEnginesOf } from "./web.ts";

interface PluginFault {
  /** The setting; absent: the whole entry. */
  readonly field?: string;
  /** End of a sentence that begins with the plugin. */
  readonly message: string;
}

export function createPluginFaults(
  { config }: Pick<CompositionParts, "config">,
): (plugin: DefaultPlugin) => readonly PluginFault[] {
  const engines = searchEnginesOf(config);
  const hasOcrKey = config.providerEnv.get("MISTRAL_API_KEY") !== undefined;
  const serviceFaults = (plugin: DefaultPlugin): readonly PluginFault[] => {
    switch (plugin.id) {
      case "moderation":
        return config.moderation === undefined ? [withoutService(plugin)] : [];
      case "web": {
        const { engine } = plugin;
        const issue = engineIssue({ engine: engine ?? "auto" }, engines);
        if (issue !== undefined) return [{ field: "engine", message: `has an engine that ${issue.message}` }];
        return engines.length === 0 ? [{ message: NO_ENGINE }] : [];
      }
      case "file-parser":
        return plugin.pdf?.engine === "mistral-ocr" && !hasOcrKey
          ? [{ field: "pdf.engine", message: NO_OCR_KEY }]
          : [];
      default:
        return notRun.has(plugin.id) ? [{ message: "is not run by this gateway." }] : [];
    }
  };
  return (plugin) => {
    const isOff = plugin.id !== "moderation" && plugin.enabled === false;
    return [...unknownFaults(plugin), ...(isOff ? [] : serviceFaults(plugin))];
  };
}

const NO_ENGINE = "has no search engine here, so only providers that search themselves do it.";
const NO_OCR_KEY =
  "has mistral-ocr, and the gateway has no key of Mistral: set MISTRAL_API_KEY, or bring one to the workspace.";

const notRun: ReadonlySet<string> = new Set(
  orderedPlugins.flatMap(([id, definition]) => definition === null ? [id] : []),
);

const withoutService = ({ locked }: DefaultPlugin): PluginFault => ({
  message: `has no service, so requests are ${
    locked === true ? "refused" : "not judged"
  }: set moderation in the configuration file.`,
});

/** The one that a caller may take for a switch is told in its own words. */
const unknownFaults = (plugin: DefaultPlugin): readonly PluginFault[] =>
  unknownSettings(plugin).filter((name) => name !== "locked").map((given) => truncateStart(given, 60)).map((
    name,
  ) => ({
    field: name,
    message: plugin.id === "moderation" && name === "enabled"
      ? "has no switch, and judges all requests whatever enabled says: leave the entry out to end that."
      : `has no setting ${JSON.stringify(name)}.`,
  }));
