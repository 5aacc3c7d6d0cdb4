/** Files: how fast they go up and down, what memory that takes, and what requests and streams pay for it. */

import { type BesideUploadPlan, type BesideUploadRow, measureBesideUpload } from "./beside_upload.ts";
import { type FileMemoryPlan, type FileMemoryRow, measureFileMemory } from "./file_memory.ts";
import { MIB, storeDownload, uploadedId } from "./file_servers.ts";
import {
  type FileServers,
  measureTransfers,
  type TransfersPlan,
  type TransfersRow,
} from "./file_transfers.ts";
import { benchGateway } from "./gateway.ts";
import { type Server, startServer } from "./process.ts";

export interface FilesPlan {
  readonly transfers: TransfersPlan;
  readonly memory: FileMemoryPlan;
  readonly beside: BesideUploadPlan;
}

export interface FilesReport {
  readonly transfers: readonly TransfersRow[];
  readonly memory: readonly FileMemoryRow[];
  readonly beside: readonly BesideUploadRow[];
}

/** Servers that are stopped, and files that go, whatever happens. */
class Started implements AsyncDisposable {
  readonly #servers: Server[] = [];
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async add<T extends Server>(starting: Promise<T>): Promise<T> {
    const server = await starting;
    this.#servers.push(server);
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server.stop();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A gateway on a store of its own, because the file that is fetched is put there first. */
export async function measureFiles({ transfers, memory, beside }: FilesPlan): Promise<FilesReport> {
  await using started = new Started(await Deno.makeTempDir({ prefix: "tollgate-bench-" }));
  const place = { folder: `${started.folder}/gateway`, upstream: 0 };
  await Deno.mkdir(place.folder);
  await Deno.mkdir(`${started.folder}/bare`);
  place.upstream = (await started.add(startServer("upstream.ts"))).port;
  const id = await storeDownload(place, transfers.mib * MIB);
  const memoryRows = await measureFileMemory({ place, file: { id, mib: transfers.mib } }, memory);
  const bare = await started.add(startServer("files_bare.ts", [`${started.folder}/bare`]));
  const gateway = await started.add(benchGateway(place.upstream, place.folder));
  const servers: FileServers = {
    bare: { server: bare, id: await uploadedId(bare, transfers.mib * MIB) },
    gateway: { server: gateway, id },
  };
  try {
    const transfersRows = await measureTransfers(servers, transfers);
    const besideRows = await measureBesideUpload(servers, beside);
    return { transfers: transfersRows, memory: memoryRows, beside: besideRows };
  } catch (error) {
    throw new Error(`Cannot measure files: the gateway ${gateway.state()}`, { cause: error });
  }
}
