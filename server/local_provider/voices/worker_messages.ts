/** Messages to the threads that speak, and their answers. */

import type { VoiceFiles } from "./voice_package_lock.ts";

/** A stretch of text that is spoken at one go. */
export interface SpeakRequest {
  readonly text: string;
  /** The package's name of the voice. */
  readonly voice: string;
  /** 1 is the usual speed. */
  readonly speed: number;
}

export type WorkerRequest =
  | { readonly type: "load"; readonly files: VoiceFiles }
  | { readonly type: "say"; readonly order: SpeakRequest };

export type WorkerReply =
  /** Loaded, and ready for an order. */
  | { readonly type: "ready" }
  | { readonly type: "said"; readonly samples: Float32Array<ArrayBuffer> }
  | { readonly type: "failed"; readonly error: string };

/** Samples a second that the voices have. */
export const VOICE_SAMPLE_RATE = 22_050;
