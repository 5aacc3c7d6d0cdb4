/**
 * Has the code that every request takes run before the first request comes, which otherwise waits for all of it to be
 * compiled: a gateway that is thrown away is asked the same things.
 */

import { endsWithin } from "../../../shared/util/within.ts";
import type { Runtime } from "../../runtime.ts";
import { openThrowaway } from "./throwaway_gateway.ts";
import { askUntil } from "./warm_up_requests.ts";

/** Milliseconds from the beginning until which requests are made. */
const ASKING_MS = 100;
/** A start waits no longer than this, however busy the machine is. */
const MOST_MS = 400;
/** Milliseconds after which a request that hangs is given up. */
const HUNG_MS = 5_000;

/** Never rejects: a start goes on without it, and the log says why. */
export async function warmUp(runtime: Runtime, open = openThrowaway): Promise<void> {
  await endsWithin(tryToWarmUp(runtime, open), { clock: runtime.clock, ms: MOST_MS });
}

async function tryToWarmUp(runtime: Runtime, open: typeof openThrowaway): Promise<void> {
  try {
    await askThrowaway(runtime, open);
  } catch (error) {
    runtime.log.warn("Cannot warm up; the first requests will take longer", { error: String(error) });
  }
}

async function askThrowaway(runtime: Runtime, open: typeof openThrowaway): Promise<void> {
  const { clock } = runtime;
  const end = clock.monotonic() + ASKING_MS;
  const gateway = await open(runtime);
  try {
    const asking = askUntil(gateway, () => clock.monotonic() >= end);
    if (await endsWithin(asking, { clock, ms: HUNG_MS })) return;
    throw new Error(`a request did not end within ${HUNG_MS} ms`);
  } finally {
    await gateway.close();
  }
}
