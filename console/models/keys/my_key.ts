/** Model of the page on which the holder of an API key sees it. */

import type { KeyDetails } from "../../../shared/keys.ts";
import { type ConsoleApi, operation, type OperationResult } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { createResource } from "../../resource.ts";
import { myKeyText } from "../../text/my_key.ts";
import { readModelIds } from "./key_models.ts";
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

export function myKey({ api }: MyKeyDeps) {
  return createResource(async (signal): Promise<MyKey> => {
    const [key, usage, models] = await Promise.all([
      api.send("GET", "/console/api/key", { signal }),
      api.call(getUsage, { query: { days: 30 }, signal }),
      api.send("GET", "/console/api/models/user", { signal }),
    ]);
    return {
      details: toDetails(await key.json()),
      usage: usage.data,
      models: await readModelIds(models),
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
