/** One line across the page while the gateway cannot be reached. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { app } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { formatExactTime } from "../format.ts";
import { frameText } from "../text/frame.ts";

/** Seconds until the next try, counted down. */
function useCountdown(retryAt: number): number {
  const now = useSignal(app.clock.now());
  useEffect(() => {
    let cancel = () => {};
    const tick = () => {
      now.value = app.clock.now();
      cancel = app.clock.after(1_000, tick);
    };
    tick();
    return () => cancel();
  }, [retryAt]);
  return Math.max(0, Math.ceil((retryAt - now.value) / 1_000));
}

function LostBanner({ since, retryAt }: { readonly since: number; readonly retryAt: number }) {
  const seconds = useCountdown(retryAt);
  return (
    <div class="banner">
      <Icon name="offline" />
      <p>
        <b role="status">{frameText.lost(formatExactTime(since))}</b> {frameText.lostDetail(seconds)}
      </p>
      <button type="button" class="button" onClick={() => app.connection.retryNow()}>
        <Icon name="reload" />
        {frameText.tryNow}
      </button>
    </div>
  );
}

export function Banner() {
  const since = app.connection.since.value;
  const retryAt = app.connection.retryAt.value;
  return since === undefined || retryAt === undefined ? null : <LostBanner since={since} retryAt={retryAt} />;
}
