/** A response body as a list of steps: what is sent, and what goes wrong on the way. */

import { NoReply } from "../http/http_server/protocol_error.ts";
import type { Clock } from "../runtime.ts";

export type BodyStep =
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "wait"; readonly ms: number }
  /** Nothing more, for ever. */
  | { readonly type: "stall" }
  /** The connection ends without a word. */
  | { readonly type: "break" };

export function sendStep(text: string): BodyStep {
  return { type: "send", text };
}

/** A body that takes its steps as it is read. */
export function streamSteps(steps: Iterable<BodyStep>, clock: Clock): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const walk = steps[Symbol.iterator]();
  let wake: (() => void) | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      const { done, value: step } = walk.next();
      if (done) return controller.close();
      if (step.type === "send") return controller.enqueue(encoder.encode(step.text));
      if (step.type === "break") return controller.error(new NoReply("broken on purpose"));
      await new Promise<void>((resolve) => {
        const stop = step.type === "wait" ? clock.after(step.ms, resolve) : undefined;
        wake = () => {
          stop?.();
          resolve();
        };
      });
    }
  };
  const cancel = () => {
    walk.return?.();
    wake?.();
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
