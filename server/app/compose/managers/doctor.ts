/** Puts together the checks that a gateway makes of itself. */

import type { DoctorCheck } from "../../../../shared/management/gateway/doctor.ts";
import type { Caller } from "../../../../shared/keys.ts";
import { type CheckRow, failed, ok, type ReadOperation } from "../../../cli/checks/doctor_rows.ts";
import { moderationService } from "../../../cli/checks/moderation_check.ts";
import { modelListChecks } from "../../../cli/checks/provider_checks.ts";
import { runChecks } from "../../../cli/checks/run_checks.ts";
import { startChecks } from "../../../cli/checks/start_checks.ts";
import { redact } from "../../../logger.ts";
import type { Operations } from "../../../management/operations.ts";
import { reportPrices } from "../../../providers/catalog/open_catalog.ts";
import { reportRetirements } from "../../../providers/catalog/retirements.ts";
import { createProviders } from "../../../providers/mod.ts";
import { modelListUrl } from "../../../providers/model_list.ts";
import type { CompositionParts } from "../../composition_parts.ts";
import { reportScores } from "../../scores/report_scores.ts";
import { moderationProbe } from "../moderation.ts";

type DoctorParts = Pick<CompositionParts, "config" | "runtime" | "readiness">;

/** Reads what the operations answer to a caller, by the paths that checks know. */
function reader(operations: Operations, caller: Caller): ReadOperation {
  const input = { caller, params: {}, body: undefined, header: () => null, requestId: "doctor" };
  return (path) => {
    const { pathname, searchParams } = new URL(path, "http://localhost");
    const page = { offset: Number(searchParams.get("offset")), limit: Number(searchParams.get("limit")) };
    switch (pathname) {
      case "/status":
        return operations["status.get"]({ ...input, query: undefined });
      case "/guardrails":
        return operations["guardrails.list"]({ ...input, query: page });
      case "/workspaces":
        return operations["workspaces.list"]({ ...input, query: page });
    }
    throw new Error(`Cannot check the gateway: no operation is known at ${pathname}`);
  };
}

async function storeCheck({ readiness }: DoctorParts): Promise<CheckRow> {
  const { ready, reasons } = await readiness();
  return ready ? ok("store", "reads and writes") : failed("store", reasons.join(" "));
}

async function startFacts({ config, runtime }: DoctorParts) {
  const providers = createProviders(config);
  const facts = {
    config,
    prices: await reportPrices({ config, providers, runtime }),
    scores: await reportScores({ config, providers, runtime }),
    retirements: await reportRetirements({ config, providers, now: runtime.clock.now() }),
  };
  const lists = providers.providers.map((provider) => ({
    name: provider.name,
    listUrl: modelListUrl(provider),
    headers: provider.headers,
  }));
  return { facts, lists };
}

/** The checks, with the operations that they read as the caller. */
export function createDoctor(parts: DoctorParts, operations: () => Operations) {
  const { config, runtime } = parts;
  return async (caller: Caller): Promise<readonly DoctorCheck[]> => {
    const { facts, lists } = await startFacts(parts);
    const rows = [
      ...startChecks.settings(facts),
      await storeCheck(parts),
      ...startChecks.catalog(facts),
      ...await modelListChecks(runtime, lists),
      await moderationService({ config, probe: moderationProbe(parts) }),
      ...await runChecks({ config, isElsewhere: false }, reader(operations(), caller)),
    ];
    // The last look: whatever a provider said, nothing that looks like a key goes out.
    return rows.map((row) => ({ ...row, found: redact(row.found) }));
  };
}
