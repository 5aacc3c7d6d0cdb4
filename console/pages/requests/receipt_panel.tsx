/** One receipt beside the list: what it cost and why, who answered after whom, and by whom it was asked. */

import { useEffect, useMemo } from "preact/hooks";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { app, whenConnected } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { formatMoment, formatMs, formatUsd, shortModel } from "../../format.ts";
import type { KeyNames } from "../../models/keys/key_names.ts";
import { createReceipt } from "../../models/requests/receipt.ts";
import { requestState, shownMoment } from "../../models/requests/receipt_state.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { receiptText } from "../../text/receipt.ts";
import { requestsText } from "../../text/requests.ts";
import { Bill, Calls } from "./bill.tsx";
import { GuardrailStages, ReceiptFacts } from "./receipt_facts.tsx";
import { Waterfall } from "./waterfall.tsx";
import { Why } from "./why.tsx";

function titleOf({ model, requested_model, provider }: ReceiptRecord): string {
  const name = shortModel(model ?? requested_model ?? requestsText.noModel);
  return provider === null ? name : receiptText.through(name, provider);
}

function Figures({ cost, latency_ms, total_ms }: ReceiptRecord) {
  const figures = [
    [receiptText.charged, formatUsd(cost, 4)],
    [receiptText.first, latency_ms === null ? receiptText.nothing : formatMs(latency_ms)],
    [receiptText.total, formatMs(total_ms)],
  ] as const;
  return (
    <section class="grid-3 keep">
      {figures.map(([name, text]) => (
        <div key={name}>
          <p class="stat-label">{name}</p>
          <p class="stat-value">{text}</p>
        </div>
      ))}
    </section>
  );
}

function Failure({ error, status }: ReceiptRecord) {
  if (error === null) return null;
  return (
    <Callout tone={status === "refused" ? "warn" : "bad"}>
      <b>{`${error.status} ${error.kind.replaceAll("_", " ")}`}</b>
      <p class="soft caller-text">
        <bdi>{error.message}</bdi>
      </p>
    </Callout>
  );
}

function ToPlayground({ id, api, workspace_id }: ReceiptRecord) {
  const mode = api === "speech" ? api : undefined;
  return (
    <a class="button" href={app.router.link("/playground", { from: id, mode, workspace: workspace_id })}>
      <Icon name="playground" />
      {receiptText.openInPlayground}
    </a>
  );
}

function Content({ receipt, names }: { readonly receipt: ReceiptRecord; readonly names: KeyNames }) {
  const keyName = names.of(receipt.key_hash) ?? requestsText.deletedKey(receipt.key_hash.slice(0, 6));
  return (
    <>
      <Failure {...receipt} />
      <Figures {...receipt} />
      <Waterfall receipt={receipt} />
      <Calls receipt={receipt} />
      <Bill receipt={receipt} keyName={keyName} />
      <Why receipt={receipt} />
      <GuardrailStages receipt={receipt} />
      <ReceiptFacts receipt={receipt} names={names} />
    </>
  );
}

export function ReceiptPanel({ id, list, names }: {
  readonly id: string;
  readonly list: RequestsModel;
  readonly names: KeyNames;
}) {
  const receipt = useMemo(() => {
    const known = (list.rows.peek() ?? []).find((one) => one.id === id);
    return createReceipt(id, { api: app.api, keyNames: names, known });
  }, [id]);
  useEffect(() => whenConnected(() => void receipt.load()), [receipt]);
  const found = receipt.data.value;
  const failure = receipt.failure.value;
  const move = (step: 1 | -1) => {
    const next = list.neighbor(step);
    return next === undefined ? undefined : () => list.openReceipt(next);
  };
  const close = () => {
    list.openReceipt(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  };
  return (
    <Panel
      wide
      title={found ? titleOf(found) : found === null ? receiptText.gone : ""}
      names={receiptText}
      about={found && (
        <>
          <Status {...requestState(found)} />
          <span class="faint">{formatMoment(shownMoment(found))}</span>
          <Id id={found.id} />
        </>
      )}
      foot={found && found.api !== "embeddings" && <ToPlayground {...found} />}
      onPrevious={move(-1)}
      onNext={move(1)}
      onClose={close}
    >
      {failure !== undefined && (
        <Callout tone="bad" live="alert">
          <b>{receiptText.unreadable}</b>
          <p class="soft">{failure.message}</p>
        </Callout>
      )}
      {found === null && <Empty icon="search" title={receiptText.gone} text={receiptText.goneText} />}
      {found && <Content receipt={found} names={names} />}
    </Panel>
  );
}
