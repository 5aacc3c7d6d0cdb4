/** How a speed is reached: by the voice itself as far as it goes, then by stretching what it said. */

import { timeStretch } from "../../speech/audio/time_stretch.ts";
import { VOICE_SAMPLE_RATE } from "./worker_messages.ts";

/** Words a minute at the usual speed, and the fewest and most that the voice keeps to. */
const USUAL = 175;
const SLOWEST = 80;
const FASTEST = 449;
/** Difference from the requested length below which the audio stays as the voice said it. */
const NEAR = 0.02;

/** Says a text at so many words a minute. */
type SpeakAtRate = (words: number) => Float32Array<ArrayBuffer>;

/**
 * Says a text so that it takes `1 / speed` of its usual time. The voice's own pace sounds best, but its pauses
 * shrink otherwise than its words, and it ends long before a speed of 4; so the text is said at the usual speed,
 * too, which is a few milliseconds of work, and what is left of the difference is stretched.
 */
export function speakAtSpeed(speed: number, sayAt: SpeakAtRate): Float32Array<ArrayBuffer> {
  const fallback = sayAt(USUAL);
  if (speed === 1) return fallback;
  const received = sayAt(Math.min(FASTEST, Math.max(SLOWEST, Math.round(USUAL * speed))));
  const rest = received.length * speed / fallback.length;
  if (Math.abs(rest - 1) < NEAR || received.length === 0) return received;
  return timeStretch(received, { speed: rest, sampleRate: VOICE_SAMPLE_RATE }).slice();
}
