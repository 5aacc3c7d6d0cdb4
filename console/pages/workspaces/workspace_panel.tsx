/** One workspace beside the list. */

import { computed, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WorkspaceRecord } from "../../../shared/workspaces.ts";
import { operation } from "../../api.ts";
import { app, whenConnected } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { requestsAddress, RequestsLink } from "../../components/requests_link.tsx";
import { Panel } from "../../components/panel.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { RateLimitsForm } from "../../components/forms/rate_limits_form.tsx";
import { formatUsd } from "../../format.ts";
import { RateLimitsModel } from "../../models/rate_limits.ts";
import { WorkspaceEditModel } from "../../models/workspace_edit.ts";
import { ofMonth } from "./workspace_requests.ts";
import type { WorkspaceSpend } from "../../models/workspace_spend.ts";
import { workspacePanelText } from "../../text/workspaces.ts";
import { workspaces } from "../../workspaces.ts";
import { Budgets, Defaults, Naming } from "./workspace_fields.tsx";
import { DefaultPlugins } from "./default_plugins.tsx";
import { Members } from "./members.tsx";
import { useEditedRow } from "../../unsaved.ts";

const getLimits = operation<"workspaces.rate_limits.get">("GET", "/workspaces/:id/rate-limits");
const setLimits = operation<"workspaces.rate_limits.set">("PUT", "/workspaces/:id/rate-limits");

interface WorkspacePanelProps {
  readonly workspace: WorkspaceRecord;
  readonly spend: WorkspaceSpend;
  /** Keeps the workspace in its panel while something is typed there. */
  readonly kept: Signal<WorkspaceRecord | undefined>;
  /** Opens another one, by its slug; closes the panel without. */
  readonly onOpen: (slug: string | undefined) => void;
  readonly onDelete: () => void;
}

/** Shows the warnings of the gateway on the last save. */
function Warnings({ model }: { readonly model: WorkspaceEditModel }) {
  const warnings = model.warnings.value;
  if (warnings.length === 0) return null;
  return (
    <Callout tone="warn" live="status">
      <b>{workspacePanelText.warnings}</b>
      <ul class="stack-small">
        {warnings.map(({ path, message }) => <li key={path}>{message}</li>)}
      </ul>
    </Callout>
  );
}

function Spend({ workspace, spend }: Pick<WorkspacePanelProps, "workspace" | "spend">) {
  return (
    <section aria-label={workspacePanelText.month}>
      <div class="row">
        <p class="stat-value">
          <RequestsLink of={ofMonth(workspace.slug)}>{formatUsd(spend.monthly)}</RequestsLink>
        </p>
        <p class="push small soft">{workspacePanelText.month}</p>
      </div>
      <p class="small soft row row-wrap">
        <a href={requestsAddress(ofMonth(workspace.slug))}>{workspacePanelText.showRequests}</a>
        <a href={app.router.link("/keys", { workspace: workspace.slug })}>{workspacePanelText.showKeys}</a>
        <a href={app.router.link("/files", { workspace: workspace.slug })}>{workspacePanelText.showFiles}</a>
      </p>
    </section>
  );
}

function Deletion({ onDelete }: { readonly onDelete: () => void }) {
  return (
    <section aria-label={workspacePanelText.delete}>
      <h3>{workspacePanelText.delete}</h3>
      <p class="small soft">{workspacePanelText.deleteHint}</p>
      <div>
        <button type="button" class="button button-warn-text" onClick={onDelete}>
          <Icon name="trash" />
          {workspacePanelText.deleteButton}
        </button>
      </div>
    </section>
  );
}

function neighbor(slug: string, step: 1 | -1): string | undefined {
  const all = workspaces.data.value ?? [];
  return all[all.findIndex((one) => one.slug === slug) + step]?.slug;
}

export function WorkspacePanel(props: WorkspacePanelProps) {
  const { workspace, spend, kept, onOpen, onDelete } = props;
  const { id, slug } = workspace;
  const model = useMemo(
    () =>
      new WorkspaceEditModel(id, { api: app.api, clock: app.clock, onChange: () => void workspaces.load() }),
    [id],
  );
  const rates = useMemo(() =>
    new RateLimitsModel({
      read: async (signal) => (await app.api.call(getLimits, { params: { id }, signal })).data,
      write: async (body) => (await app.api.call(setLimits, { params: { id }, body })).data,
    }), [id]);
  useEffect(() => whenConnected(() => void Promise.all([model.record.load(), rates.record.load()])), [model]);
  const settings = useMemo(() => ({
    isChanged: computed(() => model.changes.value.length > 0),
    discard: () => model.discard(),
  }), [model]);
  useEditedRow({ row: workspace, list: { kept }, editors: [settings, rates] });
  const canChange = app.session.canChange.value;
  const [previous, next] = [neighbor(slug, -1), neighbor(slug, 1)];
  return (
    <Panel
      title={workspace.name}
      names={workspacePanelText}
      about={
        <>
          <span class="faint">{slug}</span>
          <Id id={id} />
        </>
      }
      onPrevious={previous === undefined ? undefined : () => onOpen(previous)}
      onNext={next === undefined ? undefined : () => onOpen(next)}
      onClose={() => onOpen(undefined)}
      foot={model.changes.value.length > 0 || model.saving.value
        ? <SaveBar model={model} saved={workspacePanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={workspacePanelText} />
      <Warnings model={model} />
      <Spend workspace={workspace} spend={spend} />
      <Budgets model={model} spend={spend} />
      <Defaults model={model} />
      <DefaultPlugins model={model} />
      <RateLimitsForm model={rates} />
      <Naming model={model} />
      <Members id={id} />
      {canChange && <Deletion onDelete={onDelete} />}
    </Panel>
  );
}
