/** Says of two requests whether the same models may serve them, without asking any filter. */

import type { ModelListing } from "../../../providers/catalog/catalog.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { RequestRequirements } from "../selection/request_requirements.ts";
import type { RequestedModel } from "../selection/model_names.ts";
import type { Restrictions } from "../selection/select_endpoints.ts";
import { identityOf } from "./identity.ts";

export interface PoolInput extends Restrictions {
  readonly request: ModelRequest;
  readonly demand: RequestRequirements;
  /** The router's name with its variants, as one requested model. */
  readonly named: RequestedModel;
}

/** Longer keys are not worth keeping. */
const MOST_KEY_CHARS = 4_000;

/**
 * The same text for requests for which every filter says the same; undefined where that cannot be told so: by files,
 * a compaction, or a hosted tool that must be called.
 */
export function poolKey(listings: readonly ModelListing[], pooled: PoolInput): string | undefined {
  const { request, demand, rules, readers, named, preferences } = pooled;
  const isSpecial = demand.inputs.length > 0 || demand.speech !== undefined || demand.embeddings ||
    demand.hosted !== undefined ||
    readers.length > 0;
  if (isSpecial) return undefined;
  const key = JSON.stringify([
    identityOf(listings),
    rulesKey(rules),
    request.provider,
    demand.outputs,
    demand.tools,
    [...named.variants].sort(),
    preferences.requireParameters ? demand.parameters : [],
    lengthKey(listings, { request, demand }),
  ]);
  return key.length > MOST_KEY_CHARS ? undefined : key;
}

const rulesKey = (rules: CallerRules | undefined) =>
  rules === undefined
    ? 0
    : [identityOf(rules.policy), identityOf(rules.byokKeys), rules.builtInOnly === true];

interface Length {
  readonly request: ModelRequest;
  readonly demand: RequestRequirements;
}

/** Number of lengths of contexts that are too short; where there are some, whether the request may be shortened. */
function lengthKey(listings: readonly ModelListing[], { request, demand }: Length): unknown {
  const lengths = contextLengths(listings);
  let short = 0;
  while (short < lengths.length && demand.exceedsContext(lengths[short] ?? Infinity)) short++;
  if (short === 0) return 0;
  const { truncation, plugins } = request;
  return [short, truncation, plugins.find(({ id }) => id === "context-compression")];
}

const known = new WeakMap<readonly ModelListing[], readonly number[]>();

/** All lengths of contexts that a catalog has, the shortest first. */
function contextLengths(listings: readonly ModelListing[]): readonly number[] {
  const found = known.get(listings);
  if (found !== undefined) return found;
  const all = listings.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ model }) => model.contextLength ?? [])
  );
  const lengths = [...new Set(all)].sort((one, other) => one - other);
  known.set(listings, lengths);
  return lengths;
}
