/** Every operation of the API in one form, for the API document and for llms.txt. */

import { managementApi } from "../../../shared/management/api.ts";
import type { ManagementOperation } from "../../../shared/management/operation.ts";
import { type CallOperation, callOperations } from "./call_operations.ts";

export interface ApiOperation extends CallOperation {
  /** Such as `keys.list`; the name in front of the first dot is its family. */
  readonly id: string;
  readonly bodyOptional?: true;
  readonly versioned?: true;
  readonly status?: 201;
  /** Takes a multipart form with one file. */
  readonly isUpload?: true;
  /** Answers with bytes that have a tag, and of which parts may be asked for. */
  readonly isDownload?: true;
  /** The operation that its path is instead, with a query that names a workspace. */
  readonly instead?: ApiOperation;
}

const isFile = ({ errors }: ManagementOperation) =>
  errors === "download_file" || errors === "download_container_file";

function fromManagement([id, row]: readonly [string, ManagementOperation]): ApiOperation {
  const { body, output, ...more } = row;
  const isBytes = output === "bytes";
  return {
    ...more,
    id,
    output: output === "events" ? "bytes" : output,
    ...(body === "multipart" ? { isUpload: true } : { body }),
    ...(output === "events" ? { mediaTypes: ["text/event-stream"] } : {}),
    ...(isBytes ? { mediaTypes: ["application/octet-stream"] } : {}),
    ...(isBytes && isFile(row) ? { isDownload: true } : {}),
  };
}

const managed = Object.entries<ManagementOperation>(managementApi).map(fromManagement);
const isSamePlace = (one: ApiOperation) => ({ method, path }: ApiOperation) =>
  method === one.method && path === one.path;

const calls: readonly ApiOperation[] = Object.entries<CallOperation>(callOperations)
  .map(([id, row]) => ({ ...row, id }))
  .map((one) => ({ ...one, instead: managed.find(isSamePlace(one)) }));

/** Each method and path once. */
export const apiOperations: readonly ApiOperation[] = [
  ...calls,
  ...managed.filter((one) => !calls.some(isSamePlace(one))),
];

/** The address below the gateway's own, parameters in braces: `/v1/keys/{hash}`. */
export const addressOf = ({ path, isAtRoot }: ApiOperation): string =>
  `${isAtRoot ? "" : "/v1"}${path.replace(/:(\w+)/g, "{$1}")}`;
