/** Settings of a request as its receipt has them, to be tried again. Contents are not kept, so there are none. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { asJson, textOf, textsOf } from "./json.ts";
import { firstSettings, providerOrders, type StoredSettings } from "./settings.ts";

export function settingsOf({ requested_model, model, route_input }: ReceiptRecord): StoredSettings {
  const [first = requested_model ?? model ?? "", ...others] = route_input?.models ?? [];
  const preferences = asJson(route_input?.preferences);
  const slugs = (name: string) => textsOf(preferences, name).join(", ");
  const order = providerOrders.find((one) => one === textOf(preferences, "sort")) ?? "";
  return {
    ...firstSettings,
    model: first,
    fallbacks: others,
    order,
    only: slugs("only"),
    ignore: slugs("ignore"),
    noDataCollection: textOf(preferences, "data_collection") === "deny",
    maxTokens: route_input?.max_tokens === undefined ? "" : String(route_input.max_tokens),
  };
}
