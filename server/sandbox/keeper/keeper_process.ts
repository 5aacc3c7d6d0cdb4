/** One keeper's process, from its start to its end: hands it runs, and tells each how it ended. */

import type { Logger } from "../../runtime.ts";
import { FrameReader, FrameWriter, streamReader } from "./frames.ts";
import {
  KeeperUnavailable,
  type ProgramInput,
  type ProgramRun,
  type ProgramSession,
  type SessionInput,
} from "./keeper.ts";
import {
  type KeeperEvent,
  keeperEventSchema,
  type ProgramName,
  type SessionProgramName,
} from "./messages.ts";
import type { ProcessEnd, StartedProcess } from "./starter.ts";

interface KeeperProcessOptions {
  readonly process: StartedProcess;
  readonly log: Logger;
  /** Said to whom is under way when it ends. */
  readonly endReason: string;
}

export class KeeperProcess {
  readonly #options: KeeperProcessOptions;
  readonly #requests: FrameWriter;
  readonly #runs = new Map<number, PromiseWithResolvers<ProgramRun>>();
  readonly #onFrame = new Map<number, SessionInput["onFrame"]>();
  #nextId = 0;
  /** It runs nothing any more. */
  hasEnded = false;
  /** Resolves when it has ended, and everyone has been told. Rejects with StarterEnded. */
  readonly ended: Promise<ProcessEnd>;

  constructor(options: KeeperProcessOptions) {
    this.#options = options;
    this.#requests = new FrameWriter(options.process.stdin);
    const listening = this.#listen();
    this.ended = options.process.ended.then(async (end) => {
      await listening;
      return end;
    }).finally(() => this.#end());
  }

  async run(program: ProgramName, { input, signal }: ProgramInput): Promise<ProgramRun> {
    if (this.hasEnded) throw this.#endError();
    signal.throwIfAborted();
    const id = this.#nextId++;
    const run = Promise.withResolvers<ProgramRun>();
    const stop = () => {
      this.#send({ type: "stop", id });
      run.reject(signal.reason);
    };
    this.#runs.set(id, run);
    signal.addEventListener("abort", stop, { once: true });
    this.#send({ type: "run", id, program }, input);
    try {
      return await run.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#runs.delete(id);
    }
  }

  /** Throws KeeperUnavailable. */
  open(program: SessionProgramName, { memoryMib, onFrame }: SessionInput): ProgramSession {
    if (this.hasEnded) throw this.#endError();
    const id = this.#nextId++;
    const run = Promise.withResolvers<ProgramRun>();
    this.#runs.set(id, run);
    this.#onFrame.set(id, onFrame);
    this.#send({ type: "open", id, program, memoryMib });
    const ended = run.promise.finally(() => {
      this.#runs.delete(id);
      this.#onFrame.delete(id);
    });
    return {
      ended,
      send: ({ header, body, timeMs }) => this.#send({ type: "send", id, header, timeMs }, body),
      kill: () => this.#send({ type: "stop", id }),
    };
  }

  /** Ends its pipe, by which it ends. */
  async close(): Promise<void> {
    await this.#requests.close();
  }

  kill(): void {
    this.#options.process.kill();
  }

  #endError(): KeeperUnavailable {
    return new KeeperUnavailable(this.#options.endReason);
  }

  /** A pipe that breaks ends the reading side as well, which tells everyone. */
  #send(header: object, body?: Uint8Array): void {
    this.#requests.write(header, body).catch(() => this.#end());
  }

  async #listen(): Promise<void> {
    const { process, log } = this.#options;
    const events = new FrameReader(streamReader(process.stdout));
    try {
      for (let frame = await events.next(); frame !== undefined; frame = await events.next()) {
        this.#take(keeperEventSchema.parse(frame.header), frame.body);
      }
    } catch (error) {
      log.error("Invalid message from keeper", { error: String(error) });
      // What it says makes no sense: another one takes its place.
      this.kill();
    }
    this.#end();
    await this.#requests.close();
  }

  #take(event: KeeperEvent, output: Uint8Array<ArrayBuffer>): void {
    if (event.type === "installing") {
      return this.#options.log.info("Fetching packages of a program", { name: event.program });
    }
    if (event.type === "frame") {
      const { id, header } = event;
      return this.#onFrame.get(id)?.({ header, body: output });
    }
    const { id, outcome, detail } = event;
    this.#runs.get(id)?.resolve({ outcome, detail, output });
  }

  #end(): void {
    this.hasEnded = true;
    for (const run of this.#runs.values()) run.reject(this.#endError());
  }
}
