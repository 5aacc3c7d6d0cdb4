/**
 * Stands in for zod in the bundle, so that it is set up before any schema is made: the page's policy forbids the code
 * that zod would compile from schemas.
 */

import * as z from "zod";

z.config({ jitless: true });

export * from "zod";
