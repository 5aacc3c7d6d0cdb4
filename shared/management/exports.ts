/** Exports of lists: the same rows as a file. */

import * as z from "zod";
import { exportFormats } from "./lists/export_formats.ts";

export const formatQuery = z.enum(exportFormats).default("csv");

/** Rows of an export, at most. */
export const MAX_EXPORT_ROWS = 100_000;
