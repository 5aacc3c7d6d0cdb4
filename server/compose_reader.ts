/** Puts together what reads pages and documents. */

import type { CompositionParts } from "./composition.ts";
import { unavailableKeeper } from "./keeper/keeper.ts";
import { createReader, type Reader } from "./reader/reader.ts";

/** Children mostly compute: more of them at once than this would only share the cores. */
const DOCUMENTS_PER_CORE = 2;

export function createDocumentReader(
  { keeper, runtime }: Pick<CompositionParts, "keeper" | "runtime">,
): Reader {
  return createReader({
    keeper: keeper ?? unavailableKeeper("This gateway runs without a keeper."),
    log: runtime.log,
    concurrency: DOCUMENTS_PER_CORE * navigator.hardwareConcurrency,
  });
}
