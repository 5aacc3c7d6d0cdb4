/** The operation that reads the settings again; `server/app/reload/` does it. */

import type { reloadApi } from "../../../shared/management/gateway/reload.ts";
import type { OperationHandlers } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

export const reloadOperations = ({ reload }: ManagementDeps): OperationHandlers<typeof reloadApi> => ({
  "reload": async ({ caller, requestId }) => ({ data: await reload({ caller, requestId }) }),
});
