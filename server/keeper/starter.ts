/** Starts keepers, one after the other, by a thread that alone has the right to do so (starter_worker.ts). */

import type { FromStarter, ToStarter } from "./starter_messages.ts";

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number;
  readonly signal: string | null;
}

/** A keeper's process. */
export interface StartedProcess {
  readonly stdin: WritableStream<Uint8Array<ArrayBuffer>>;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
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

/** The environment is all that a keeper gets. Called while the process may still start programs. */
export function createStarter(env: Readonly<Record<string, string>>): Starter {
  return new StarterThread(env);
}

class StarterThread implements Starter {
  readonly #worker: Worker;
  #starting: PromiseWithResolvers<StartedProcess> | undefined;
  #running: PromiseWithResolvers<ProcessEnd> | undefined;
  /** Why nothing can be started any more. */
  #end: StarterEnded | undefined;

  constructor(env: Readonly<Record<string, string>>) {
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
    this.#tell({ type: "prepare", env });
  }

  start(): Promise<StartedProcess> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const starting = Promise.withResolvers<StartedProcess>();
    this.#starting = starting;
    this.#tell({ type: "start" });
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
    if (message.type === "ended") return this.#running?.resolve(message);
    if (message.type === "failed") return this.#starting?.reject(new Error(message.error));
    const running = Promise.withResolvers<ProcessEnd>();
    running.promise.catch(() => {
      // Those who wait for it hear of it.
    });
    this.#running = running;
    const { stdin, stdout } = message;
    this.#starting?.resolve({
      stdin,
      stdout,
      ended: running.promise,
      kill: () => this.#end === undefined && this.#tell({ type: "kill" }),
    });
  }

  #finish(why: string): void {
    this.#end ??= new StarterEnded(why);
    this.#starting?.reject(this.#end);
    this.#running?.reject(this.#end);
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
