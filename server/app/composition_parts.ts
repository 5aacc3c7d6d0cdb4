/** Parts that a gateway is put together from: its settings and what they have opened. */

import type { BlobStore } from "../storage/blobs/blob_store.ts";
import type { Keeper } from "../sandbox/keeper/keeper.ts";
import type { Catalog } from "../providers/catalog/catalog.ts";
import type { Readiness } from "./readiness_reply.ts";
import type { Config } from "../config/config.ts";
import type { ManagementDeps } from "../management/core/management_deps.ts";
import type { Ledger } from "../billing/ledger/core/ledger.ts";
import type { RateLimitQuotas } from "../billing/rate_limits/rate_limit_quotas.ts";
import type { GatewayMetrics } from "../metrics/gateway_metrics.ts";
import type { CancelSignal } from "../one_shot_signal.ts";
import type { PipelineDeps } from "../pipeline/stages/mod.ts";
import type { Store } from "../storage/stores/store.ts";
import type { SingleUseOrigins } from "../providers/upstream/connections/single_use_origins.ts";
import type { Transport } from "../providers/upstream/transport.ts";
import type { Runtime } from "../runtime.ts";

export interface CompositionParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly catalog: Catalog;
  /** Where the bytes of files lie; undefined: nowhere. */
  readonly blobs?: BlobStore;
  /** Makes the calls of providers. */
  readonly transport: Transport;
  /** The origins whose connections it uses once. */
  readonly singleUse: Pick<SingleUseOrigins, "secondsLeft">;
  /** Runs what reads pages and documents; undefined: they are not read. */
  readonly keeper?: Keeper;
  readonly readiness: () => Promise<Readiness>;
  /** Reads the settings again. */
  readonly reload: ManagementDeps["reload"];
  /** Where several processes share the rate limits. */
  readonly rateLimitQuotas?: RateLimitQuotas;
  /** Counts what the gateway does; undefined: nothing is counted. */
  readonly metrics?: GatewayMetrics;
  /** Fires when running answers must end. */
  readonly stop?: CancelSignal;
  /** Where the master key is kept that the environment does not give; undefined: it has to. */
  readonly masterFile?: string;
  /** Other processes write the same store, and it gives no signals. On Deno Deploy by default. */
  readonly shared?: boolean;
  /** Where the console's built files are, with a slash at the end. By default where the build task puts them. */
  readonly consoleFolder?: URL;
  /** See PipelineDeps. */
  readonly guardrails?: PipelineDeps["guard"];
}

/** The parts before there is an app. */
export type OpenedParts = Omit<CompositionParts, "readiness" | "reload">;
