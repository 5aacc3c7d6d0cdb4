/** The fields of a workspace's panel. */

import { budgetIntervals } from "../../../shared/budget_intervals.ts";
import { app } from "../../app.ts";
import { MoneyField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { formatUsd } from "../../format.ts";
import type { WorkspaceEditModel } from "../../models/workspace_edit.ts";
import type { WorkspaceSpend } from "../../models/workspace_spend.ts";
import { workspacePanelText } from "../../text/workspaces.ts";

export function Budgets({ model, spend }: {
  readonly model: WorkspaceEditModel;
  readonly spend: WorkspaceSpend;
}) {
  const disabled = !app.session.canChange.value || model.saved.value === undefined;
  const hints = {
    daily: workspacePanelText.spent.daily(formatUsd(spend.daily)),
    weekly: workspacePanelText.spent.weekly(formatUsd(spend.weekly)),
    monthly: workspacePanelText.spent.monthly(formatUsd(spend.monthly)),
    lifetime: workspacePanelText.spent.lifetime(),
  };
  return (
    <section aria-label={workspacePanelText.budgets}>
      <h3>{workspacePanelText.budgets}</h3>
      <div class="grid-2">
        {budgetIntervals.map((interval) => (
          <MoneyField
            key={interval}
            label={workspacePanelText.intervals[interval]}
            unit={workspacePanelText.usd}
            hint={hints[interval]}
            problem={model.budgetProblems.value.get(interval)}
            placeholder={workspacePanelText.noBudget}
            value={model.budgets.value[interval]}
            disabled={disabled}
            onInput={(text) => model.typeBudget(interval, text)}
          />
        ))}
      </div>
      <SwitchRow
        label={workspacePanelText.byok}
        hint={workspacePanelText.byokHint}
        checked={model.draft.value?.byok ?? false}
        disabled={disabled}
        onChange={(byok) => model.type({ byok })}
      />
    </section>
  );
}

const sortChoices = (["none", "price", "throughput", "latency", "exacto"] as const).map((value) => ({
  value,
  text: workspacePanelText.sorts[value],
}));

export function Defaults({ model }: { readonly model: WorkspaceEditModel }) {
  const draft = model.draft.value;
  const problems = model.problems.value;
  const disabled = !app.session.canChange.value || draft === undefined;
  const sort = sortChoices.find(({ value }) => value === draft?.sort)?.value ?? "none";
  return (
    <section aria-label={workspacePanelText.defaults}>
      <h3>{workspacePanelText.defaults}</h3>
      <TextField
        label={workspacePanelText.textModel}
        hint={workspacePanelText.modelHint}
        problem={problems.get("textModel")}
        value={draft?.textModel ?? ""}
        disabled={disabled}
        onInput={(textModel) => model.type({ textModel })}
      />
      <TextField
        label={workspacePanelText.imageModel}
        problem={problems.get("imageModel")}
        value={draft?.imageModel ?? ""}
        disabled={disabled}
        onInput={(imageModel) => model.type({ imageModel })}
      />
      <RadioSegments
        label={workspacePanelText.sort}
        choices={sortChoices}
        value={sort}
        disabled={disabled}
        onChange={(value) => model.type({ sort: value })}
      />
      <TextField
        label={workspacePanelText.tools}
        hint={workspacePanelText.toolsHint}
        problem={problems.get("tools")}
        value={draft?.tools ?? ""}
        disabled={disabled}
        onInput={(tools) => model.type({ tools })}
      />
    </section>
  );
}

export function Naming({ model }: { readonly model: WorkspaceEditModel }) {
  const draft = model.draft.value;
  const problems = model.problems.value;
  const disabled = !app.session.canChange.value || draft === undefined;
  return (
    <section aria-label={workspacePanelText.about}>
      <h3>{workspacePanelText.about}</h3>
      <TextField
        label={workspacePanelText.name}
        problem={problems.get("name")}
        value={draft?.name ?? ""}
        disabled={disabled}
        onInput={(name) => model.type({ name })}
      />
      <TextField
        label={workspacePanelText.slug}
        hint={workspacePanelText.slugHint}
        problem={problems.get("slug")}
        value={draft?.slug ?? ""}
        disabled={disabled}
        onInput={(slug) => model.type({ slug })}
      />
      <TextField
        label={workspacePanelText.description}
        problem={problems.get("description")}
        value={draft?.description ?? ""}
        disabled={disabled}
        onInput={(description) => model.type({ description })}
      />
    </section>
  );
}
