/** Workspaces that may use a model, each with what its guardrails leave. */

import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Status } from "../../components/status.tsx";
import { createModelAccess, type ModelAccess, WORKSPACES_A_STEP } from "../../models/catalog/model_access.ts";
import { modelPanelText } from "../../text/models.ts";
import { workspaceName, workspaces } from "../../workspaces.ts";

function Line({ workspaceId, allowed, all, reason }: ModelAccess) {
  const tone = allowed === 0 ? "off" : allowed < all ? "warn" : "good";
  const text = allowed === 0
    ? modelPanelText.nobody
    : allowed < all
    ? modelPanelText.some(allowed, all)
    : modelPanelText.everything;
  const name = workspaceName(workspaceId);
  return (
    <li>
      <span class="stack-small">
        <a class="cut" href={app.router.link("/workspaces", { open: workspaceId })} title={name}>
          <bdi>{name}</bdi>
        </a>
        {allowed === 0 && reason !== undefined && (
          <span class="sub wrap-text">
            <bdi>{modelPanelText.notAllowed(reason)}</bdi>
          </span>
        )}
      </span>
      <Status tone={tone} text={text} />
    </li>
  );
}

export function ModelAccessList({ id }: { readonly id: string }) {
  const shown = useSignal(WORKSPACES_A_STEP);
  const parts = useMemo(() => {
    const workspaceIds = computed(() =>
      (workspaces.data.value ?? []).slice(0, shown.value).map((workspace) => workspace.id)
    );
    return { workspaceIds, access: createModelAccess(id, { api: app.api, workspaceIds }) };
  }, [id]);
  const { workspaceIds, access } = parts;
  const ids = workspaceIds.value;
  useEffect(() => whenConnected(() => void access.load()), [access, ids]);
  useEffect(() => () => access.stop(), [access]);
  const left = (workspaces.data.value?.length ?? 0) - ids.length;
  return (
    <section aria-label={modelPanelText.who}>
      <h3>{modelPanelText.who}</h3>
      <Refusal title={modelPanelText.accessUnreadable} error={access.failure.value} />
      <ul class="holders access" aria-label={modelPanelText.who} aria-busy={access.data.value === undefined}>
        {access.data.value === undefined
          ? ids.map((one) => (
            <li key={one}>
              <span class="bone bone-m" />
            </li>
          ))
          : access.data.value.map((one) => <Line key={one.workspaceId} {...one} />)}
      </ul>
      {left > 0 && (
        <div>
          <button
            type="button"
            class="button"
            onClick={() => {
              shown.value += WORKSPACES_A_STEP;
            }}
          >
            {modelPanelText.more(Math.min(left, WORKSPACES_A_STEP))}
          </button>
        </div>
      )}
    </section>
  );
}
