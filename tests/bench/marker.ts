/** The words that a measured stream is made of: each tells which delta it is and when it was written. */

/** Milliseconds of a clock that all processes of one machine share, to a few microseconds. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

/** The text of one delta: its place in the stream, the moment of its writing, and a word as models send them. */
export function markerOf(index: number): string {
  return `@${index}:${sharedNow().toFixed(3)}~ word `;
}

export interface Marker {
  readonly index: number;
  /** {@link sharedNow} of its writing. */
  readonly at: number;
}

/** The marker in a frame that carries a delta; undefined in every other frame. */
export function markerIn(frame: string): Marker | undefined {
  if (!frame.includes('"response.output_text.delta"') && !frame.includes('"chat.completion.chunk"')) {
    return undefined;
  }
  const start = frame.indexOf('"@');
  if (start === -1) return undefined;
  const colon = frame.indexOf(":", start);
  const end = frame.indexOf("~", colon);
  return { index: Number(frame.slice(start + 2, colon)), at: Number(frame.slice(colon + 1, end)) };
}

/** Behaviour that a measured request asks of the upstream, as words in its prompt that survive every translation. */
export interface Preference {
  readonly deltas: number;
  /** Milliseconds between two deltas. */
  readonly everyMs: number;
}

export function promptOf({ deltas, everyMs }: Preference): string {
  return `Answer with deltas=${deltas} every=${everyMs} milliseconds`;
}

/** Behaviour that a loop asks of the upstream. */
export interface LoopPreference {
  /** Turns that call the tool before the answer. */
  readonly steps: number;
  /** Calls of the tool in each of them. */
  readonly atOnce: number;
}

/** A prompt whose answer comes after so many turns that call the tool. */
export const loopPromptOf = ({ steps, atOnce }: LoopPreference): string =>
  `Call datetime ${steps} times, ${atOnce} at once`;

/** The preference for a loop in a request's body; undefined when it wants none. */
export function loopIn(body: string): LoopPreference | undefined {
  const found = /Call datetime (\d+) times, (\d+) at once/.exec(body);
  return found === null ? undefined : { steps: Number(found[1]), atOnce: Number(found[2]) };
}

/** The wish in a request's body; undefined when nothing but an instant answer is wanted. */
export function preferenceIn(body: string): Preference | undefined {
  const found = /deltas=(\d+) every=(\d+)/.exec(body);
  return found === null ? undefined : { deltas: Number(found[1]), everyMs: Number(found[2]) };
}
