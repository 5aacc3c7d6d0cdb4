/** Every management operation and the function that does it. */

import type { api } from "../../shared/api.ts";
import type { Acts } from "./act.ts";
import { auditActs } from "./audit_log.ts";
import { byokActs } from "./byok.ts";
import { clientActs } from "./clients.ts";
import { creditActs } from "./credits.ts";
import type { AdminDeps } from "./deps.ts";
import { guardrailActs } from "./guardrails.ts";
import { keyActs } from "./keys.ts";
import { managementKeyActs } from "./management_keys.ts";
import { receiptActs } from "./receipts.ts";
import { usageActs } from "./usage_acts.ts";
import { workspaceActs } from "./workspaces.ts";

export type Operations = Acts<typeof api>;

export function operationsOf(deps: AdminDeps): Operations {
  return {
    ...keyActs(deps),
    ...managementKeyActs(deps),
    ...clientActs(deps),
    ...auditActs(deps),
    ...workspaceActs(deps),
    ...guardrailActs(deps),
    ...byokActs(deps),
    ...creditActs(deps),
    ...receiptActs(deps),
    ...usageActs(deps),
  };
}
