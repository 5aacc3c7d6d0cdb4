/** The metrics of one gateway: what it counts while it works. What is read at a scrape is set by who reads. */

import type { Receipt } from "../../shared/receipts.ts";
import { CatalogLabels } from "./catalog_labels.ts";
import { receiptCounter } from "./receipt_metrics.ts";
import { MetricRegistry } from "./registry.ts";
import { seriesTable } from "./series.ts";
import type { GenAiNames } from "./series_row.ts";
import { TraceNotes } from "./trace_notes.ts";

interface Reply {
  readonly operation: string;
  readonly status: number;
  /** Milliseconds until the reply began: of the gateway itself, and of waiting for providers. */
  readonly ownMs: number;
  readonly upstreamMs: number;
  /** Whether a model was asked for. */
  readonly isModelCall: boolean;
}

interface Commit {
  readonly requests: number;
  readonly ms: number;
}

interface CountedGateway {
  readonly ledger: { follow(listener: (receipt: Receipt) => void): () => void };
  readonly catalog: ConstructorParameters<typeof CatalogLabels>[0];
  readonly overload: { onLook(listener: (lagMs: number) => void): void };
}

export class GatewayMetrics {
  readonly registry: MetricRegistry;
  readonly traces = new TraceNotes();
  /** Set once the gateway is put together. */
  labels = new CatalogLabels(() => nothing);

  constructor(spelling: GenAiNames) {
    this.registry = new MetricRegistry(seriesTable(spelling));
  }

  /** Counts receipts and the lag of the loop from now on. */
  follow({ ledger, catalog, overload }: CountedGateway): void {
    const { registry } = this;
    this.labels = new CatalogLabels(catalog);
    ledger.follow(receiptCounter(this));
    overload.onLook((lagMs) => registry.at("loopLag").observe(lagMs / 1_000));
  }

  committed({ requests, ms }: Commit): void {
    this.registry.at("ledgerBatch").observe(requests);
    this.registry.at("ledgerCommit").observe(ms / 1_000);
  }

  replied({ operation, status, ownMs, upstreamMs, isModelCall }: Reply): void {
    const { registry } = this;
    registry.at("httpRequests", { operation, code: `${Math.floor(status / 100)}xx` }).add();
    if (!isModelCall) return;
    registry.at("ownDuration").observe(ownMs / 1_000);
    registry.at("upstreamDuration").observe(upstreamMs / 1_000);
  }
}

const nothing = { endpoints: [] };
