/** Notices of what needs attention now, each with the action that ends it. */

import type { KeyRecord } from "../../shared/keys.ts";
import type { Tone } from "../components/icon.tsx";
import { formatLimit, formatPercent, formatSpan } from "../format.ts";
import type { GatewayStatus } from "../status.ts";
import { attentionText } from "../text/overview.ts";

export interface Notice {
  readonly id: string;
  readonly tone: Exclude<Tone, "good">;
  /** Subject of the notice. */
  readonly subject: string;
  readonly text: string;
  readonly action: { readonly label: string; readonly key: string } | {
    readonly label: string;
    readonly health: true;
  };
}

/** A share of the limit from which on it is said. */
const NEARLY = 0.9;

function keyNotices(keys: readonly KeyRecord[]): readonly Notice[] {
  return keys.flatMap((key): Notice[] => {
    const { hash, name, limit, limit_remaining: left, disabled } = key;
    if (limit === null || left === null || disabled || limit === 0) return [];
    const share = 1 - left / limit;
    if (share < NEARLY) return [];
    const text = left <= 0
      ? attentionText.reached(formatLimit(limit))
      : attentionText.nearly(formatPercent(share), formatLimit(limit));
    const action = { label: attentionText.raise, key: hash };
    return [{ id: hash, tone: left <= 0 ? "bad" : "warn", subject: name, text, action }];
  });
}

const toHealth = { label: attentionText.health, health: true } as const;

function endpointNotices({ endpoints, now }: GatewayStatus): readonly Notice[] {
  return endpoints.flatMap((endpoint): Notice[] => {
    const { endpoint_id: id, provider_name, model, standing, rests_until, reason, single_use_until } =
      endpoint;
    const spanUntil = (moment: string | null) => formatSpan(Date.parse(moment ?? now) - Date.parse(now));
    const subject = `${provider_name} · ${model}`;
    if (standing === "well") {
      if (single_use_until === null) return [];
      const text = attentionText.singleUse(spanUntil(single_use_until));
      return [{ id, tone: "warn", subject, text, action: toHealth }];
    }
    const why = reason ?? attentionText.unknownReason;
    const span = spanUntil(rests_until);
    const action = toHealth;
    if (standing === "cooling_down") {
      return [{ id, tone: "warn", subject, text: attentionText.cooling(span, why), action }];
    }
    // The gateway serves others well when one workspace's key is refused.
    return endpoint.is_byok
      ? [{ id, tone: "warn", subject, text: attentionText.ownKeyRefused(why), action }]
      : [{ id, tone: "bad", subject, text: attentionText.keyRefused(why), action }];
  });
}

function partNotices({ store, ledger }: GatewayStatus): readonly Notice[] {
  const of = (id: string, subject: string, { ok, reason }: GatewayStatus["ledger"]): Notice[] =>
    ok === false ? [{ id, tone: "bad", subject, text: `: ${reason ?? ""}`, action: toHealth }] : [];
  return [...of("store", attentionText.store, store), ...of("ledger", attentionText.ledger, ledger)];
}

/** The worst first; endpoints beyond five are left to the health dialog. */
export function noticesOf(status: GatewayStatus | undefined, keys: readonly KeyRecord[]): readonly Notice[] {
  const own = status === undefined ? [] : [...partNotices(status), ...endpointNotices(status).slice(0, 5)];
  return [...own, ...keyNotices(keys)].toSorted((a, b) =>
    Number(b.tone === "bad") - Number(a.tone === "bad")
  );
}
