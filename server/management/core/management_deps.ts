/** Dependencies of the management operations. */

import type { Ledger } from "../../billing/ledger/core/ledger.ts";
import type { FileProvider } from "../../../shared/files.ts";
import type { DefaultPlugin } from "../../../shared/responses/plugins.ts";
import type { ContainerService } from "../../sandbox/containers/container_service.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { Reader } from "../../web/reader/reader.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { Runtime } from "../../runtime.ts";
import type { AuditWriter } from "../audit/audit_log.ts";
import type { CacheVersions } from "./cache_versions.ts";
import type { SendMessage } from "../delivery/post_message.ts";
import type { OperationInput } from "./operation.ts";
import type { ReloadReport } from "../../../shared/management/gateway/reload.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { DoctorCheck } from "../../../shared/management/gateway/doctor.ts";
import type { OpenCalls } from "../keys/open_calls.ts";
import type { ReceiptTail } from "../receipts/receipt_tail.ts";
import type { ModelSource } from "../models/model_source.ts";
import type { CallProviderOnce } from "../providers/provider_caller.ts";
import type { BackupSource } from "../settings/backup_source.ts";
import type { InstallationSource } from "../settings/installation_source.ts";
import type { StatusSource } from "../status/status_source.ts";
import type { Vault } from "../byok/vault.ts";

/** How the file APIs of providers are reached. */
interface FileApis {
  /** Base URL of a provider's API; undefined where workspaces may not use keys of their own there. */
  readonly baseUrl: (provider: FileProvider) => string | undefined;
  readonly fetch: Runtime["fetch"];
}

/** The APIs on which clients call models. */
export type ModelApi = "responses" | "chat" | "messages" | "speech" | "embeddings";

export interface ManagementDeps {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "clock" | "random" | "randomToken" | "id" | "log">;
  readonly cacheVersions: CacheVersions;
  readonly audit: AuditWriter;
  /** Reads what scopes have spent, and when the rows of receipts are up to date. */
  readonly ledger: Pick<Ledger, "readSpend" | "caughtUp">;
  /** Tells managers of receipts as they are written. */
  readonly receiptTail: ReceiptTail;
  readonly openCalls: Pick<OpenCalls, "abortCalls">;
  /** Encrypts what is secret and stored. */
  readonly vault: Pick<Vault, "encrypt" | "decrypt">;
  readonly files: FileStore;
  readonly containers: ContainerService;
  readonly fileApis: FileApis;
  readonly readDocument: Reader;
  readonly status: StatusSource;
  readonly models: ModelSource;
  readonly installation: InstallationSource;
  readonly backup: BackupSource;
  /** Throws an ApiError (400) for what is no request to that API. */
  readonly parseModelRequest: (api: ModelApi, body: unknown) => ModelRequest;
  /** Throws an ApiError for what the API would refuse as well: also settings of tools and plugins that none may have. */
  readonly checkModelRequest: (api: ModelApi, body: unknown) => void;
  /** The id of the model that a name means, in any spelling; the name itself where it means none. */
  readonly modelId: (name: string) => string;
  /** Why an entry of a list, or a default, means nothing that is here now, as the rest of a sentence. */
  readonly listFaults: {
    readonly ofModel: (entry: string) => string | undefined;
    readonly ofProvider: (entry: string) => string | undefined;
    readonly ofDefaultModel: (entry: string) => string | undefined;
  };
  /** Why a workspace's plugin would not act as its entry says: ends of sentences that begin with it. */
  readonly pluginFaults: (plugin: DefaultPlugin) => readonly {
    readonly field?: string;
    readonly message: string;
  }[];
  /** Why a slug names no provider that takes keys, as the rest of a sentence; undefined for one that does. */
  readonly providerFault: (slug: string) => string | undefined;
  /** Whether a slug is that of a provider which is on; the simulated ones are among them, which take no keys. */
  readonly isProviderOn: (slug: string) => boolean;
  /** The variables whose values the services of guardrails may be sent. */
  readonly guardrailHeaders: Pick<ReadonlySet<string>, "has">;
  /** Why a URL may not be fetched, as the rest of a sentence; undefined for one that may. */
  readonly fetchFault: (url: string) => string | undefined;
  /** Sends to addresses that managers name, where they may be called. */
  readonly sendMessage: SendMessage;
  /**
   * Reads the settings again and puts them in force. Throws an ApiError where they cannot be used: those before stay.
   */
  readonly reload: (by: Pick<OperationInput, "caller" | "requestId">) => Promise<ReloadReport>;
  /** Lets other work run. */
  readonly pause: () => Promise<void>;
}

/** The same with what calls providers, which needs all of them itself. */
export interface OperationDeps extends ManagementDeps {
  readonly callProviderOnce: CallProviderOnce;
  /** Checks the gateway, with the operations as the caller may read them. */
  readonly checkGateway: (caller: Caller) => Promise<readonly DoctorCheck[]>;
}
