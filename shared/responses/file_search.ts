/** Settings of a search of files, of a provider's stores or the gateway's; their values are judged where it is run. */

import * as z from "zod";
import { jsonObject } from "../fields/primitives.ts";

export const fileSearchParameters = {
  vector_store_ids: z.array(z.string()).nullish(),
  filters: z.looseObject({ type: z.enum(["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "and", "or"]) })
    .nullish(),
  max_num_results: z.int().min(1).nullish(),
  ranking_options: jsonObject.nullish(),
};
