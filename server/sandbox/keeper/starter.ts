/** Starts keepers, one after the other, by a thread that alone has the right to do so (starter_worker.ts). */

import type { SandboxFolders } from "../bubblewrap/sandbox_folders.ts";
import type { FromProcess, FromStarter, ToProcess, ToStarter } from "./starter_messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number;
  readonly signal: string | null;
}

/** A keeper's process. */
export interface StartedProcess {
  readonly stdin: WritableStream<Bytes>;
  readonly stdout: ReadableStream<Bytes>;
  /** Resolves once it has ended. Rejects with StarterEnded. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it at once; harmless when it has ended. */
  kill(): void;
}

export interface Starter {
  /** Only while none runs. Rejects where the system does not start it, and with StarterEnded. */
  start(): Promise<StartedProcess>;
  /** Nothing is started any more. A process that still runs loses its pipes, and ends by that. */
  close(): void;
}

/** Nothing can be started for the rest of the gateway's life. */
export class StarterEnded extends Error {
  override readonly name = "StarterEnded";
}

/** All that a keeper gets, before anything else runs. */
interface KeeperInput {
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the engine `bubblewrap`, as the settings name them. */
  readonly folders: SandboxFolders;
}

/** Called while the process may still start programs. */
export function createStarter(input: KeeperInput): Starter {
  return new StarterThread(input);
}

class StarterThread implements Starter {
  readonly #worker: Worker;
  #starting: PromiseWithResolvers<StartedProcess> | undefined;
  #running: PipedProcess | undefined;
  #lastId = 0;
  /** Why nothing can be started any more. */
  #end: StarterEnded | undefined;

  constructor({ env, folders }: KeeperInput) {
    this.#worker = new Worker(new URL("./starter_worker.ts", import.meta.url), {
      type: "module",
      // As it stands when the thread starts, whatever the gateway gives back later.
      deno: { permissions: { ...nothing, run: [Deno.execPath()] } },
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromStarter>) => this.#take(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#finish(event.message);
    };
    this.#tell({ type: "prepare", env, args: [JSON.stringify(folders)] });
  }

  start(): Promise<StartedProcess> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const starting = Promise.withResolvers<StartedProcess>();
    this.#starting = starting;
    this.#tell({ type: "start", id: ++this.#lastId });
    return starting.promise;
  }

  close(): void {
    if (this.#end !== undefined) return;
    this.#worker.terminate();
    this.#finish("it was closed");
  }

  #tell(message: ToStarter): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromStarter): void {
    if (message.type === "failed") return this.#starting?.reject(new Error(message.error));
    if (message.type !== "started") return this.#running?.take(message);
    this.#running = new PipedProcess(message.id, (sent) => this.#end === undefined && this.#tell(sent));
    this.#starting?.resolve(this.#running);
  }

  #finish(why: string): void {
    this.#end ??= new StarterEnded(why);
    this.#starting?.reject(this.#end);
    this.#running?.fail(this.#end);
  }
}

/** A keeper whose pipes the thread holds: one write and one read are under way at a time. */
class PipedProcess implements StartedProcess {
  readonly #id: number;
  readonly #tell: (message: ToProcess) => void;
  readonly #end = Promise.withResolvers<ProcessEnd>();
  #writing: PromiseWithResolvers<void> | undefined;
  #reading: PromiseWithResolvers<Bytes | undefined> | undefined;
  readonly stdin: WritableStream<Bytes>;
  readonly stdout: ReadableStream<Bytes>;
  readonly ended = this.#end.promise;

  constructor(id: number, tell: (message: ToProcess) => void) {
    this.#id = id;
    this.#tell = tell;
    this.ended.catch(() => {
      // Those who wait for it hear of it.
    });
    this.stdin = new WritableStream({
      write: (bytes) => this.#write(bytes),
      close: () => tell({ type: "close", id }),
    });
    this.stdout = new ReadableStream({
      pull: async (controller) => {
        const bytes = await this.#read();
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
    });
  }

  kill(): void {
    this.#tell({ type: "kill", id: this.#id });
  }

  take(message: FromProcess): void {
    // The process before may have had something under way.
    if (message.id !== this.#id) return;
    if (message.type === "ended") return this.#end.resolve(message);
    if (message.type === "read") return this.#reading?.resolve(message.bytes);
    if (message.error === undefined) this.#writing?.resolve();
    else this.#writing?.reject(new Error(message.error));
  }

  /** Whatever is under way fails. */
  fail(error: StarterEnded): void {
    this.#writing?.reject(error);
    this.#reading?.resolve(undefined);
    this.#end.reject(error);
  }

  #write(bytes: Bytes): Promise<void> {
    const writing = Promise.withResolvers<void>();
    this.#writing = writing;
    this.#tell({ type: "write", id: this.#id, bytes });
    return writing.promise;
  }

  #read(): Promise<Bytes | undefined> {
    const reading = Promise.withResolvers<Bytes | undefined>();
    this.#reading = reading;
    this.#tell({ type: "read", id: this.#id });
    return reading.promise;
  }
}

const nothing = {
  env: false,
  ffi: false,
  import: false,
  net: false,
  read: false,
  sys: false,
  write: false,
} as const;
