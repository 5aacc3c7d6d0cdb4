/** One thread that speaks, as the others see it. */

import type { VoiceFiles } from "./voice_package_lock.ts";
import type { SpeakRequest, WorkerReply, WorkerRequest } from "./worker_messages.ts";

export interface SpeechWorkerThread {
  /** One order at a time. Rejects when it cannot be done; the thread is of no use then. */
  readonly say: (order: SpeakRequest) => Promise<Float32Array<ArrayBuffer>>;
  /** Ends it, whatever it is doing: the order under way rejects. */
  readonly end: (why: string) => void;
}

interface Pending {
  readonly resolve: (message: WorkerReply) => void;
  readonly reject: (error: Error) => void;
}

/** Takes the files away: they are 25 MB. The thread has no permissions. Rejects when the program of the voices does not start. */
export async function startSpeechWorker(files: VoiceFiles): Promise<SpeechWorkerThread> {
  const worker = new Worker(new URL("./speech_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  let pending: Pending | undefined;
  const settle = (message: WorkerReply) => {
    const { resolve, reject } = pending ?? { resolve: () => {}, reject: () => {} };
    pending = undefined;
    if (message.type === "failed") reject(new Error(`Cannot speak: ${message.error}`));
    else resolve(message);
  };
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => settle(data);
  worker.onerror = (event) => {
    event.preventDefault();
    settle({ type: "failed", error: event.message });
  };
  const ask = (message: WorkerRequest, taken: Transferable[] = []) =>
    new Promise<WorkerReply>((resolve, reject) => {
      pending = { resolve, reject };
      worker.postMessage(message, taken);
    });
  const end = (why: string) => {
    worker.terminate();
    settle({ type: "failed", error: why });
  };
  const say = async (order: SpeakRequest) => {
    const received = await ask({ type: "say", order });
    return received.type === "said" ? received.samples : new Float32Array(0);
  };
  try {
    await ask({ type: "load", files }, [files.script.buffer, files.data.buffer]);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return { say, end };
}
