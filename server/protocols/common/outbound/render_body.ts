/** The body of a request: which keys of a client go into it. */

import type { JsonObject } from "../../canonical/item.ts";
import type { EndpointTraits } from "../../wire.ts";

/** Keys that speak to the gateway or say who its user is: no endpoint's row can make them leave. */
const never: ReadonlySet<string> = new Set([
  "cache_control",
  "debug",
  "image_config",
  "metadata",
  "models",
  "plugins",
  "provider",
  "route",
  "safety_identifier",
  "session_id",
  "stop_server_tools_when",
  "trace",
  "user",
]);

/** Traits of an endpoint that say which keys it takes besides those that every server of its wire does. */
export type Keys = Pick<EndpointTraits, "passKeys" | "parameters">;

/** Whether the endpoint's row lists a key, or the model's row a parameter of that name. */
export const takes = ({ passKeys, parameters }: Keys, key: string): boolean =>
  passKeys.includes(key) || parameters?.includes(key) === true;

/** Whether an endpoint's row lets an unknown key of a client of the same wire pass. */
export const passes = ({ passKeys }: Keys, key: string): boolean => passKeys.includes(key) && !never.has(key);

/** Unknown keys of a client of the same wire that `isPassed` lets through. */
export function passthroughFields(
  unknown: JsonObject | undefined,
  isPassed: (key: string) => boolean,
): JsonObject | undefined {
  if (unknown === undefined) return undefined;
  const passed: Record<string, unknown> = {};
  for (const key in unknown) if (isPassed(key)) passed[key] = unknown[key];
  return passed;
}

/**
 * Unknown keys that a client of the same wire wrote into the object at this path (`output_config.task_budget`), and not
 * into one inside it whose path ends in `inner`.
 */
export function nestedFields(
  unknown: JsonObject | undefined,
  { at, inner }: { readonly at: string; readonly inner?: string },
): JsonObject | undefined {
  let inside: Record<string, unknown> | undefined;
  for (const path in unknown) {
    if (!path.startsWith(at) || path[at.length] !== ".") continue;
    const name = path.slice(at.length + 1);
    if (inner !== undefined && name.startsWith(`${inner}.`)) continue;
    inside ??= {};
    inside[name] = unknown[path];
  }
  return inside;
}
