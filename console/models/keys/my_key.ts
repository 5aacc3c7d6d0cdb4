/** Model of the page on which the holder of an API key sees it. */

import type { KeyDetails } from "../../../shared/keys.ts";
import { type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { createResource } from "../../resource.ts";
import { myKeyText } from "../../text/my_key.ts";
import { BUILT_IN_MODEL } from "./client_setups.ts";
import { bucketsOf, rangeOf, seriesOf } from "../series.ts";

const getUsage = operation<"key.usage">("GET", "/key/usage");

type KeyUsage = OperationResult<"key.usage">["data"];

interface MyKeyDeps {
  readonly api: Pick<ConsoleApi, "call" | "send">;
  readonly clock: Clock;
}

export interface MyKey {
  readonly details: KeyDetails;
  readonly usage: KeyUsage;
  /** Ids of the models that the key may call. */
  readonly models: readonly string[];
}

/** The server has rendered it by its schema. */
function toDetails(body: unknown): KeyDetails {
  return (body as { readonly data: KeyDetails }).data;
}

interface ListedModel {
  readonly id: string;
}

/** The server has rendered it by its schema. */
function toModels(body: unknown): readonly ListedModel[] {
  return (body as { readonly data: readonly ListedModel[] }).data;
}

/** The model that a first request names: the built-in one where the key may call it, else the first. */
export function firstModel(models: readonly string[]): string | undefined {
  return models.includes(BUILT_IN_MODEL) ? BUILT_IN_MODEL : models[0];
}

export function myKey({ api }: MyKeyDeps) {
  return createResource(async (signal): Promise<MyKey> => {
    const [key, usage, models] = await Promise.all([
      api.send("GET", "/console/api/key", { signal }),
      api.call(getUsage, { query: { days: 30 }, signal }),
      api.send("GET", "/console/api/models/user", { signal }),
    ]);
    const listed = toModels(await models.json());
    return {
      details: toDetails(await key.json()),
      usage: usage.data,
      models: listed.map(({ id }) => id),
    };
  });
}

/** Spend by day and model, of the last 30 days. */
export function spendByModel({ days }: KeyUsage, now: number) {
  const buckets = bucketsOf(rangeOf("30d"), now);
  const points = days.map(({ date, model, usage }) => ({
    name: model ?? "–",
    at: Date.parse(`${date}T00:00:00Z`),
    value: usage,
  })).filter(({ value }) => value > 0);
  return { buckets, series: seriesOf(points, { buckets, others: myKeyText.others }) };
}
