/** Objects that say which keys they may have where one has another. */

import * as z from "zod";

export const strictObject = <S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === "unrecognized_keys"
        ? `is not a known key; allowed: ${Object.keys(shape).join(", ")}`
        : undefined,
  });
