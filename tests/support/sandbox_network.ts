/** A network for containers under test: every name that is allowed ends, after every check, at ports of this machine. */

import { RequestRefused } from "../../server/sandbox/allowed_requests.ts";
import type { SandboxRigOptions } from "./sandbox.ts";
import { connect, type Destination } from "../../server/providers/upstream/connections/connect.ts";
import { type FindProxy, noProxies } from "../../server/providers/upstream/proxy_rules.ts";
import { FetchError } from "../../server/web/fetch/fetch_error.ts";
import { createGuardedFetch } from "../../server/web/fetch/guarded_fetch.ts";
import { createGuardedTunnel } from "../../server/web/fetch/guarded_tunnel.ts";
import type { FetchPolicy } from "../../server/web/fetch/fetch_target.ts";
import type { Clock } from "../../server/runtime.ts";

const PUBLIC = "93.184.215.14";

interface NetworkOptions {
  readonly clock: Clock;
  readonly policy?: Partial<FetchPolicy>;
  /** Name → addresses of each resolution, the last one for ever; others have a public one. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The port of this machine that stands for every address. */
  readonly port: number;
  readonly caCerts?: readonly string[];
  /** Tunnels lead through these; pages, whose TLS the gateway speaks, do not. */
  readonly findProxy?: FindProxy;
}

/** As the gateway composes it. */
export function sandboxNetwork(
  { clock, policy, names = {}, port, caCerts, findProxy = noProxies }: NetworkOptions,
) {
  const connected: Destination[] = [];
  const resolutions = new Map(Object.entries(names).map(([name, answers]) => [name, [...answers]]));
  const deps = {
    clock,
    policy: { allowHttp: false, allowedHosts: [], ...policy },
    findProxy,
    resolve: (name: string) => {
      const answers = resolutions.get(name) ?? [[PUBLIC]];
      return Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
    },
    connect: (to: Destination, options: Parameters<typeof connect>[1]) => {
      connected.push(to);
      const here = to.proxy === undefined ? { address: "127.0.0.1" } : { hostname: "127.0.0.1" };
      return connect({ ...to, ...here, port, caCerts }, options);
    },
  };
  const [fetch, tunnel] = [createGuardedFetch(deps), createGuardedTunnel(deps)];
  return {
    connected,
    fetchPage: (input) => fetch({ ...input, accepts: () => true }).catch(refuse),
    openTunnel: (input) => tunnel(input).catch(refuse),
  } satisfies Pick<SandboxRigOptions, "fetchPage" | "openTunnel"> & {
    readonly connected: readonly Destination[];
  };
}

function refuse(error: unknown): never {
  const isForbidden = error instanceof FetchError && /^(?:forbidden_host|invalid_url)$/.test(error.kind);
  throw isForbidden ? new RequestRefused(error.message) : error;
}
