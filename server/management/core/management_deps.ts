/** What the management operations work with. */

import type { Ledger } from "../../ledger/core/ledger.ts";
import type { Store } from "../../stores/store.ts";
import type { World } from "../../runtime.ts";
import type { Audit } from "../audit/audit_log.ts";
import type { Epochs } from "./cache_versions.ts";
import type { OpenCalls } from "../keys/open_calls.ts";
import type { Vault } from "../byok/vault.ts";

export interface AdminDeps {
  readonly store: Store;
  readonly world: Pick<World, "clock" | "random" | "randomToken" | "id" | "log">;
  readonly epochs: Epochs;
  readonly audit: Audit;
  /** What scopes have spent; and when what is read of receipts is up to date. */
  readonly ledger: Pick<Ledger, "spendOf" | "posted">;
  readonly openCalls: Pick<OpenCalls, "end">;
  /** Encrypts what is secret and stored. */
  readonly vault: Pick<Vault, "seal" | "open">;
}
