/** Objects of the configuration file: a misspelled key is an error, and the error names the keys there are. */

import * as z from "zod";

export function strictObject<const S extends z.core.$ZodLooseShape>(
  shape: S,
): z.ZodObject<S, z.core.$strict> {
  const keys = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) => issue.code === "unrecognized_keys" ? `the keys here are ${keys}` : undefined,
  });
}
