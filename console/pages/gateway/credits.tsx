/** The account's credits: what is left, a change with its reason, and the history. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { OperationResult } from "../../api.ts";
import { operation } from "../../api.ts";
import { app, whenConnected } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { MoneyField, TextField } from "../../components/forms/field.tsx";
import { FailureBox, Section } from "../../components/page.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatLimit, formatUsd } from "../../format.ts";
import { CreditsModel } from "../../models/gateway/credits.ts";
import { clearCreditsText, creditsText } from "../../text/gateway/settings.ts";

const clearCredits = operation<"credits.clear">("DELETE", "/credits");

type Entry = OperationResult<"credits.history">["data"][number];

function Standing({ model }: { readonly model: CreditsModel }) {
  const credits = model.credits.data.value;
  if (credits === undefined) return <span class="bone" />;
  if (credits.unlimited) return <p class="soft">{creditsText.unlimited}</p>;
  const { total_credits: total, total_usage: used } = credits;
  return (
    <dl class="facts">
      <dt>{creditsText.left}</dt>
      <dd>
        <b>{formatUsd(total - used)}</b>
      </dd>
      <dt>{creditsText.total}</dt>
      <dd>{formatLimit(total)}</dd>
      <dt>{creditsText.used}</dt>
      <dd>{formatUsd(used)}</dd>
    </dl>
  );
}

function Change({ model }: { readonly model: CreditsModel }) {
  const [credits, after] = [model.credits.data.value, model.leftAfter.value];
  const problems = model.tried.value ? model.problems.value : undefined;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await model.add()) app.toasts.show(creditsText.changed, { tone: "good" });
  };
  const hint = credits?.unlimited === true
    ? creditsText.firstHint
    : after === undefined
    ? creditsText.amountHint
    : `${creditsText.becomes}: ${formatUsd(after)}.`;
  return (
    <form class="stack" noValidate onSubmit={(event) => void submit(event)}>
      <div class="grid-2">
        <MoneyField
          label={creditsText.amount}
          unit={creditsText.amountUnit}
          hint={hint}
          problem={problems?.amount}
          value={model.amount.value}
          onInput={(text) => {
            model.amount.value = text;
          }}
        />
        <TextField
          label={creditsText.reason}
          hint={creditsText.reasonHint}
          problem={problems?.reason}
          value={model.reason.value}
          onInput={(text) => {
            model.reason.value = text;
          }}
        />
      </div>
      <Refusal title={creditsText.failed} error={model.refusal.value} />
      {model.notice.value !== undefined && (
        <Callout tone="warn" live="status">
          <p>{model.notice.value}</p>
        </Callout>
      )}
      <div>
        <button type="submit" class="button button-primary" disabled={model.busy.value}>
          {creditsText.submit}
        </button>
      </div>
    </form>
  );
}

function ClearDialog({ model, onClose }: { readonly model: CreditsModel; readonly onClose: () => void }) {
  const action = useAction(async () => {
    await app.api.call(clearCredits);
    app.toasts.show(clearCreditsText.cleared, { tone: "good" });
    onClose();
    await model.load();
  });
  return (
    <ActionDialog
      title={clearCreditsText.title}
      action={action}
      submit={clearCreditsText.submit}
      danger
      failed={clearCreditsText.failed}
      onClose={onClose}
    >
      <p>{clearCreditsText.text}</p>
    </ActionDialog>
  );
}

const { columns } = creditsText;

const historyColumns: readonly Column<Entry>[] = [
  {
    id: "reason",
    head: columns.reason,
    main: true,
    cell: ({ reason, unlimited }) => <bdi>{unlimited && reason === "" ? creditsText.cleared : reason}</bdi>,
  },
  {
    id: "amount",
    head: columns.amount,
    numeric: true,
    cell: ({ amount_usd: usd }) => usd > 0 ? `+${formatLimit(usd)}` : formatLimit(usd),
  },
  {
    id: "total",
    head: columns.total,
    numeric: true,
    shown: "small-off",
    cell: ({ total_credits: total, unlimited }) => unlimited ? creditsText.cleared : formatLimit(total),
  },
  {
    id: "time",
    head: columns.time,
    numeric: true,
    className: "soft",
    cell: ({ at }) => <RelativeTime at={at} />,
  },
];

function History({ model }: { readonly model: CreditsModel }) {
  const { history } = model;
  const page = history.data.value;
  const [before, shown] = [page?.offset ?? 0, page?.data.length ?? 0];
  return (
    <Section title={creditsText.history}>
      <Table
        caption={creditsText.history}
        columns={historyColumns}
        rows={page?.data}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={<p class="soft box-pad">{creditsText.noHistory}</p>}
        foot={
          <Paging
            text={creditsText.more({ from: before + 1, to: before + shown, all: page?.total_count ?? 0 })}
            onPrevious={history.hasPrevious.value ? () => void history.previous() : undefined}
            onNext={history.hasNext.value ? () => void history.next() : undefined}
          />
        }
      />
    </Section>
  );
}

export function Credits() {
  const model = useMemo(() => new CreditsModel(app.api), []);
  useEffect(() => whenConnected(() => void model.load()), [model]);
  useEffect(() => () => model.stop(), [model]);
  const isClearing = useSignal(false);
  const failure = model.credits.failure.value ?? model.history.failure.value;
  const canChange = app.session.canChange.value;
  const setClearing = (on: boolean) => () => {
    isClearing.value = on;
  };
  if (failure !== undefined) {
    return <FailureBox title={creditsText.unreadable} failure={failure} onRetry={() => void model.load()} />;
  }
  return (
    <>
      <Section
        title={creditsText.title}
        action={canChange && model.credits.data.value?.unlimited === false && (
          <button type="button" class="button button-warn-text" onClick={setClearing(true)}>
            {creditsText.clear}
          </button>
        )}
      >
        <div class="box box-pad stack">
          <Standing model={model} />
        </div>
      </Section>
      {canChange && (
        <Section title={creditsText.add}>
          <div class="box box-pad">
            <Change model={model} />
          </div>
        </Section>
      )}
      <History model={model} />
      {isClearing.value && <ClearDialog model={model} onClose={setClearing(false)} />}
    </>
  );
}
