/** Imported before any schema is used: the page's policy forbids the code that zod would compile from schemas. */

import * as z from "zod";

z.config({ jitless: true });
