/** Evidence of routers, put together from what the operator names, what ships and what this gateway has seen. */

import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { pause } from "../../../shared/util/pause.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { Catalog, ModelListing } from "../../providers/catalog/catalog.ts";
import { isBuiltInProvider } from "../../providers/catalog/provider_facts.ts";
import { type Evidence, noEvidence } from "../../pipeline/routing/routers/evidence.ts";
import type { ReceiptEvidenceTable } from "../../pipeline/routing/routers/receipt_evidence.ts";
import { marketEvidence } from "../../pipeline/routing/scores/market.ts";
import type { DatedModel } from "../../pipeline/routing/scores/model_family.ts";
import { indexModelIds } from "../../pipeline/routing/scores/model_ids.ts";
import { createScoreEvidence } from "../../pipeline/routing/scores/score_evidence.ts";
import { scoreInput } from "../scores/score_input.ts";
import { loadRoutingFiles } from "./routing_files.ts";

interface EvidenceParts extends Pick<CompositionParts, "config" | "catalog" | "runtime"> {
  readonly receiptEvidence: Pick<ReceiptEvidenceTable, "current">;
}

interface GatewayEvidence {
  /** Evidence of the moment: the same value until a part of it changes. */
  readonly evidence: () => Evidence;
  /** Adds models that were not in the catalog: those that only keys of workspaces reach. */
  readonly includeModels: (listings: readonly ModelListing[]) => Promise<void>;
}

/** Throws a ConfigError. */
export async function createEvidence(
  { config, catalog, runtime, receiptEvidence }: EvidenceParts,
): Promise<GatewayEvidence> {
  const routing = await loadRoutingFiles(config, runtime);
  const known = new Map<string, DatedModel>();
  let isScored = false;
  const evidenceOf = async (listings: readonly ModelListing[]) => {
    for (const { model: { id, created } } of listings) if (!known.has(id)) known.set(id, { id, created });
    const models = [...known.values()];
    // Nobody has measured the built-in models.
    isScored ||= listings.some(({ endpoints: [{ provider }] }) => !isBuiltInProvider(provider.id));
    const files = routing.scores ?? (isScored ? undefined : []);
    const input = await scoreInput({ config, models, files });
    const scores = await createScoreEvidence(input, { clock: runtime.clock, pause });
    return joiner({ routing, config, models, resolveModel: catalog.resolveModel, scores, receiptEvidence });
  };
  let current = await evidenceOf(catalog.models);
  const making = new KeyedMutex();
  return {
    evidence: () => current(),
    // One after the other: the last one has the models of all.
    includeModels: (listings) =>
      making.run("evidence", async () => {
        current = await evidenceOf(listings);
      }),
  };
}

interface JoinedParts
  extends Pick<EvidenceParts, "config" | "receiptEvidence">, Pick<Catalog, "resolveModel"> {
  readonly routing: Awaited<ReturnType<typeof loadRoutingFiles>>;
  readonly models: readonly DatedModel[];
  readonly scores: Awaited<ReturnType<typeof createScoreEvidence>>;
}

/** Joins what stays with what changes. */
function joiner(
  { routing: { market }, config, models, resolveModel, scores: scoresNow, receiptEvidence }: JoinedParts,
): () => Evidence {
  const { exact, similar } = indexModelIds(models.map(({ id }) => id));
  const named = config.auto.defaultModels.flatMap((name) => ownValue(config.aliases, name) ?? [name]);
  const fixed = {
    ...noEvidence,
    ...(market === undefined ? {} : { market: marketEvidence(market, similar) }),
    defaultModels: [...new Set(named.map((name) => resolveModel(name)[0]?.model.id ?? exact(name)))],
  };
  let made: { readonly scores: unknown; readonly receipts: unknown; readonly evidence: Evidence } | undefined;
  const evidence = () => {
    const [scores, receipts] = [scoresNow(), receiptEvidence.current];
    if (made?.scores !== scores || made.receipts !== receipts) {
      const { receipts: byTask, paidInputPrices } = receipts;
      made = { scores, receipts, evidence: { ...fixed, ...scores, receipts: byTask, paidInputPrices } };
    }
    return made.evidence;
  };
  // Made here, so that no request waits for it.
  evidence();
  return evidence;
}
