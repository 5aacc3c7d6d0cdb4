/** The router `free`: a random one of the models that cost nothing and can take the request. */

import { ApiError } from "../../../../shared/errors.ts";
import type { Router } from "./router.ts";

/** The name has the variant `:free`, so that the pool holds nothing else. */
export const freeRouter: Router = {
  strategy: "free",
  isDraw: true,
  choose: ({ pool: { models } }) => ({
    ranked: models.map(({ id }) => id),
    mayPin: (model) => models.some(({ id }) => id === model),
    describe: () => ({}),
    data: { evidence: "price", models: { may_serve: models.length } },
    ...(models.length === 0 ? { refusal: noFreeModel() } : {}),
  }),
};

const noFreeModel = (): ApiError =>
  new ApiError("not_found", "No model that costs nothing can take the request.", {
    metadata: { path: "model" },
  });
