/**
 * The management API as one table: method, path, who may, input, output. The server routes by it, the console
 * calls by it, and the compiler asks for a handler of every row.
 */

import { activityApi } from "./activity.ts";
import { alertApi } from "./gateway/alerts.ts";
import { analyticsApi } from "./analytics.ts";
import { attentionApi } from "./attention.ts";
import { auditApi } from "./audit.ts";
import { byokApi } from "./byok.ts";
import { clientApi } from "./clients.ts";
import { containerApi } from "./containers.ts";
import { creditApi } from "./credits.ts";
import { classifierApi } from "./gateway/classifiers.ts";
import { destinationApi } from "./gateway/destinations.ts";
import { doctorApi } from "./gateway/doctor.ts";
import { fileApi } from "./files.ts";
import { guardrailApi } from "./guardrails.ts";
import { keyApi } from "./keys.ts";
import { managementKeyApi } from "./management_keys.ts";
import { modelApi } from "./gateway/models.ts";
import type { ManagementOperation } from "./operation.ts";
import { playgroundApi } from "./gateway/playground.ts";
import { presetApi } from "./gateway/presets.ts";
import { providerApi } from "./gateway/providers.ts";
import { settingApi } from "./gateway/settings.ts";
import { receiptApi } from "./receipts.ts";
import { reloadApi } from "./gateway/reload.ts";
import { statusApi } from "./status.ts";
import { workspaceApi } from "./workspaces.ts";

export const managementApi = {
  ...keyApi,
  ...managementKeyApi,
  ...clientApi,
  ...auditApi,
  ...reloadApi,
  ...workspaceApi,
  ...guardrailApi,
  ...presetApi,
  ...destinationApi,
  ...classifierApi,
  ...byokApi,
  ...creditApi,
  ...fileApi,
  ...containerApi,
  ...receiptApi,
  ...activityApi,
  ...analyticsApi,
  ...statusApi,
  ...attentionApi,
  ...alertApi,
  ...modelApi,
  ...providerApi,
  ...playgroundApi,
  ...settingApi,
  ...doctorApi,
} as const satisfies Record<string, ManagementOperation>;

export type OperationId = keyof typeof managementApi;
