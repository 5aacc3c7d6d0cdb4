/** Asks V8 to collect what nobody uses, which it offers with a flag of the keeper's (`--expose-gc`). */

// deno-lint-ignore tollgate/pauses -- no pause of work: the collection ends in one of the next turns
import { setImmediate } from "node:timers/promises";

/** Before it returns. What it has found may be freed later, by another thread. */
export function collectNow(): void {
  asCollectable(globalThis).gc?.({ type: "major", execution: "sync" });
}

/** Not from here, where the stack may still name what is to be freed. */
export async function collectLater(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await collectOnce();
}

/** Most rounds: a round may free what holds more, and the memory of an ended interpreter goes with the third. */
const ROUNDS = 4;

/** Nothing but these turns keeps the process awake. */
async function collectOnce(): Promise<void> {
  const { gc } = asCollectable(globalThis);
  let isCollected = gc === undefined;
  gc?.({ type: "major", execution: "async" })?.then(() => isCollected = true);
  for (let turn = 0; !isCollected && turn < MAX_TURNS; turn++) await setImmediate();
}

/** Without an end of the collection the caller goes on all the same. */
const MAX_TURNS = 1_000;

interface GarbageOptions {
  readonly type: "major";
  readonly execution: "sync" | "async";
}

function asCollectable(scope: object) {
  return scope as { readonly gc?: (options: GarbageOptions) => Promise<void> | undefined };
}
