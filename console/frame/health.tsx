/** The health sign of the top bar, and the dialog behind it. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { Status } from "../components/status.tsx";
import { formatBytes, formatMs, formatUsd } from "../format.ts";
import { endpointsOf, type GatewayStatus, health, status } from "../status.ts";
import { healthText } from "../text/frame.ts";

const signs = { good: "good", warn: "clock", bad: "alert", off: "disabled" } as const;

export function HealthButton() {
  const minute = app.minute.value;
  useEffect(() => whenConnected(() => void status.load()), [minute]);
  const { tone, text } = health.value;
  return (
    <button
      type="button"
      class="button button-plain"
      aria-label={healthText.button(text)}
      onClick={() => {
        app.overlay.value = "health";
        void status.load();
      }}
    >
      <Icon name={signs[tone]} tone={tone} />
      <span class="wide">{text}</span>
    </button>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Endpoints({ counts }: { readonly counts: GatewayStatus["endpoint_counts"] }) {
  const all = endpointsOf(counts);
  if (all === 0) return <Status tone="off" text={healthText.unused} />;
  return (
    <span class="stack-small">
      {counts.misconfigured > 0 && (
        <Status tone="bad" text={healthText.misconfigured(counts.misconfigured, all)} />
      )}
      {counts.cooling_down > 0 && (
        <Status tone="warn" icon="clock" text={healthText.cooling(counts.cooling_down, all)} />
      )}
      {counts.probe > 0 && <Status tone="off" icon="clock" text={healthText.probe(counts.probe)} />}
      {counts.well > 0 && <Status tone="good" text={healthText.wellEndpoints(counts.well)} />}
    </span>
  );
}

function StoreFact({ store }: { readonly store: GatewayStatus["store"] }) {
  if (!store.ok) return <Status tone="bad" text={store.reason ?? healthText.storeTrouble} />;
  const text = store.answer_ms === null ? healthText.well : healthText.answers(formatMs(store.answer_ms));
  return <Status tone="good" text={text} />;
}

function LedgerFact({ ledger, overrun }: Pick<GatewayStatus, "ledger" | "overrun">) {
  if (!ledger.ok) return <Status tone="bad" text={ledger.reason ?? healthText.ledgerTrouble} />;
  if (overrun.usd === null) return <Status tone="good" text={healthText.well} />;
  const text = healthText.overrun(formatUsd(overrun.usd));
  return <Status tone={overrun.usd > 0 ? "warn" : "good"} text={text} />;
}

function BlobsFact({ blobs }: Pick<GatewayStatus, "blobs">) {
  if (!blobs.configured) return <Status tone="off" text={healthText.notConfigured} />;
  if (blobs.ok === false) return <Status tone="bad" text={blobs.reason ?? healthText.blobTrouble} />;
  return (
    <Status
      tone="good"
      text={blobs.bytes === null ? healthText.well : healthText.stored(formatBytes(blobs.bytes))}
    />
  );
}

/** Engine that runs commands, and why it is not the other one where the settings leave the choice. */
function ContainersFact({ sandbox }: Pick<GatewayStatus, "sandbox">) {
  if (!sandbox.configured) return <Status tone="off" text={sandbox.reason ?? healthText.notConfigured} />;
  if (sandbox.ok === false) return <Status tone="bad" text={sandbox.reason ?? healthText.containerTrouble} />;
  if (sandbox.engine === null) return <Status tone="off" text={healthText.tried} />;
  return (
    <span class="stack-small">
      <Status tone="good" text={healthText.engine(sandbox.engine)} />
      {sandbox.engine_reason !== null && <span class="soft">{sandbox.engine_reason}</span>}
    </span>
  );
}

function instancesText(instances: NonNullable<GatewayStatus["instances"]>): string {
  const ended = instances.filter(({ is_ended }) => is_ended).length;
  return healthText.instanceCount(instances.length - ended, ended);
}

export function HealthDialog() {
  const read = status.data.value;
  const close = () => {
    app.overlay.value = undefined;
  };
  return (
    <Dialog title={healthText.title} onClose={close}>
      {read === undefined
        ? <p class="soft">{status.failure.value?.message ?? healthText.unknown}</p>
        : (
          <dl class="facts">
            <Fact name={healthText.providers}>
              <Endpoints counts={read.endpoint_counts} />
            </Fact>
            <Fact name={healthText.store}>
              <StoreFact store={read.store} />
            </Fact>
            <Fact name={healthText.ledger}>
              <LedgerFact ledger={read.ledger} overrun={read.overrun} />
            </Fact>
            <Fact name={healthText.files}>
              <BlobsFact blobs={read.blobs} />
            </Fact>
            <Fact name={healthText.containers}>
              <ContainersFact sandbox={read.sandbox} />
            </Fact>
            {read.instances !== null && (
              <Fact name={healthText.instances}>{instancesText(read.instances)}</Fact>
            )}
            <Fact name={healthText.version}>{read.version}</Fact>
          </dl>
        )}
    </Dialog>
  );
}
