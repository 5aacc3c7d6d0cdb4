/** Facts of a receipt: who asked for what, by which ids it is found elsewhere, and what the guardrails did. */

import type { ComponentChildren } from "preact";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { app } from "../../app.ts";
import { Id } from "../../components/copy.tsx";
import { formatExactTime, formatMoment } from "../../format.ts";
import { filterName } from "../../models/guardrails/guardrail_receipts.ts";
import type { KeyNames } from "../../models/keys/key_names.ts";
import type { RequestFilters } from "../../models/requests/request_filters.ts";
import { outcomeNames, sideNames } from "../../text/guardrails.ts";
import { receiptText } from "../../text/receipt.ts";
import { workspaceName } from "../../workspaces.ts";
import { KeyName } from "./request_table.tsx";

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A value that the list can be narrowed to. */
function Narrowing({ filters, text }: { readonly filters: RequestFilters; readonly text: string }) {
  const receipt = app.router.query.value.get("receipt");
  return (
    <a href={app.router.link("/requests", { ...filters, receipt })} title={receiptText.only(text)}>
      <bdi>{text}</bdi>
    </a>
  );
}

const routeNames: ReadonlyMap<string, string> = new Map(Object.entries(receiptText.routes));

/** A moment with its milliseconds. */
const exactMoment = (at: string) =>
  formatMoment(at).replace(/\d\d:\d\d UTC$/, `${formatExactTime(at)}${at.slice(19, 23)} UTC`);

interface FactsProps {
  readonly receipt: ReceiptRecord;
  readonly names: KeyNames;
}

function Owner({ receipt: { key_hash, workspace_id, management_key_hash: manager }, names }: FactsProps) {
  const name = names.of(key_hash);
  return (
    <>
      <Fact name={receiptText.key}>
        {name === undefined || name === null
          ? <KeyName hash={key_hash} names={names} />
          : (
            <a href={app.router.link("/keys", { key: key_hash })}>
              <bdi>{name}</bdi>
            </a>
          )}
      </Fact>
      {manager !== undefined && (
        <Fact name={receiptText.runBy}>
          <KeyName hash={manager} names={names} />
        </Fact>
      )}
      <Fact name={receiptText.workspace}>
        <a href={app.router.link("/workspaces", { open: workspace_id })}>
          <bdi>{workspaceName(workspace_id)}</bdi>
        </a>
      </Fact>
    </>
  );
}

function Caller({ receipt }: Pick<FactsProps, "receipt">) {
  const { user, external_user, session_id, app_title, user_agent, requested_model: asked, preset } = receipt;
  const [who] = [user, external_user].filter((one) => one !== null);
  return (
    <>
      {asked !== null && (
        <Fact name={receiptText.asked}>
          <Narrowing filters={{ asked }} text={asked} />
        </Fact>
      )}
      {preset !== undefined && (
        <Fact name={receiptText.preset}>
          <Narrowing filters={{ preset: preset.slug }} text={preset.slug} />{" "}
          <a href={app.router.link("/presets", { open: preset.id, workspace: undefined })}>
            {receiptText.presetVersion(preset.version)}
          </a>
        </Fact>
      )}
      {who !== undefined && (
        <Fact name={receiptText.user}>
          <Narrowing filters={{ user: who }} text={who} />
        </Fact>
      )}
      {session_id !== null && (
        <Fact name={receiptText.session}>
          <Narrowing filters={{ session: session_id }} text={session_id} />
        </Fact>
      )}
      {app_title !== null && (
        <Fact name={receiptText.app}>
          <bdi>{app_title}</bdi>
        </Fact>
      )}
      {user_agent !== null && (
        <Fact name={receiptText.client}>
          <bdi>{user_agent}</bdi>
        </Fact>
      )}
    </>
  );
}

export function ReceiptFacts(props: FactsProps) {
  const { receipt } = props;
  const { id, request_id, upstream_id, api, streamed, finish_reason, service_tier } = receipt;
  const { response_cache_source_id: source, tags } = receipt;
  return (
    <section aria-label={receiptText.about}>
      <h3>{receiptText.about}</h3>
      <dl class="facts">
        <Owner {...props} />
        <Caller receipt={receipt} />
        <Fact name={receiptText.route}>{receiptText.routeOf(routeNames.get(api) ?? api, streamed)}</Fact>
        {finish_reason !== null && <Fact name={receiptText.finish}>{finish_reason}</Fact>}
        {service_tier !== null && <Fact name={receiptText.tier}>{service_tier}</Fact>}
        {tags !== undefined && (
          <Fact name={receiptText.tags}>
            <span class="row row-wrap">
              {tags.map((tag) => <Narrowing key={tag} filters={{ tag }} text={tag} />)}
            </span>
          </Fact>
        )}
        <Fact name={receiptText.began}>{exactMoment(receipt.created_at)}</Fact>
        <Fact name={receiptText.ended}>{exactMoment(receipt.ended_at)}</Fact>
        <Fact name={receiptText.receipt}>
          <Id id={id} />
        </Fact>
        <Fact name={receiptText.request}>
          <Id id={request_id} />
        </Fact>
        {source !== undefined && (
          <Fact name={receiptText.cachedFrom}>
            <a href={app.router.link("/requests", { receipt: source })}>
              <bdi>{source}</bdi>
            </a>
          </Fact>
        )}
        {upstream_id !== null && (
          <Fact name={receiptText.upstream}>
            <Id id={upstream_id} />
          </Fact>
        )}
      </dl>
      <p class="small faint">{receiptText.contents}</p>
    </section>
  );
}

/** Results of the content filters of guardrails, in their order. */
export function GuardrailStages({ receipt: { guardrails = [] } }: Pick<FactsProps, "receipt">) {
  if (guardrails.length === 0) return null;
  return (
    <section aria-label={receiptText.filters}>
      <h3>{receiptText.filters}</h3>
      <ul class="stack-small small">
        {guardrails.map(({ id, action, count, slug, label, side }, at) => (
          <li key={at}>
            <a href={app.router.link("/guardrails", { open: id })}>
              <bdi>
                {receiptText.filterWhat(
                  outcomeNames[action],
                  `${count} × ${filterName({ slug, label })}, ${sideNames[side]}`,
                )}
              </bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
