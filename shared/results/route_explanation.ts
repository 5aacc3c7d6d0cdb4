/** The answer of POST /route/explain, as far as it is documented. */

import * as z from "zod";
import { pluginExplanation } from "../responses/plugins.ts";

export const routeExplanation = z.looseObject({
  object: z.literal("route.explanation"),
  /** Names of models, in the order in which they are tried. */
  requested: z.array(z.string()),
  strategy: z.string(),
  /** False where an order of equals is drawn anew for each request. */
  exact: z.boolean(),
  /** Endpoints that are tried, at most. */
  attempts: z.int(),
  candidates: z.array(z.looseObject({})),
  /** The order in which they are tried. */
  order: z.array(z.object({ model: z.string(), provider: z.string() })),
  plugins: z.array(pluginExplanation).optional(),
  /** The error that the request would get; null where it gets none. */
  refusal: z.looseObject({}).nullable(),
  /** Money that would be held back for it; null where nobody is asked. */
  reservation: z.looseObject({}).nullable().optional(),
});
