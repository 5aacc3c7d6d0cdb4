/** A second process for the lock's tests: opens the store of a folder, says so, and holds it until it is killed. */

import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { createClock } from "../../server/runtime.ts";

const [folder = ""] = Deno.args;
const randomToken = () => "child";
try {
  await openEmbedded(folder, { runtime: { clock: createClock(), randomToken } });
  console.log("open");
  await new Promise(() => setInterval(() => {}, 1_000));
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
}
