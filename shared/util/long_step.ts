/**
 * Steps over the whole text of a long request (parsing, checking, rendering, sending) take tens of milliseconds each
 * and cannot be paused. Each is a turn of its own, among those of all other long work.
 */

import { pause } from "./pause.ts";
import { nextTurn } from "./turns.ts";

/** Characters or bytes from which on a step is long. */
const LONG = 1024 * 1024;

export const isLongText = (size: number): boolean => size >= LONG;

/** In the first pause the runtime finds out what the network has brought, in the second it is served. */
const PAUSES = 2;

/** Resolves when the caller may take its next long step, and must take it at once. */
export const nextLongStep = (): Promise<void> => nextTurn(pause, PAUSES);
