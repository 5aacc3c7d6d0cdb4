/** Whether the gateway takes requests, and what its operator should know. */

import type { Ledger } from "../billing/ledger/core/ledger.ts";
import type { Upkeep } from "../billing/ledger/core/upkeep.ts";
import type { Catalog } from "../providers/catalog/catalog.ts";
import { priceDetails } from "../providers/catalog/price_age.ts";
import type { Runtime } from "../runtime.ts";
import type { Keeper } from "../sandbox/keeper/keeper.ts";
import type { Store } from "../storage/stores/store.ts";
import type { Readiness } from "./readiness_reply.ts";
import type { FileUpkeep } from "./compose/files.ts";
import type { GatewayServer } from "./gateway_server.ts";

interface ReadinessInput {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly catalog: Catalog;
  readonly upkeep: Upkeep;
  readonly files: FileUpkeep | undefined;
  readonly keeper: Pick<Keeper, "problem"> | undefined;
  readonly runtime: Pick<Runtime, "clock">;
}

export async function checkReadiness(
  api: Pick<GatewayServer, "stopping">,
  { store, ledger, catalog, upkeep, files, keeper, runtime }: ReadinessInput,
): Promise<Readiness> {
  if (api.stopping) return { ready: false, reasons: ["The gateway is stopping."] };
  const health = await store.health();
  const reasons = [
    ...(health.ok ? [] : [`Store: ${health.reason}`]),
    ...(ledger.unavailableReason === undefined ? [] : [`Ledger: ${ledger.unavailableReason}`]),
  ];
  const details = {
    ...priceDetails(catalog.endpoints, runtime.clock.now()),
    ...upkeep.details,
    ...(ledger.heldUpReason === undefined
      ? {}
      : { ledger: `Receipts are not written: ${ledger.heldUpReason}` }),
    ...files?.retention.details,
    ...files?.shared?.details,
    ...(keeper?.problem === undefined ? {} : { documents: keeper.problem }),
  };
  return { ready: reasons.length === 0, reasons, details };
}
