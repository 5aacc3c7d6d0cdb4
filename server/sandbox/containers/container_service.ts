/** The containers of this gateway: which one a request has, and one thing at a time in each. */

import { ApiError } from "../../../shared/errors.ts";
import { KeyedMutex } from "../../../shared/util/keyed_mutex.ts";
import type { FileStore } from "../../storage/files/file_store.ts";
import type { FileRow } from "../../storage/files/file_rows.ts";
import type { Runtime } from "../../runtime.ts";
import type { NetworkPolicy, Sandbox } from "../sandbox.ts";
import type { Store } from "../../storage/stores/store.ts";
import { findAttachedFiles } from "./attached_files.ts";
import {
  baseContainerId,
  requestContainerId,
  restartedContainerId,
  sessionContainerId,
} from "./container_ids.ts";
import { ContainerRemoval } from "./container_removal.ts";
import { type ContainerRow, containerSessions, findContainerSecret } from "./container_rows.ts";
import {
  type ContainerKey,
  ContainerStore,
  type ContainerStoreDeps,
  MAX_CONTAINERS,
} from "./container_store.ts";
import { type Container, type ContainerRequest, type Containers, EditError } from "./containers.ts";
import { SessionContainer, type SessionContainerDeps, toApiError } from "./session_container.ts";

interface ContainerServiceDeps extends Omit<SessionContainerDeps, "restart" | "mutex"> {
  readonly store: Store;
  readonly files: FileStore;
  readonly runtime: Pick<Runtime, "clock" | "id" | "log" | "randomToken">;
  /** Why containers cannot be used, in one sentence, whatever the sandbox says. */
  readonly switchedOff: string | undefined;
  /** The random text with which ids are made. */
  readonly secret: string;
  /** Milliseconds after its last use that a container is deleted. */
  readonly keepMs: number;
}

export const DEFAULT_SLEEP_SECONDS = 900;

type ContainerServiceParts =
  & Omit<ContainerServiceDeps, "containers" | "secret">
  & Pick<ContainerStoreDeps, "limits" | "workspaceCheck" | "deletionSignal">;

export async function createContainerService(parts: ContainerServiceParts): Promise<ContainerService> {
  const containers = new ContainerStore(parts);
  return new ContainerService({
    ...parts,
    containers,
    secret: await findContainerSecret(parts.store, parts.runtime),
  });
}

export class ContainerService implements Containers {
  readonly #deps: ContainerServiceDeps;
  readonly #mutex = new KeyedMutex();
  readonly #making = new KeyedMutex();
  readonly removal: ContainerRemoval;

  constructor(deps: ContainerServiceDeps) {
    this.#deps = deps;
    this.removal = new ContainerRemoval(deps);
  }

  get unavailableReason(): string | undefined {
    return this.#deps.switchedOff ?? this.#deps.sandbox.unavailableReason;
  }

  get ready(): Promise<void> {
    return this.#deps.sandbox.ready;
  }

  get programs(): readonly string[] | undefined {
    return this.#deps.sandbox.programs;
  }

  /** The engine that runs commands, where the settings let one. */
  get choice(): Partial<Pick<Sandbox, "engine" | "engineReason">> {
    return this.isConfigured ? this.#deps.sandbox : {};
  }

  /** Whether the settings let models run commands. */
  get isConfigured(): boolean {
    return this.#deps.switchedOff === undefined;
  }

  /** For the operator: why no command can be run, also where that is over in a moment. */
  get problem(): string | undefined {
    return this.#deps.switchedOff ?? this.#deps.sandbox.problem;
  }

  get keepMs(): number {
    return this.#deps.keepMs;
  }

  /** The records, for those who only look. */
  get store(): ContainerStore {
    return this.#deps.containers;
  }

