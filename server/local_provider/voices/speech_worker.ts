/**
 * A thread that speaks. It has no permissions at all: the program of the voices is somebody else's, and all that
 * it needs, its files among it, comes as messages.
 */

import type { VoiceFiles } from "./voice_package_lock.ts";
import type { SpeakRequest, WorkerReply, WorkerRequest } from "./worker_messages.ts";
import { speakAtSpeed } from "./speech_rate.ts";

/** Types of the parts that we use of the package. */
interface Voice {
  set_voice(name: string): number | void;
  set_rate(words: number): void;
  /** Calls back with samples of 16 bits as they are made; true from there ends it. */
  synthesize(text: string, take: (samples: Int16Array | null) => boolean): void;
}

interface Program {
  readonly eSpeakNGWorker: new () => Voice | Promise<Voice>;
}

type MakeProgram = (options: { readonly getPreloadedPackage: () => ArrayBuffer }) => Promise<Program>;

/** A thread's global scope, which the types take for a window's. */
interface Scope {
  onmessage: (event: { readonly data: WorkerRequest }) => void;
  postMessage(message: WorkerReply, transfer?: readonly Transferable[]): void;
}

function asScope(scope: unknown): Scope {
  return scope as Scope;
}

function asMaker(module: { readonly default: unknown }): MakeProgram {
  return module.default as MakeProgram;
}

const scope = asScope(globalThis);
let voice: Voice | undefined;

async function load({ script, data }: VoiceFiles): Promise<void> {
  // deno-lint-ignore tollgate/module-imports -- a program that came as a message: there is no permission to read a file
  const make = asMaker(await import(`data:text/javascript;base64,${script.toBase64()}`));
  const program = await make({ getPreloadedPackage: () => data.buffer });
  voice = await new program.eSpeakNGWorker();
}

function say({ text, voice: name, speed }: SpeakRequest): Float32Array<ArrayBuffer> {
  if (voice === undefined) throw new Error("nothing is loaded");
  const speaking = voice;
  speaking.set_voice(name);
  return speakAtSpeed(speed, (words) => {
    speaking.set_rate(words);
    return received(speaking, text);
  });
}

function received(speaking: Voice, text: string): Float32Array<ArrayBuffer> {
  const parts: Int16Array[] = [];
  speaking.synthesize(text, (samples) => {
    if (samples !== null && samples.length > 0) parts.push(samples);
    return false;
  });
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) for (const value of part) all[at++] = value / 32_768;
  return all;
}

async function answer(message: WorkerRequest): Promise<WorkerReply> {
  switch (message.type) {
    case "load":
      await load(message.files);
      return { type: "ready" };
    case "say":
      return { type: "said", samples: say(message.order) };
    default:
      return message satisfies never;
  }
}

scope.onmessage = async ({ data }) => {
  try {
    const received = await answer(data);
    scope.postMessage(received, received.type === "said" ? [received.samples.buffer] : []);
  } catch (error) {
    scope.postMessage({ type: "failed", error: String(error).slice(0, 200) });
  }
};
