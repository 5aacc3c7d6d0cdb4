/** Runs of properties: all take the seed of the test run, and none looks for a smaller counterexample without an end. */

import fc from "fast-check";
import { seed } from "./seed.ts";

/** How often a smaller counterexample is tried. */
const MOST_SHRINKS = 500;

/** Milliseconds that these tries have. The failure is certain by then; only its size depends on them. */
const SHRINKING_MS = 10_000;

/** How often something random is tried: so often, times `TOLLGATE_TEST_RUNS`. */
export const runs = (times: number): number => times * Number(Deno.env.get("TOLLGATE_TEST_RUNS") ?? 1);

/** The property, whose counterexample gets smaller for so many tries and so long only. */
function limited<Values, IsAsync extends boolean>(
  property: fc.IRawProperty<Values, IsAsync>,
): fc.IRawProperty<Values, IsAsync> {
  let [tries, end] = [0, Infinity];
  const goesOn = () => tries++ < MOST_SHRINKS && performance.now() < end;
  return {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => {
      if (end === Infinity) end = performance.now() + SHRINKING_MS;
      return property.shrink(value).takeWhile(goesOn);
    },
    run: (value) => property.run(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
  };
}

/** Tries the property with the run's seed; throws with the seed and the smallest counterexample found. */
export function assertProperty<Values>(
  property: fc.IAsyncProperty<Values>,
  parameters?: fc.Parameters<Values>,
): Promise<void>;
export function assertProperty<Values>(
  property: fc.IProperty<Values>,
  parameters?: fc.Parameters<Values>,
): void;
export function assertProperty<Values>(
  property: fc.IRawProperty<Values>,
  parameters: fc.Parameters<Values> = {},
): Promise<void> | void {
  return fc.assert(limited(property), { seed, ...parameters });
}
