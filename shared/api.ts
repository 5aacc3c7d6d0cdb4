/**
 * The management API as one table: method, path, who may, input, output. The server routes by it, the console
 * calls by it, and the compiler asks for a handler of every row.
 */

import { activityApi } from "./api/activity.ts";
import { analyticsApi } from "./api/analytics.ts";
import { auditApi } from "./api/audit.ts";
import { byokApi } from "./api/byok.ts";
import { clientApi } from "./api/clients.ts";
import { creditApi } from "./api/credits.ts";
import { guardrailApi } from "./api/guardrails.ts";
import { keyApi } from "./api/keys.ts";
import { managementKeyApi } from "./api/management_keys.ts";
import type { ApiOperation } from "./api/operation.ts";
import { receiptApi } from "./api/receipts.ts";
import { workspaceApi } from "./api/workspaces.ts";

export const api = {
  ...keyApi,
  ...managementKeyApi,
  ...clientApi,
  ...auditApi,
  ...workspaceApi,
  ...guardrailApi,
  ...byokApi,
  ...creditApi,
  ...receiptApi,
  ...activityApi,
  ...analyticsApi,
} as const satisfies Record<string, ApiOperation>;

export type OperationId = keyof typeof api;
