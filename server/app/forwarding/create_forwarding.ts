/** Puts together what several gateways on one store need to work in each other's containers. */

import type { Config } from "../../config/config.ts";
import type { Transport } from "../../providers/upstream/transport.ts";
import type { Runtime } from "../../runtime.ts";
import { ContainerLeases } from "../../sandbox/containers/container_leases.ts";
import type { ContainerService } from "../../sandbox/containers/container_service.ts";
import { CallSignatures } from "../../sandbox/containers/forwarding/call_signatures.ts";
import { ForwardedCalls } from "../../sandbox/containers/forwarding/forwarded_calls.ts";
import { ForwardingClient } from "../../sandbox/containers/forwarding/forwarding_client.ts";
import type { Store } from "../../storage/stores/store.ts";

interface ForwardingParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
  /** Calls other instances: their addresses are the operator's. */
  readonly transport: Transport;
  /** Other instances write the same store. */
  readonly isShared: boolean;
}

/** Keeps instances out of each other's containers, and lets them call each other where the settings name addresses. */
export interface Forwarding {
  readonly leases?: ContainerLeases;
  readonly instances?: ForwardingClient;
  /** Undefined where other instances do not call this one. */
  readonly callsFor: (containers: ContainerService) => ForwardedCalls | undefined;
}

export async function createForwarding(
  { config, runtime, store, transport, isShared }: ForwardingParts,
): Promise<Forwarding> {
  const { instanceUrl, masterKey, deploy } = config;
  if (!isShared) return { callsFor: () => undefined };
  if (instanceUrl === undefined || masterKey === undefined || deploy) {
    return { leases: new ContainerLeases({ store, runtime }), callsFor: () => undefined };
  }
  const leases = new ContainerLeases({ store, runtime, url: instanceUrl });
  const signatures = await CallSignatures.create(masterKey, runtime);
  return {
    leases,
    instances: new ForwardingClient({ transport, signatures, runtime }),
    callsFor: (containers) => new ForwardedCalls({ signatures, leases, containers, runtime }),
  };
}
