/** `GET /backup`: a copy of the embedded store as a download, one at a time. */

import { ApiError } from "../../../shared/errors.ts";
import type { settingApi } from "../../../shared/management/gateway/settings.ts";
import type { FileDownload } from "../../../shared/management/operation.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { fileTimestamp } from "../../storage/stores/store_location.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationInput } from "../core/operation.ts";
import { auditCaller } from "../core/write.ts";
import { keyCollection } from "../keys/key_rows.ts";

type BackupDeps = Pick<ManagementDeps, "store" | "runtime" | "audit" | "backup">;
type BackupInput = OperationInput<typeof settingApi["backup.get"]>;

export class BackupDownloads {
  readonly #deps: BackupDeps;
  #isRunning = false;

  constructor(deps: BackupDeps) {
    this.#deps = deps;
  }

  /** Throws an ApiError (400) where it is not confirmed, or is made elsewhere. */
  async download(input: BackupInput): Promise<FileDownload> {
    const { store, runtime: { clock }, audit, backup } = this.#deps;
    if (backup.elsewhere !== undefined) throw new ApiError("invalid_request", backup.elsewhere);
    await this.#requireConfirmation(input);
    const filename = `tollgate-${fileTimestamp(clock.now())}.sqlite3`;
    const change = {
      ...auditCaller(input),
      operation: "backup.get",
      subject: { type: "store", id: "store" },
      before: null,
      after: { filename },
    };
    await store.commit({ puts: [audit.put(change)] });
    return { filename, open: () => this.#open() };
  }

  async #requireConfirmation({ caller, query: { confirm } }: BackupInput): Promise<void> {
    const key = await keyCollection(this.#deps.store).get(caller.keyHash);
    if (key !== undefined && confirm === key.record.name) return;
    const is = confirm === undefined ? "missing" : formatValue(confirm);
    const message =
      `Cannot back up: confirm is ${is}; allowed is the name of the management key that asks, because the file has ` +
      "every record of the store";
    throw new ApiError("invalid_request", message, { metadata: { path: "confirm" } });
  }

  async #open(): Promise<ReadableStream<Uint8Array>> {
    if (this.#isRunning) {
      throw new ApiError("rate_limited", "Another backup is being made; try again when it is done.", {
        retryAfter: 10,
      });
    }
    this.#isRunning = true;
    try {
      return await this.#deps.backup.open();
    } finally {
      this.#isRunning = false;
    }
  }
}
