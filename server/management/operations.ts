/** Every management operation and the function that does it. */

import type { api } from "../../shared/management/api.ts";
import type { Acts } from "./core/operation.ts";
import { auditActs } from "./audit/audit_operations.ts";
import { byokActs } from "./byok/byok_operations.ts";
import { clientActs } from "./clients/client_operations.ts";
import { creditActs } from "./budgets/credit_operations.ts";
import type { AdminDeps } from "./core/management_deps.ts";
import { guardrailActs } from "./guardrails/guardrail_operations.ts";
import { keyActs } from "./keys/key_operations.ts";
import { managementKeyActs } from "./keys/management_key_operations.ts";
import { receiptActs } from "./receipts/receipt_operations.ts";
import { usageActs } from "./analytics/usage_operations.ts";
import { workspaceActs } from "./workspaces/workspace_operations.ts";

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
