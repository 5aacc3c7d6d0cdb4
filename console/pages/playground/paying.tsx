/** The key that pays for a run, with its limit and guardrails, and why the next run would be refused. */

import { app } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Meter } from "../../components/meter.tsx";
import { formatLimit, formatUsd } from "../../format.ts";
import type { PlayKey, Standing } from "../../models/playground/standing.ts";
import { settingsText } from "../../text/playground.ts";

const spendFields = {
  none: ["usage", "byok_usage"],
  daily: ["usage_daily", "byok_usage_daily"],
  weekly: ["usage_weekly", "byok_usage_weekly"],
  monthly: ["usage_monthly", "byok_usage_monthly"],
} as const;

function spentOf(key: PlayKey): number {
  const [own, byok] = spendFields[key.limit_reset ?? "none"];
  return key[own] + (key.include_byok_in_limit ? key[byok] : 0);
}

function Guardrails({ guardrails }: Pick<PlayKey, "guardrails">) {
  const isManager = app.session.isManager.value;
  return (
    <dl class="facts">
      <dt>{settingsText.guardrails}</dt>
      <dd class="row row-wrap">
        {guardrails.length === 0 && settingsText.noGuardrails}
        {guardrails.map(({ id, name }) =>
          isManager
            ? (
              <a key={id} class="cut" title={name} href={app.router.link("/guardrails", { open: id })}>
                {name}
              </a>
            )
            : <bdi key={id}>{name}</bdi>
        )}
      </dd>
    </dl>
  );
}

/** The limit of a manager's key can be changed on the page of keys. */
function LimitLink({ hash }: { readonly hash: string | null }) {
  if (hash === null || !app.session.isManager.value) return null;
  return <a class="push small" href={app.router.link("/keys", { key: hash })}>{settingsText.limit}</a>;
}

export function Paying({ standing }: { readonly standing: Standing }) {
  const key = standing.key.data.value;
  if (key === undefined) return null;
  const period = settingsText.periods[key.limit_reset ?? "none"];
  const route = standing.route.value;
  const refusal = route?.refusal ?? route?.reservation?.refusal ?? undefined;
  const spent = spentOf(key);
  return (
    <section>
      <div class="row">
        <h2 class="label">{settingsText.pays}</h2>
        <LimitLink hash={key.hash} />
      </div>
      <div>
        <div class="meter-text meter-wrap">
          <bdi class="cut" title={key.name}>{`${key.name}, ${period}`}</bdi>
          <span>
            {key.limit === null
              ? formatUsd(spent)
              : settingsText.spentOf(formatUsd(spent), formatLimit(key.limit))}
          </span>
        </div>
        <Meter name={`${key.name}, ${period}`} spent={spent} limit={key.limit} />
        {key.limit === null && <p class="hint">{settingsText.noLimit}</p>}
        {key.hash === null && <p class="hint">{settingsText.firstUse}</p>}
        {key.disabled && <p class="hint hint-bad">{settingsText.disabled}</p>}
      </div>
      <Guardrails guardrails={key.guardrails} />
      {refusal !== undefined && (
        <Callout tone="warn" live="status">
          <b>{settingsText.nextRefused}</b>
          <p class="soft caller-text">
            <bdi>{refusal.message}</bdi>
          </p>
        </Callout>
      )}
    </section>
  );
}
