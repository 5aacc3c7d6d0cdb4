/** The parts of a gateway that routers choose by, for tests that plan routes without one. */

import type { ModelListing } from "../../server/providers/catalog/catalog.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import type { RouterDeps } from "../../server/pipeline/routing/routers/choose_models.ts";
import { type Evidence, noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { RoutedSessions } from "../../server/pipeline/routing/routers/routed_sessions.ts";
import type { EndpointStats } from "../../server/pipeline/routing/health/endpoint_stats.ts";

interface RouterParts {
  readonly stats: EndpointStats;
  readonly clock?: { monotonic(): number };
  readonly endpoints?: readonly Endpoint[];
  readonly evidence?: Evidence;
  readonly attempts?: number;
}

export function routerDeps(
  { stats, clock = { monotonic: () => 0 }, endpoints = [], evidence = noEvidence, attempts = 4 }: RouterParts,
): RouterDeps {
  return {
    stats,
    clock,
    evidence: () => evidence,
    listings: listingsOf(endpoints),
    sessions: new RoutedSessions(clock),
    classifier: "local",
    limits: { attempts },
  };
}

/** Models with their endpoints, as a catalog lists them. */
export function listingsOf(endpoints: readonly Endpoint[]): readonly ModelListing[] {
  return [...Map.groupBy(endpoints, ({ model }) => model.id).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ model: first.model, endpoints: [first, ...others] as const }]
  );
}
