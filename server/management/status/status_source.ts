/** Facts of the running gateway that the status operation reads; `composition.ts` has them. */

import type { EndpointStanding } from "../../../shared/management/status.ts";

export interface EndpointHealthRecord {
  readonly endpointId: string;
  readonly provider: string;
  readonly providerName: string;
  readonly model: string;
  /** Called with a workspace's own key. */
  readonly isByok: boolean;
  readonly standing: EndpointStanding;
  /** Seconds until it is tried again; undefined while it is well, and where the next request tries it. */
  readonly restsForSeconds?: number;
  /** Reason of its last failure, in words. */
  readonly reason?: string;
  /** Each key of its provider, where there are several, by the name of its variable. */
  readonly keys?: readonly (Pick<EndpointHealthRecord, "standing" | "restsForSeconds" | "reason"> & {
    readonly name: string;
  })[];
  /** Seconds for which each connection to its origin carries one request; undefined where they carry several. */
  readonly singleUseForSeconds?: number;
  readonly p50Ms?: number;
  readonly attempts: number;
  readonly failures: number;
}

export interface StatusSource {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Why the ledger refuses requests; undefined while it does not. */
  readonly ledgerProblem: () => string | undefined;
  readonly hasBlobs: boolean;
  /** Other gateways may write the same store. */
  readonly isShared: boolean;
  /** Lists the endpoints that were called since the start. */
  readonly endpoints: () => readonly EndpointHealthRecord[];
}
