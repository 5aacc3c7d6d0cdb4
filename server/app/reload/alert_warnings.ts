/** Warnings about where alerts are sent. */

import type { Config } from "../../config/config.ts";
import { targetFault } from "../../web/fetch/target_fault.ts";

/** A sentence where the address may not be called, in the words of addresses that callers name. */
export function alertWarnings({ alertWebhook, fetch }: Pick<Config, "alertWebhook" | "fetch">): string[] {
  const fault = alertWebhook && targetFault(alertWebhook.url, fetch);
  return fault === undefined ? [] : [`Alerts cannot be sent: the address of alerts.webhook ${fault}`];
}
