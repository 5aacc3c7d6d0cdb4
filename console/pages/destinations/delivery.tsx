/** How far a destination is, and a test that says in words whether a message arrives. */

import type { DestinationTest, ShownDestination } from "../../../shared/observability/records.ts";
import { app } from "../../app.ts";
import { useAction } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { formatCount, formatMoment } from "../../format.ts";
import type { DestinationEditModel } from "../../models/destinations/destination_edit.ts";
import { commonText } from "../../text/common.ts";
import { deliveryText } from "../../text/gateway/destinations.ts";

interface DeliveryProps {
  readonly record: ShownDestination;
  readonly model: DestinationEditModel;
}

const momentOf = (at: string | null): string => at === null ? deliveryText.never : formatMoment(at);

function Failing({ record: { delivery, enabled } }: Pick<DeliveryProps, "record">) {
  const { failing_since: since, last_error: error } = delivery;
  if (since === null) return null;
  return (
    <>
      <dt>{deliveryText.failing}</dt>
      <dd>{formatMoment(since)}</dd>
      <dt>{deliveryText.why}</dt>
      <dd class="wrap-text">
        {error !== null && <bdi>{deliveryText.because(error)}</bdi>} {enabled && deliveryText.retried}
      </dd>
    </>
  );
}

/** Says in words what an answer to a test means. */
function wordsOf({ reachable, status, error }: DestinationTest, { type }: ShownDestination): string {
  if (!reachable) return deliveryText.because(error ?? deliveryText.notArrived);
  if (type === "webhook" && status === 400) return deliveryText.refusedEmpty;
  return (type === "s3" ? deliveryText.inBucket : deliveryText.answered)(status ?? 0);
}

function TestResult({ result, record }: {
  readonly result: DestinationTest | undefined;
  readonly record: ShownDestination;
}) {
  if (result === undefined) return null;
  return (
    <Callout tone={result.reachable ? "good" : "bad"} live="status">
      <b>{result.reachable ? deliveryText.arrived : deliveryText.notArrived}</b>
      <p class="soft wrap-text">{wordsOf(result, record)}</p>
    </Callout>
  );
}

function ReadAgain({ model }: Pick<DeliveryProps, "model">) {
  return (
    <button type="button" class="button" onClick={() => void model.record.load()}>
      {commonText.readAgain}
    </button>
  );
}

function Test({ record, model }: DeliveryProps) {
  const { busy, refusal, result, start } = useAction(() => model.test());
  const isBusy = busy.value;
  return (
    <>
      <div class="row row-wrap">
        <ReadAgain model={model} />
        <button type="button" class="button" disabled={isBusy} onClick={start}>
          {isBusy ? deliveryText.testing : deliveryText.test}
        </button>
      </div>
      <p class="hint">{deliveryText.testHint}</p>
      {!isBusy && <Refusal title={deliveryText.failed} error={refusal.value} />}
      {!isBusy && refusal.value === undefined && <TestResult result={result.value} record={record} />}
    </>
  );
}

export function Delivery({ record, model }: DeliveryProps) {
  const { sent, lost, last_sent_at } = record.delivery;
  return (
    <section aria-label={deliveryText.title}>
      <h3>{deliveryText.title}</h3>
      <dl class="facts">
        <dt>{deliveryText.sent}</dt>
        <dd>{formatCount(sent)}</dd>
        <dt>{deliveryText.lost}</dt>
        <dd>{formatCount(lost)}</dd>
        <dt>{deliveryText.last}</dt>
        <dd>{momentOf(last_sent_at)}</dd>
        <Failing record={record} />
      </dl>
      {app.session.canChange.value ? <Test record={record} model={model} /> : (
        <div>
          <ReadAgain model={model} />
        </div>
      )}
    </section>
  );
}
