/** Errors of scripts of `sed`. */

import { UsageError } from "../options.ts";

/** A script that is wrong; its reader says where. */
export class ScriptError extends UsageError {}

export const failure = (message: string): ScriptError => new ScriptError(message);
