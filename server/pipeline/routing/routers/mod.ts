/** Every router by its slug. The type checker asks for the missing ones. */

import { autoBetaRouter, autoRouter } from "./auto_router.ts";
import { fusionFlashRouter, fusionRouter } from "./fusion_router.ts";
import { freeRouter } from "./free_router.ts";
import { paretoRouter } from "./pareto/pareto_router.ts";
import type { Router } from "./router.ts";
import type { RouterSlug } from "./router_slugs.ts";

export const routers: { readonly [Slug in RouterSlug]: Router } = {
  auto: autoRouter,
  "auto-beta": autoBetaRouter,
  "pareto-code": paretoRouter,
  free: freeRouter,
  fusion: fusionRouter,
  "fusion-flash": fusionFlashRouter,
};
