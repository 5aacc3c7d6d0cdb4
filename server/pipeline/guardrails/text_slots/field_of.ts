/** Fields of values of any kind, one by one: `Object.entries` of a value with very many of them takes seconds. */

import { ownValue } from "../../../../shared/util/own_value.ts";

export const fieldOf = (value: object, name: string): unknown => ownValue(asRecord(value), name);

const asRecord = (value: object) => value as Readonly<Record<string, unknown>>;
