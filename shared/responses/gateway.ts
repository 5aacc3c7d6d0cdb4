/** Fields of a request that speak to the gateway itself, whatever wire they came on. */

import * as z from "zod";

export const plugin = z.looseObject({ id: z.string() });
export type Plugin = z.infer<typeof plugin>;
export const providerPreferences = z.looseObject({});
export type ProviderPreferences = z.infer<typeof providerPreferences>;
export const stopCondition = z.looseObject({ type: z.string() });
export type StopCondition = z.infer<typeof stopCondition>;
export const trace = z.looseObject({});
export type Trace = z.infer<typeof trace>;
