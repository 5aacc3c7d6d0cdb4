/** The overview of a gateway that was never asked: the way to the first request. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { app } from "../../app.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Page } from "../../components/page.tsx";
import { Segments } from "../../components/segments.tsx";
import { clientSetups } from "../../models/client_setups.ts";
import { status } from "../../status.ts";
import { firstRequestText, overviewText } from "../../text/overview.ts";

const EVERY_MS = 1_000;

/** Looks for the first receipt every second while the page is open. */
function useWatch(): void {
  useEffect(() => {
    let cancel = () => {};
    const look = () => {
      void status.load();
      cancel = app.clock.after(EVERY_MS, look);
    };
    cancel = app.clock.after(EVERY_MS, look);
    return () => cancel();
  }, []);
}

function Ask() {
  const setups = clientSetups(location.origin);
  const chosen = useSignal(setups[0]?.name ?? "");
  const shown = setups.find(({ name }) => name === chosen.value);
  const choices = setups.map(({ name }) => ({ value: name, text: name }));
  return (
    <div class="section">
      <h2>{firstRequestText.ask}</h2>
      <p class="soft">{firstRequestText.askText}</p>
      <CodeBlock
        title={chosen.value}
        code={shown?.code ?? ""}
        head={
          <Segments
            label={firstRequestText.language}
            choices={choices}
            value={chosen.value}
            onChange={(name) => {
              chosen.value = name;
            }}
          />
        }
      />
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
