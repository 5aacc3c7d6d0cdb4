/** One change beside the log: who made it, and what became of what. */

import type { AuditRow } from "../../../shared/management/audit.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { app } from "../../app.ts";
import { CodeBlock, Id } from "../../components/copy.tsx";
import { type Change, Diff } from "../../components/diff.tsx";
import { Panel } from "../../components/panel.tsx";
import { formatDay, formatExactTime } from "../../format.ts";
import { type AuditModel, changedFields, targetName } from "../../models/gateway/audit.ts";
import { commonText } from "../../text/common.ts";
import { auditedOperations, auditedSubjects, auditPanelText, auditText } from "../../text/gateway/audit.ts";

interface AuditPanelProps {
  readonly row: AuditRow;
  readonly model: AuditModel;
}

/** Longer values stand in the records below. */
const MOST_CHARS = 200;

export const changeName = ({ operation }: Pick<AuditRow, "operation">): string =>
  auditedOperations.get(operation) ?? operation;

export const subjectName = ({ subject }: Pick<AuditRow, "subject">): string =>
  auditedSubjects.get(subject.type) ?? subject.type;

export function actorName({ actor }: Pick<AuditRow, "actor">, model: AuditModel): string {
  if (actor === null) return auditText.gateway;
  return model.nameOf(actor.key_hash) ?? `${auditText.byKind[actor.kind]} ${actor.key_hash.slice(0, 6)}`;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return auditPanelText.nothing;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

function changesOf(row: AuditRow): readonly Change[] {
  return changedFields(row).map(({ name, before, after }) => ({
    label: name,
    before: valueText(before),
    after: valueText(after),
  }));
}

/** Where the target is shown, as long as it is there; undefined where no page shows one. */
function targetAddress({ subject: { type, id }, after }: AuditRow): string | undefined {
  if (after === null) return undefined;
  switch (type) {
    case "key":
      return app.router.link("/keys", { key: id, workspace: undefined });
    case "management_key":
      return app.router.link("/keys", { view: "management", open: id });
    case "client":
      return app.router.link("/clients", { open: id, workspace: undefined });
    case "provider_key":
      return app.router.link("/byok", { open: id, workspace: undefined });
    case "workspace":
    case "workspace_budgets":
      return app.router.link("/workspaces", { open: id });
    case "guardrail":
      return app.router.link("/guardrails", { open: id, workspace: undefined });
    case "preset":
      return app.router.link("/presets", {
        open: isRecord(after) ? String(after.id) : undefined,
        workspace: undefined,
      });
    case "destination":
      return app.router.link("/destinations", { open: id, workspace: undefined });
    case "classifier":
      return app.router.link("/tags", { open: id, workspace: undefined });
    case "generation":
      return app.router.link("/requests", { receipt: id });
    default:
      return undefined;
  }
}

function Facts({ row, model }: AuditPanelProps) {
  const { actor, subject, request_id: request } = row;
  const address = targetAddress(row);
  return (
    <section aria-label={auditPanelText.facts}>
      <h3>{auditPanelText.facts}</h3>
      <dl class="facts">
        <dt>{auditPanelText.time}</dt>
        <dd>{`${formatDay(row.at)}, ${formatExactTime(row.at)} UTC`}</dd>
        <dt>{auditPanelText.operation}</dt>
        <dd class="mono">{row.operation}</dd>
        <dt>{auditPanelText.actor}</dt>
        <dd>
          <bdi>{actorName(row, model)}</bdi>
        </dd>
        {actor?.session !== undefined && (
          <>
            <dt>{auditPanelText.session}</dt>
            <dd>
              <Id id={actor.session} />
            </dd>
          </>
        )}
        {request !== null && (
          <>
            <dt>{auditPanelText.request}</dt>
            <dd>
              <Id id={request} />
            </dd>
          </>
        )}
        <dt>{auditPanelText.target}</dt>
        <dd>
          {subjectName(row)} <Id id={subject.id} />
        </dd>
      </dl>
      <div class="row row-wrap small">
        {address !== undefined && <a href={address}>{auditPanelText.open}</a>}
        <button type="button" class="link" onClick={() => model.setFilters({ target: subject.id })}>
          {auditPanelText.allOfTarget}
        </button>
        {actor !== null && (
          <button
            type="button"
            class="link"
            onClick={() => model.setFilters({ actor: actor.key_hash })}
          >
            {auditPanelText.allOfActor}
          </button>
        )}
      </div>
    </section>
  );
}

function Records({ row }: Pick<AuditPanelProps, "row">) {
  const json = (record: unknown) => JSON.stringify(record, null, 2);
  return (
    <section aria-label={auditPanelText.records}>
      <h3>{auditPanelText.records}</h3>
      {row.before !== null && <CodeBlock title={auditPanelText.before} code={json(row.before)} />}
      {row.after !== null && <CodeBlock title={auditPanelText.after} code={json(row.after)} />}
    </section>
  );
}

export function AuditPanel({ row, model }: AuditPanelProps) {
  const changes = changesOf(row);
  const name = targetName(row);
  const close = () => {
    model.openChange(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  };
  return (
    <Panel
      title={changeName(row)}
      names={auditPanelText}
      about={name !== undefined && (
        <span class="faint">
          <bdi>{name}</bdi>
        </span>
      )}
      onPrevious={model.neighbor(-1)}
      onNext={model.neighbor(1)}
      onClose={close}
    >
      <Facts row={row} model={model} />
      <section aria-label={auditPanelText.changes}>
        <h3>{auditPanelText.changes}</h3>
        {changes.length === 0
          ? <p class="small soft">{auditPanelText.same}</p>
          : <Diff changes={changes} becomes={commonText.becomes} />}
      </section>
      {(row.before !== null || row.after !== null) && <Records row={row} />}
    </Panel>
  );
}
