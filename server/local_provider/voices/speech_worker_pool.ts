/** The threads that speak: at most two, hired when there is something to say and let go when it has been quiet. */

import type { Cancel, Clock } from "../../runtime.ts";
import type { VoiceFiles } from "./voice_package_lock.ts";
import type { SpeakRequest } from "./worker_messages.ts";
import { type SpeechWorkerThread, startSpeechWorker } from "./speech_worker_thread.ts";

interface SpeechWorkerPoolOptions {
  readonly clock: Pick<Clock, "after">;
  /** One call at a time. Rejects where the voices cannot be had. */
  readonly files: () => Promise<VoiceFiles>;
}

const MOST_THREADS = 2;
/** A thread has some 80 MB, and is hired in half a second. */
const QUIET_MS = 30_000;
/** One order is a second of work at most. */
const LONGEST_MS = 60_000;

interface Job {
  readonly order: SpeakRequest;
  readonly resolve: (samples: Float32Array<ArrayBuffer>) => void;
  readonly reject: (error: unknown) => void;
}

export class SpeechWorkerPool {
  readonly #options: SpeechWorkerPoolOptions;
  readonly #waiting: Job[] = [];
  readonly #idle: SpeechWorkerThread[] = [];
  readonly #hired = new Set<SpeechWorkerThread>();
  #hiring = false;
  #speaking = 0;
  #closed = false;
  #quiet: Cancel | undefined;

  constructor(options: SpeechWorkerPoolOptions) {
    this.#options = options;
  }

  /** Orders that wait or are spoken. */
  get busy(): number {
    return this.#waiting.length + this.#speaking;
  }

  /** Threads that are alive. */
  get threads(): number {
    return this.#hired.size;
  }

  /**
   * The sound of one order, of one channel. Orders are taken in turn, and a request has one at a time: so a long
   * text holds up no other. Rejects with the signal's reason as soon as it is aborted; an order that waits is
   * struck then, one that is being spoken is a sentence long and its sound is dropped.
   */
  speak(order: SpeakRequest, signal: AbortSignal): Promise<Float32Array<ArrayBuffer>> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.reject(new Error("Cannot speak: the server is closed"));
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array<ArrayBuffer>>();
    const job: Job = { order, resolve, reject };
    const leave = () => {
      const at = this.#waiting.indexOf(job);
      if (at >= 0) this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.push(job);
    this.#turn();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  close(): void {
    this.#closed = true;
    this.#quiet?.();
    const error = new Error("Cannot speak: the server is closed");
    for (const job of this.#waiting.splice(0)) job.reject(error);
    this.#idle.length = 0;
    for (const thread of this.#hired) this.#dismiss(thread);
  }

  #turn(): void {
    this.#quiet?.();
    this.#quiet = undefined;
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop();
      const job = thread === undefined ? undefined : this.#waiting.shift();
      if (thread === undefined || job === undefined) break;
      void this.#serve(thread, job);
    }
    if (this.#waiting.length > 0 && !this.#hiring && this.#hired.size < MOST_THREADS) void this.#hire();
    if (this.busy === 0 && this.#hired.size > 0 && !this.#closed) {
      this.#quiet = this.#options.clock.after(QUIET_MS, () => {
        for (const thread of this.#idle.splice(0)) this.#dismiss(thread);
      });
    }
  }

  async #serve(thread: SpeechWorkerThread, job: Job): Promise<void> {
    this.#speaking++;
    const stop = this.#options.clock.after(LONGEST_MS, () => thread.end("it took too long"));
    try {
      job.resolve(await thread.say(job.order));
      if (!this.#closed) this.#idle.push(thread);
    } catch (error) {
      this.#dismiss(thread);
      job.reject(error);
    } finally {
      stop();
      this.#speaking--;
      this.#turn();
    }
  }

  async #hire(): Promise<void> {
    this.#hiring = true;
    try {
      const thread = await startSpeechWorker(await this.#options.files());
      if (this.#closed) thread.end("the server is closed");
      else {
        this.#hired.add(thread);
        this.#idle.push(thread);
      }
    } catch (error) {
      // With nobody hired, nobody would ever take the orders that wait.
      if (this.#hired.size === 0) { for (const job of this.#waiting.splice(0)) job.reject(error); }
    } finally {
      this.#hiring = false;
      this.#turn();
    }
  }

  #dismiss(thread: SpeechWorkerThread): void {
    this.#hired.delete(thread);
    thread.end("it is not needed any more");
  }
}
