/**
 * Fields of what a provider told, each read by itself: one that is not what it should be is not told, and spoils
 * nothing. Every answer passes here. A schema whose fields may all be anything says the same, but it copies each
 * object that it reads and takes several times as long.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";

const nothing: JsonObject = {};

/** An object's fields; of what is no object there are none. */
export const readObject = (value: unknown): JsonObject => isRecord(value) ? value : nothing;

export const readString = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** JSON has numbers that are too large for one. */
export const readNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export const readArray = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;
