/** The test of a provider: one call of a chosen model, and what came of it. */

import { useSignal } from "@preact/signals";
import type { ProviderTest } from "../../../shared/management/gateway/providers.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { Callout } from "../../components/callout.tsx";
import { SearchChoice } from "../../components/forms/search_choice.tsx";
import { formatMs } from "../../format.ts";
import { type ProviderRow, runProviderTest } from "../../models/catalog/providers.ts";
import { testText } from "../../text/providers.ts";
import { workspaceName } from "../../workspaces.ts";

/** Output tokens of a test, at most; as the operation has them. */
const TEST_TOKENS = 16;

function Result({ result }: { readonly result: ProviderTest }) {
  const { ok, model, status, latency_ms, total_ms, answer, error, receipt_id } = result;
  const words = (ok ? answer : error) ?? "";
  return (
    <Callout tone={ok ? "good" : "bad"} live="status">
      <b>
        <bdi>{ok ? testText.answered(model) : testText.refused(model)}</bdi>
      </b>
      <dl class="facts">
        <dt>{testText.status}</dt>
        <dd>{status ?? testText.noStatus}</dd>
        <dt>{testText.latency}</dt>
        <dd>{formatMs(latency_ms, 1)}</dd>
        <dt>{testText.total}</dt>
        <dd>{formatMs(total_ms, 1)}</dd>
        <dt>{testText.words}</dt>
        <dd class="caller-text">
          <bdi>{words === "" ? testText.nothing : words}</bdi>
        </dd>
        <dt>{testText.receipt}</dt>
        <dd>
          <a href={app.router.link("/requests", { receipt: receipt_id })}>{testText.showReceipt}</a>
        </dd>
      </dl>
    </Callout>
  );
}

export function TestDialog({ provider, workspaceId, onTested, onClose }: {
  readonly provider: ProviderRow;
  readonly workspaceId: string | undefined;
  readonly onTested: () => void;
  readonly onClose: () => void;
}) {
  const { slug, name, models } = provider;
  const model = useSignal(models[0] ?? "");
  const action = useAction(async () => {
    const result = await runProviderTest({ api: app.api, slug, model: model.value, workspaceId });
    onTested();
    return result;
  });
  const result = action.result.value;
  return (
    <ActionDialog
      title={testText.title(name)}
      action={action}
      submit={action.busy.value ? testText.testing : testText.submit}
      cancel={testText.close}
      failed={testText.failed}
      wide
      onClose={onClose}
    >
      <p class="soft">
        {testText.text(TEST_TOKENS, workspaceId === undefined ? "" : workspaceName(workspaceId))}
      </p>
      <SearchChoice
        label={testText.model}
        choices={models}
        value={model.value}
        disabled={action.busy.value}
        onChange={(chosen) => {
          model.value = chosen;
        }}
      />
      {result !== undefined && !action.busy.value && <Result result={result} />}
    </ActionDialog>
  );
}
