/** Evidence of routers, put together from what the operator names, what ships and what this gateway has seen. */

import type { CompositionParts } from "../composition_parts.ts";
import { isBuiltInProvider } from "../../providers/catalog/provider_facts.ts";
import { type Evidence, noEvidence } from "../../pipeline/routing/routers/evidence.ts";
import type { ReceiptEvidenceTable } from "../../pipeline/routing/routers/receipt_evidence.ts";
import { marketEvidence } from "../../pipeline/routing/scores/market.ts";
import { indexModelIds } from "../../pipeline/routing/scores/model_ids.ts";
import { createScoreEvidence } from "../../pipeline/routing/scores/score_evidence.ts";
import { scoreInput } from "../scores/score_input.ts";
import { loadRoutingFiles } from "./routing_files.ts";

interface EvidenceParts extends Pick<CompositionParts, "config" | "catalog" | "runtime"> {
  readonly receiptEvidence: Pick<ReceiptEvidenceTable, "current">;
}

/** Returns what gives the evidence of the moment: the same value until a part of it changes. Throws a ConfigError. */
export async function createEvidence(
  { config, catalog, runtime, receiptEvidence }: EvidenceParts,
): Promise<() => Evidence> {
  const { scores: ownFiles, market } = await loadRoutingFiles(config, runtime);
  const models = catalog.models.map(({ model: { id, created } }) => ({ id, created }));
  const hasOthers = catalog.providers.some(({ id }) => !isBuiltInProvider(id));
  const files = ownFiles ?? (hasOthers ? undefined : []);
  const scoresNow = createScoreEvidence(
    await scoreInput({ config, models, files }),
    () => runtime.clock.now(),
  );
  const { similar } = indexModelIds(models.map(({ id }) => id));
  const fixed = {
    ...noEvidence,
    ...(market === undefined ? {} : { market: marketEvidence(market, similar) }),
    defaultModels: config.auto.defaultModels.map((name) => catalog.resolve(name)[0]?.model.id ?? name),
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
