/** The period between two days of the user's choice. */

import { useSignal } from "@preact/signals";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { MomentField } from "../../components/forms/field.tsx";
import type { OverviewModel } from "../../models/overview.ts";
import { MOST_DAYS } from "../../models/overview/period.ts";
import { spanText } from "../../text/overview.ts";

const DAY_MS = 86_400_000;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** First and last day; both are within the period. */
function useDays({ period: { buckets } }: OverviewModel) {
  const [first, last] = [buckets[0]?.from ?? 0, (buckets.at(-1)?.to ?? 1) - 1];
  const from = useSignal(dayOf(first));
  const to = useSignal(dayOf(last));
  const [since, until] = [Date.parse(from.value), Date.parse(to.value) + DAY_MS];
  const days = (until - since) / DAY_MS;
  const isSound = days >= 1 && days <= MOST_DAYS;
  return { from, to, since, until, isSound };
}

export function SpanDialog(
  { model, onClose }: { readonly model: OverviewModel; readonly onClose: () => void },
) {
  const { from, to, since, until, isSound } = useDays(model);
  const action = useAction(() => {
    onClose();
    const isRunning = until > app.clock.now();
    model.setSpan({
      since: new Date(since).toISOString(),
      until: isRunning ? undefined : new Date(until).toISOString(),
    });
    return Promise.resolve();
  });
  return (
    <ActionDialog
      title={spanText.title}
      action={action}
      submit={spanText.apply}
      failed={spanText.title}
      disabled={!isSound}
      onClose={onClose}
    >
      <div class="grid-2">
        <MomentField
          type="date"
          label={spanText.from}
          value={from.value}
          onInput={(day) => {
            from.value = day;
          }}
        />
        <MomentField
          type="date"
          label={spanText.to}
          value={to.value}
          onInput={(day) => {
            to.value = day;
          }}
        />
      </div>
      <p class={isSound ? "hint" : "hint hint-bad"} role="status">
        {isSound ? spanText.hint : spanText.bad(MOST_DAYS)}
      </p>
    </ActionDialog>
  );
}
