/** Names that stand for a router: slugs behind a prefix, and the plugins that hold their settings. */

import type { FusionPresetName } from "../../../../shared/fields/fusion.ts";
import type { PluginId } from "../../../../shared/responses/plugins.ts";

/**
 * The slugs, as they are written behind `openrouter/` or `service/`, and the plugin that holds the settings of each;
 * null: it has none. A plugin that several slugs share stands for the first one.
 */
const routerPlugins = {
  auto: "auto-router",
  "auto-beta": "auto-beta-router",
  "pareto-code": "pareto-router",
  free: null,
  fusion: "fusion",
  "fusion-flash": "fusion",
} as const satisfies Readonly<Record<string, PluginId | null>>;
export type RouterSlug = keyof typeof routerPlugins;

const bySlug: ReadonlyMap<string, Omit<NamedRouter, "name">> = new Map(
  Object.entries(routerPlugins).map(([slug, plugin]) => [slug, { slug: toRouterSlug(slug), plugin }]),
);

/** A key of the table. */
function toRouterSlug(key: string): RouterSlug {
  return key as RouterSlug;
}

/** How the models of a request came about, in the word of the routing metadata. */
export type RouteStrategy = "direct" | "fallback" | "alias" | "latest" | RouterStrategy;
export type RouterStrategy = "auto" | "pareto" | "free" | "fusion";

const prefixes = ["openrouter/", "service/"] as const;

/** A router as a request names it. */
export interface NamedRouter {
  readonly slug: RouterSlug;
  readonly plugin: PluginId | null;
  /** As the caller wrote it, without variants: `openrouter/auto`. */
  readonly name: string;
}

/** Undefined for a name that stands for no router; `name` has neither alias nor variants. */
export function namedRouter(name: string): NamedRouter | undefined {
  const word = behindPrefix(name);
  const found = word === undefined ? undefined : bySlug.get(word);
  return found && { ...found, name };
}

function behindPrefix(name: string): string | undefined {
  const prefix = prefixes.find((one) => name.startsWith(one));
  return prefix === undefined ? undefined : name.slice(prefix.length);
}

/** The preset of fusion that a slug stands for. */
export const fusionPresetOf = (slug: RouterSlug): FusionPresetName =>
  slug === "fusion-flash" ? "general-fast" : "general-high";

const nameOf = (slug: string): string => `openrouter/${slug}`;

/** A sentence on a name that looks like a router's and is none; undefined for every other name. */
export function hintForSlug(name: string): string | undefined {
  const word = behindPrefix(name);
  if (word === undefined || word.includes("/")) return undefined;
  const known = [...bySlug.keys()].map(nameOf).join(", ");
  return `Of such names there are ${known} (service/… means the same).`;
}

/** The name of the router that a plugin holds the settings of; undefined for every other plugin. */
export function nameOfRouter(plugin: PluginId): string | undefined {
  const [found] = [...bySlug.values()].filter((one) => one.plugin === plugin);
  return found && nameOf(found.slug);
}
