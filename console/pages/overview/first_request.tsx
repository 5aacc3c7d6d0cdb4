/** The overview of a gateway that was never asked: the way to the first request. */

import { useEffect } from "preact/hooks";
import { app } from "../../app.ts";
import { ClientSetup } from "../../components/client_setup.tsx";
import { Page } from "../../components/page.tsx";
import { BUILT_IN_MODEL } from "../../models/keys/client_setups.ts";
import { status } from "../../status.ts";
import { firstRequestText, overviewText } from "../../text/overview.ts";

const EVERY_MS = 1_000;

/** Looks for the first receipt every second while the page is in sight. */
function useWatch(): void {
  useEffect(() => {
    let cancel = () => {};
    const look = () => {
      if (!document.hidden) void status.load();
      cancel = app.clock.after(EVERY_MS, look);
    };
    cancel = app.clock.after(EVERY_MS, look);
    return () => cancel();
  }, []);
}

function Ask() {
  return (
    <div class="section">
      <h2>{firstRequestText.ask}</h2>
      <p class="soft">{firstRequestText.askText}</p>
      <ClientSetup origin={location.origin} model={BUILT_IN_MODEL} />
      <p class="row small soft" role="status">
        <span class="live" />
        {firstRequestText.waiting}
      </p>
    </div>
  );
}

export function FirstRequest() {
  useWatch();
  return (
    <Page title={overviewText.title}>
      <section class="box box-pad stack">
        <div class="section">
          <div class="section-head">
            <h2>{firstRequestText.title}</h2>
          </div>
          <p class="soft">{firstRequestText.text}</p>
        </div>
        <ol class="steps">
          <li class="done">
            <div class="section">
              <h2>{firstRequestText.key}</h2>
              <p class="soft">
                {firstRequestText.keyText}{" "}
                <a href={app.router.link("/keys", { open: "new" })}>{firstRequestText.another}</a>
              </p>
            </div>
          </li>
          <li>
            <Ask />
          </li>
          <li>
            <div class="section">
              <h2>{firstRequestText.provider}</h2>
              <p class="soft">{firstRequestText.providerText}</p>
            </div>
          </li>
        </ol>
      </section>
    </Page>
  );
}
