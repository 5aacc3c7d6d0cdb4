/** Notices of what needs attention now, each with the action that ends it. */

import type {
  AttentionBudget,
  AttentionDestination,
  AttentionKey,
  AttentionList,
  LimitStanding,
} from "../../shared/management/attention.ts";
import type { Tone } from "../components/icon.tsx";
import { formatLimit, formatMoment, formatPercent, formatSpan, formatUsd } from "../format.ts";
import type { GatewayStatus } from "../status.ts";
import { attentionText } from "../text/overview.ts";

export interface Notice {
  readonly id: string;
  readonly tone: Exclude<Tone, "good">;
  /** Subject of the notice. */
  readonly subject: string;
  readonly text: string;
  readonly action: NoticeAction;
}

/** A page with its filters, or the health dialog. */
type NoticeAction =
  | { readonly label: string; readonly path: string; readonly query: Readonly<Record<string, string>> }
  | { readonly label: string; readonly health: true };

type Limited = Pick<AttentionBudget, "limit" | "limit_remaining">;

const limitTones = { reached: "bad", nearly: "warn" } as const;

function limitText(standing: LimitStanding, { limit, limit_remaining: left }: Limited): string {
  return standing === "reached"
    ? attentionText.reached(formatLimit(limit))
    : attentionText.nearly(formatPercent(1 - left / limit), formatLimit(limit));
}

interface Group<Item> {
  readonly count: number;
  readonly first: readonly Item[];
}

/** A notice for each of the first, and one that counts the others. */
function groupNotices<Item>(
  { count, first }: Group<Item>,
  { noticeOf, others }: {
    readonly noticeOf: (item: Item) => Notice;
    readonly others: (count: number) => Notice;
  },
): readonly Notice[] {
  const more = count - first.length;
  return [...first.map(noticeOf), ...(more > 0 ? [others(more)] : [])];
}

type KeyGroup = keyof AttentionList["keys"];

function keyText(group: KeyGroup, { key, now }: { readonly key: AttentionKey; readonly now: number }) {
  if (group !== "expiring") {
    return limitText(group, { limit: key.limit ?? 0, limit_remaining: key.limit_remaining ?? 0 });
  }
  const at = key.expires_at ?? "";
  return attentionText.expires(formatSpan(Date.parse(at) - now), formatMoment(at));
}

function keyNotices({ keys, as_of }: AttentionList): readonly Notice[] {
  const now = Date.parse(as_of);
  return (["reached", "nearly", "expiring"] as const).flatMap((group) => {
    const tone = group === "expiring" ? "warn" : limitTones[group];
    const label = group === "expiring" ? attentionText.openKey : attentionText.raise;
    const noticeOf = (key: AttentionKey): Notice => ({
      id: `${group} ${key.hash}`,
      tone,
      subject: key.name,
      text: keyText(group, { key, now }),
      action: { label, path: "/keys", query: { key: key.hash } },
    });
    const others = (count: number): Notice => ({
      id: `${group} keys`,
      tone,
      subject: attentionText.moreKeys(count),
      text: attentionText.groups[group](count),
      action: { label: attentionText.showAll, path: "/keys", query: { state: group } },
    });
    return groupNotices(keys[group], { noticeOf, others });
  });
}

/** Names of workspaces by id. */
type WorkspaceName = (id: string) => string;

function budgetNotices({ budgets }: AttentionList, workspaceName: WorkspaceName): readonly Notice[] {
  return (["reached", "nearly"] as const).flatMap((group) => {
    const tone = limitTones[group];
    const noticeOf = (budget: AttentionBudget): Notice => ({
      id: `${group} ${budget.workspace_id} ${budget.interval}`,
      tone,
      subject: attentionText.budget(workspaceName(budget.workspace_id), budget.interval),
      text: limitText(group, budget),
      action: {
        label: attentionText.raiseBudget,
        path: "/workspaces",
        query: { open: budget.workspace_id },
      },
    });
    const others = (count: number): Notice => ({
      id: `${group} budgets`,
      tone,
      subject: attentionText.moreBudgets(count),
      text: attentionText.groups[group](count),
      action: { label: attentionText.showAll, path: "/workspaces", query: {} },
    });
    return groupNotices(budgets[group], { noticeOf, others });
  });
}

function destinationNotices({ destinations: { failing } }: AttentionList): readonly Notice[] {
  const noticeOf = ({ id, name, failing_since: since, last_error: error }: AttentionDestination): Notice => ({
    id: `failing ${id}`,
    tone: "warn",
    subject: name,
    text: attentionText.failing(formatMoment(since), error ?? attentionText.unknownReason),
    action: { label: attentionText.openDestination, path: "/destinations", query: { open: id } },
  });
  const others = (count: number): Notice => ({
    id: "failing destinations",
    tone: "warn",
    subject: attentionText.moreDestinations(count),
    text: attentionText.groups.failing(count),
    action: { label: attentionText.showAll, path: "/destinations", query: {} },
  });
  return groupNotices(failing, { noticeOf, others });
}

function overrunNotices({ overrun: { usd, since } }: GatewayStatus): readonly Notice[] {
  if (usd === null || usd <= 0) return [];
  const text = attentionText.overrun(formatUsd(usd), since);
  return [{ id: "overrun", tone: "warn", subject: attentionText.overLimits, text, action: toHealth }];
}

const toHealth = { label: attentionText.health, health: true } as const;

function endpointNotices({ endpoints, now }: GatewayStatus): readonly Notice[] {
  return endpoints.flatMap((endpoint): Notice[] => {
    const { endpoint_id: id, provider_name, model, standing, rests_until, reason, single_use_until } =
      endpoint;
    const spanUntil = (moment: string | null) => formatSpan(Date.parse(moment ?? now) - Date.parse(now));
    const subject = `${provider_name} · ${model}`;
    if (standing === "probe") return [];
    if (standing === "well") {
      if (single_use_until === null) return [];
      const text = attentionText.singleUse(spanUntil(single_use_until));
      return [{ id, tone: "warn", subject, text, action: toHealth }];
    }
    const why = reason ?? attentionText.unknownReason;
    const action = toHealth;
    if (standing === "cooling_down") {
      return [{
        id,
        tone: "warn",
        subject,
        text: attentionText.cooling(spanUntil(rests_until), why),
        action,
      }];
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

const SHOWN_ENDPOINTS = 5;

/** The first endpoints that need attention, those that refuse the gateway's key before the others. */
function firstEndpoints(status: GatewayStatus): readonly Notice[] {
  const all = worstFirst(endpointNotices(status));
  const more = all.length - SHOWN_ENDPOINTS;
  const others = (count: number): Notice => ({
    id: "endpoints",
    tone: "warn",
    subject: attentionText.moreEndpoints(count),
    text: "",
    action: toHealth,
  });
  return [...all.slice(0, SHOWN_ENDPOINTS), ...(more > 0 ? [others(more)] : [])];
}

const worstFirst = (notices: readonly Notice[]): readonly Notice[] =>
  notices.toSorted((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));

interface NoticeSources {
  readonly status: GatewayStatus | undefined;
  readonly list: AttentionList | undefined;
  readonly workspaceName: WorkspaceName;
}

/** The worst first. */
export function noticesOf({ status, list, workspaceName }: NoticeSources): readonly Notice[] {
  const own = status === undefined
    ? []
    : [...partNotices(status), ...firstEndpoints(status), ...overrunNotices(status)];
  const listed = list === undefined
    ? []
    : [...keyNotices(list), ...budgetNotices(list, workspaceName), ...destinationNotices(list)];
  return worstFirst([...own, ...listed]);
}
