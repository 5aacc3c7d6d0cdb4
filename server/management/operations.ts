/** Every management operation and the function that does it. */

import type { managementApi } from "../../shared/management/api.ts";
import type { OperationHandlers } from "./core/operation.ts";
import { alertOperations } from "./alerts/alert_operations.ts";
import { attentionOperations } from "./status/attention_operations.ts";
import { auditOperations } from "./audit/audit_operations.ts";
import { byokOperations } from "./byok/byok_operations.ts";
import { clientOperations } from "./clients/client_operations.ts";
import { containerOperations } from "./containers/container_operations.ts";
import { creditOperations } from "./budgets/credit_operations.ts";
import { fileOperations } from "./files/file_operations.ts";
import type { OperationDeps } from "./core/management_deps.ts";
import { guardrailOperations } from "./guardrails/guardrail_operations.ts";
import { classifierOperations } from "./classifiers/classifier_operations.ts";
import { destinationOperations } from "./destinations/destination_operations.ts";
import { keyOperations } from "./keys/key_operations.ts";
import { managementKeyOperations } from "./keys/management_key_operations.ts";
import { modelOperations } from "./models/model_operations.ts";
import { presetOperations } from "./presets/preset_operations.ts";
import { playgroundOperations } from "./system_keys/playground_operations.ts";
import { providerOperations } from "./providers/provider_operations.ts";
import { receiptOperations } from "./receipts/receipt_operations.ts";
import { doctorOperations } from "./settings/doctor_operations.ts";
import { settingOperations } from "./settings/setting_operations.ts";
import { reloadOperations } from "./status/reload_operations.ts";
import { statusOperations } from "./status/status_operations.ts";
import { usageOperations } from "./analytics/usage_operations.ts";
import { workspaceOperations } from "./workspaces/workspace_operations.ts";

export type Operations = OperationHandlers<typeof managementApi>;

export function createOperations(deps: OperationDeps): Operations {
  return {
    ...keyOperations(deps),
    ...managementKeyOperations(deps),
    ...clientOperations(deps),
    ...auditOperations(deps),
    ...reloadOperations(deps),
    ...workspaceOperations(deps),
    ...guardrailOperations(deps),
    ...presetOperations(deps),
    ...destinationOperations(deps),
    ...classifierOperations(deps),
    ...byokOperations(deps),
    ...creditOperations(deps),
    ...fileOperations(deps),
    ...containerOperations(deps),
    ...receiptOperations(deps),
    ...usageOperations(deps),
    ...statusOperations(deps),
    ...attentionOperations(deps),
    ...alertOperations(deps),
    ...modelOperations(deps),
    ...providerOperations(deps),
    ...playgroundOperations(deps),
    ...settingOperations(deps),
    ...doctorOperations(deps),
  };
}
