/**
 * The management API as one table: method, path, who may, input, output. The server routes by it, the console
 * calls by it, and the compiler asks for a handler of every row.
 */

import { keyApi } from "./api/keys.ts";
import type { ApiOperation } from "./api/operation.ts";
import { workspaceApi } from "./api/workspaces.ts";

export const api = {
  ...keyApi,
  ...workspaceApi,
} as const satisfies Record<string, ApiOperation>;

export type OperationId = keyof typeof api;
