/** Puts together what the console needs: its files and sessions, and the status operation's view of the gateway. */

import type { AppDeps } from "../app.ts";
import type { Readiness } from "../readiness_reply.ts";
import { tlsReader } from "../../api/client_address.ts";
import type { CompositionParts, OpenedParts } from "../composition_parts.ts";
import type { ConsoleDeps } from "../../api/console/console_routes.ts";
import { ConsoleSessions } from "../../api/console/console_sessions.ts";
import { ConsoleFiles } from "../../api/console/dist_files.ts";
import { SignInAttempts } from "../../api/console/sign_in_attempts.ts";
import { SignInLink } from "../../api/console/sign_in_link.ts";
import type { KeyCache } from "../../management/keys/key_cache.ts";
import type { EndpointHealthRecord, StatusSource } from "../../management/status/status_source.ts";
import type { OverloadGuard } from "../../overload/overload_guard.ts";
import type { EndpointHealth } from "../../pipeline/routing/health/endpoint_health.ts";
import { describeRefusal } from "../../pipeline/routing/account_refusal.ts";
import { standingOf, standingOfKeys } from "../../pipeline/routing/health/endpoint_standing.ts";
import type { LiveStats } from "../../pipeline/routing/health/endpoint_stats.ts";
import type { SingleUseOrigins } from "../../providers/upstream/connections/single_use_origins.ts";
import manifest from "../../../deno.json" with { type: "json" };

/** The console's files and sessions. */
export function createConsoleParts(
  { runtime, store, consoleFolder }: OpenedParts,
  keys: KeyCache,
): Pick<ConsoleDeps, "files" | "sessions" | "attempts" | "link"> {
  return {
    files: new ConsoleFiles(consoleFolder ?? new URL("../../../console/dist/", import.meta.url)),
    sessions: new ConsoleSessions({ store, runtime, keys, version: manifest.version }),
    attempts: new SignInAttempts(runtime.clock),
    link: new SignInLink({ store, runtime }),
  };
}

interface ConsoleParts {
  readonly console: ReturnType<typeof createConsoleParts>;
  readonly access: Pick<AppDeps, "refreshCaches" | "addressOf">;
}

/** The console by these settings. */
export function createConsole(
  { config, runtime: { clock } }: CompositionParts,
  { console, access: { refreshCaches, addressOf } }: ConsoleParts,
): ConsoleDeps {
  return {
    ...console,
    clock,
    refreshCaches,
    addressOf,
    bodyLimits: config.limits,
    isTls: tlsReader(config.trustProxy),
  };
}

interface RoutingHealth {
  readonly health: EndpointHealth;
  readonly stats: LiveStats;
  readonly singleUse: Pick<SingleUseOrigins, "secondsLeft">;
}

/** The readiness, with overload and the providers that refuse every call: the gateway is ready nevertheless. */
export function withRefusingProviders(
  readiness: AppDeps["readiness"],
  { health, overload }: Pick<RoutingHealth, "health"> & { readonly overload: Overload },
): () => Promise<Readiness> {
  return async () => {
    const known = withOverload(await readiness(), overload);
    const refusing = health.refusingProviders.map((one) =>
      `${one.name} refuses every call with the gateway's key (${describeRefusal(one)})`
    );
    if (refusing.length === 0) return known;
    return { ...known, details: { ...known.details, providers: `${refusing.join("; ")}.` } };
  };
}

type Overload = Pick<OverloadGuard, "active">;

/** An overloaded gateway stays in the balance: it goes on with what is under way, and takes new work in a moment. */
function withOverload(readiness: Readiness, { active }: Overload): Readiness {
  if (active.size === 0) return readiness;
  const overload = `New requests are refused: ${[...active].join(", ")}.`;
  return { ...readiness, details: { ...readiness.details, overload } };
}

interface StatusParts extends RoutingHealth {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Composes the measured figures of endpoints, for the status operation. */
export function createStatusSource(
  { config, ledger, blobs, catalog, shared = config.deploy }: OpenedParts,
  { health, stats, singleUse, startedAt }: StatusParts,
): StatusSource {
  const byId = new Map(catalog.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const describe = (endpointId: string): EndpointHealthRecord => {
    // One that is called with a workspace's own key is marked behind its name.
    const [named = "", own] = endpointId.split("|byok:");
    const endpoint = byId.get(named);
    const [provider = "", model = ""] = named.split("|");
    const { well, badly } = stats.attempts(endpointId);
    return {
      endpointId,
      provider: endpoint?.provider.id ?? provider,
      providerName: endpoint?.provider.name ?? provider,
      model: endpoint?.model.id ?? model,
      isByok: own !== undefined,
      ...(endpoint === undefined || own !== undefined
        ? standingOf(health, endpointId)
        : standingOfKeys(health, endpoint)),
      singleUseForSeconds: endpoint && singleUse.secondsLeft(endpoint.provider.baseUrl),
      p50Ms: stats.latency(endpointId)?.p50,
      attempts: well + badly,
      failures: badly,
    };
  };
  return {
    version: manifest.version,
    startedAt,
    ledgerProblem: () => ledger.unavailableReason ?? ledger.heldUpReason,
    hasBlobs: blobs !== undefined,
    isShared: shared || config.store !== undefined,
    endpoints: () => stats.endpointIds.map(describe),
  };
}
