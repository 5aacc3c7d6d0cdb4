/**
 * Replayed items of the gateway's own server tools, in either spelling. They come back as we once sent them, so
 * one loose shape serves all kinds on the way in; `output_items.ts` has each kind's fields.
 */

import * as z from "zod";
import { serviceItemKinds, typeNamesOf } from "../fields/service_tool_names.ts";

export const serviceItem = z.looseObject({
  type: z.literal(serviceItemKinds.flatMap((kind) => typeNamesOf(kind))),
  id: z.string().nullish(),
  status: z.string().nullish(),
  call_id: z.string().nullish(),
});
export type ServiceItem = z.infer<typeof serviceItem>;