  async open(request: ContainerRequest): Promise<Container> {
    const key = { workspaceId: request.workspaceId, id: await this.#idOf(request) };
    return await this.#mutex.run(`${key.workspaceId}/${key.id}`, () => this.#openNow(key, request));
  }

  async verify(request: ContainerRequest): Promise<void> {
    const key = { workspaceId: request.workspaceId, id: await this.#idOf(request) };
    const row = await this.#deps.containers.find(key);
    if (row === undefined && request.containerId !== undefined) throw noContainer();
    if (row !== undefined) await this.#requirePolicy(row, request);
    await this.#attachedFiles(request);
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    await this.#deps.sandbox.close();
  }

  /** One that is there. Throws an ApiError (404). */
  async find(key: ContainerKey): Promise<SessionContainer> {
    const row = await this.#deps.containers.find(key);
    if (row === undefined) throw noContainer();
    const request = { ...noRequest, workspaceId: key.workspaceId, containerId: key.id };
    return this.#containerOf(key, { network: row.network, request });
  }

  /** Whether this instance has a process of it. */
  hasProcess({ workspaceId, id }: ContainerKey): boolean {
    return this.#deps.sandbox.containers.includes(`${workspaceId}/${id}`);
  }

  /** One file, while nothing runs in it. Throws an ApiError (404; 409 where another instance uses it). */
  async removeFile(key: ContainerKey, path: string): Promise<void> {
    const container = await this.find(key);
    try {
      await container.delete({ path, signal: new AbortController().signal });
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      throw toApiError(error);
    }
  }

  async #idOf(request: ContainerRequest): Promise<string> {
    if (request.containerId !== undefined) return request.containerId;
    const first = this.#firstIdOf(request);
    const current = await containerSessions(this.#deps.store).get(request.workspaceId, first);
    return current?.record.container_id ?? first;
  }

  /** The container of a request's session, or of the request, before it was ever restarted. */
  #firstIdOf({ workspaceId, sessionId, generation }: ContainerRequest): string {
    const { secret } = this.#deps;
    return sessionId === undefined || sessionId === ""
      ? requestContainerId({ secret, workspaceId, generation })
      : sessionContainerId({ secret, workspaceId, sessionId });
  }

  async #openNow(key: ContainerKey, request: ContainerRequest): Promise<Container> {
    const { containers } = this.#deps;
    const found = await containers.find(key);
    if (found === undefined && request.containerId !== undefined) throw noContainer();
    const network = found === undefined
      ? await this.#create(key, request)
      : await this.#goOn(key, { row: found, request });
    const container = this.#containerOf(key, { network, request });
    await container.attach(await this.#attachedFiles(request));
    return container;
  }

  #containerOf(
    key: ContainerKey,
    { network, request }: { readonly network: NetworkPolicy; readonly request: ContainerRequest },
  ): SessionContainer {
    const restart = () => this.#restart(key, { ...request, network });
    return new SessionContainer({ ...this.#deps, mutex: this.#mutex, restart }, { ...key, network });
  }

  async #create(
    { workspaceId, id }: ContainerKey,
    { network = { type: "disabled" }, sleepAfterSeconds }: ContainerRequest,
  ): Promise<NetworkPolicy> {
    const sleep_after = sleepAfterSeconds ?? DEFAULT_SLEEP_SECONDS;
    // One after the other, or all of them would find the same room.
    await this.#making.run(workspaceId, async () => {
      await this.#makeRoom(workspaceId);
      await this.#deps.containers.create({
        id,
        workspace_id: workspaceId,
        network: toStored(network),
        sleep_after,
      });
    });
    return network;
  }

  /** The one unused longest goes, if it sleeps. Throws an ApiError where none does. */
  async #makeRoom(workspaceId: string): Promise<void> {
    for (;;) {
      const rows = await this.#deps.containers.list(workspaceId);
      if (rows.length < MAX_CONTAINERS) return;
      const [oldest] = rows.filter((row) => this.sleeps(row))
        .sort((a, b) => a.last_used_at < b.last_used_at ? -1 : 1);
      if (oldest === undefined) {
        throw new ApiError(
          "invalid_request",
          `The workspace has ${MAX_CONTAINERS} containers, none of which sleeps: no further one can be made now.`,
        );
      }
      const key = { workspaceId, id: oldest.id };
      if (await this.removal.removeUnused(key, (row) => this.sleeps(row))) return;
    }
  }

  /** Whether it has no process any more, and may change its network policy. */
  sleeps({ last_used_at, sleep_after }: ContainerRow): boolean {
    return Date.parse(last_used_at) + sleep_after * 1_000 <= this.#deps.runtime.clock.now();
  }

  async #goOn(
    key: ContainerKey,
    { row, request }: { readonly row: ContainerRow; readonly request: ContainerRequest },
  ): Promise<NetworkPolicy> {
    const { network = row.network, sleepAfterSeconds = row.sleep_after } = request;
    const isOther = await this.#requirePolicy(row, request);
    if (isOther || sleepAfterSeconds !== row.sleep_after) {
      await this.#deps.containers.touch(key, { network: toStored(network), sleep_after: sleepAfterSeconds });
    }
    return network;
  }

  /** Whether the request wants another policy than the container has. Throws an ApiError (400) where it must not. */
  async #requirePolicy(row: ContainerRow, { network = row.network }: ContainerRequest): Promise<boolean> {
    if (JSON.stringify(network) === JSON.stringify(row.network)) return false;
    const { id, workspace_id: workspaceId } = row;
    // A command here is waited for; one on another instance may take longer than the container is awake behind it.
    const isAtWork = await this.#deps.leases?.isBusyElsewhere({ workspaceId, id }) ?? false;
    if (this.sleeps(row) && !isAtWork) return true;
    throw new ApiError(
      "invalid_request",
      `The container ${id} is in use with another network_policy. Use the same one, or wait until it sleeps, ` +
        `${row.sleep_after} s after its last command.`,
      { metadata: { path: "network_policy" } },
    );
  }

  #attachedFiles(request: ContainerRequest): Promise<readonly FileRow[]> {
    return findAttachedFiles(this.#deps.files, request);
  }

  /**
   * Starts a new container; the files from before stay under the old id. The request's own session goes on in the new
   * one, and no other.
   */
  async #restart(old: ContainerKey, request: ContainerRequest): Promise<Container> {
    const { store, runtime } = this.#deps;
    const { workspaceId } = old;
    const id = restartedContainerId(old.id, runtime.randomToken(8));
    const network = await this.#create({ workspaceId, id }, request);
    const first = baseContainerId(old.id);
    if (first === this.#firstIdOf(request)) {
      const put = containerSessions(store).put([workspaceId, first], { container_id: id });
      await store.commit({ puts: [put], small: true });
    }
    const container = this.#containerOf({ workspaceId, id }, { network, request });
    await container.attach(await this.#attachedFiles(request));
    return container;
  }
}

const noRequest = {
  sessionId: undefined,
  generation: "",
  fileIds: [],
  network: undefined,
  sleepAfterSeconds: undefined,
} as const;

/** The same words whether it is not there or another workspace's. */
export const noContainer = (): ApiError => new ApiError("not_found", "There is no container with this id.");

const toStored = (network: NetworkPolicy): ContainerRow["network"] =>
  network.type === "disabled" ? network : { type: "allowlist", domains: [...network.domains] };
