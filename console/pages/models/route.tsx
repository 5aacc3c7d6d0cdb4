/** Explains a route: what would become of a request, which endpoints are asked, and what took the others out. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { app } from "../../app.ts";
import { useAction } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { SwitchRow, TextAreaField, TextField } from "../../components/forms/field.tsx";
import { Segments } from "../../components/forms/segments.tsx";
import { countOf, formatUsd } from "../../format.ts";
import {
  type ExplainedRoute,
  RouteForm,
  type RouteLimit,
  routeModes,
} from "../../models/catalog/route_form.ts";
import { routeText } from "../../text/route.ts";
import { RouteTable } from "./route_table.tsx";

function Fields({ form }: { readonly form: RouteForm }) {
  if (form.mode.value === "body") {
    return (
      <TextAreaField
        label={routeText.body}
        hint={routeText.bodyHint}
        rows={10}
        mono
        value={form.body.value}
        onInput={(text) => {
          form.body.value = text;
        }}
      />
    );
  }
  return (
    <>
      <TextField
        label={routeText.model}
        hint={routeText.modelHint}
        mono
        value={form.model.value}
        onInput={(text) => {
          form.model.value = text;
        }}
      />
      <SwitchRow
        label={routeText.streamed}
        hint={routeText.streamedHint}
        checked={form.isStreamed.value}
        onChange={(checked) => {
          form.isStreamed.value = checked;
        }}
      />
      <SwitchRow
        label={routeText.tools}
        hint={routeText.toolsHint}
        checked={form.hasTools.value}
        onChange={(checked) => {
          form.hasTools.value = checked;
        }}
      />
    </>
  );
}

function Limit({ name, period, limit_usd, spend_usd, reserved_usd }: RouteLimit) {
  const words = {
    spent: formatUsd(spend_usd),
    limit: formatUsd(limit_usd),
    reserved: formatUsd(reserved_usd),
  };
  return (
    <>
      <dt class="wrap-text">
        <bdi>{routeText.limitName(name, period)}</bdi>
      </dt>
      <dd>{routeText.limit(words)}</dd>
    </>
  );
}

function Outcome({ route }: { readonly route: ExplainedRoute }) {
  const { reservation, exact } = route;
  const refusal = route.refusal ?? reservation?.refusal ?? null;
  const cap = reservation?.output_cap ?? null;
  const limits = reservation?.limits ?? [];
  return (
    <>
      <Callout tone={refusal === null ? "good" : "bad"} live="status">
        <b>{refusal === null ? routeText.allowed : routeText.refused(refusal.status)}</b>
        <p class="soft">
          {refusal !== null && <bdi>{refusal.message}</bdi>}
          {refusal === null && reservation !== null &&
            routeText.setAside(formatUsd(reservation.reserved_usd, 4))}
          {refusal === null && cap !== null && ` ${routeText.capped(countOf(cap, ["token", "tokens"]))}`}
        </p>
      </Callout>
      <dl class="facts route-facts">
        <dt>{routeText.order}</dt>
        <dd>{exact ? routeText.exact : routeText.drawn}</dd>
        {limits.length === 0 && (
          <>
            <dt>{routeText.limits}</dt>
            <dd>{routeText.noLimits}</dd>
          </>
        )}
        {limits.map((limit, at) => <Limit key={at} {...limit} />)}
      </dl>
    </>
  );
}

export function Route({ workspaceId, workspace }: {
  readonly workspaceId: ReadonlySignal<string | undefined>;
  /** Its name. */
  readonly workspace: string;
}) {
  const form = useMemo(() => new RouteForm({ api: app.api, workspaceId }), []);
  const route = useSignal<ExplainedRoute | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const action = useAction(async () => {
    problem.value = undefined;
    route.value = undefined;
    try {
      route.value = await form.explain();
    } catch (error) {
      problem.value = error instanceof Error ? error : new Error(String(error));
    }
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!action.busy.value) action.start();
  };
  return (
    <>
      <div class="grid-2">
        <form class="stack" noValidate onSubmit={submit}>
          <Segments
            label={routeText.request}
            choices={routeModes.map((value) => ({ value, text: routeText.modes[value] }))}
            value={form.mode.value}
            onChange={(mode) => {
              form.mode.value = mode;
            }}
          />
          <Fields form={form} />
          <TextField
            label={routeText.key}
            hint={routeText.keyHint(workspace)}
            value={form.keyName.value}
            onInput={(name) => {
              form.keyName.value = name;
            }}
          />
          <div>
            <button type="submit" class="button button-primary" disabled={action.busy.value}>
              {routeText.explain}
            </button>
          </div>
        </form>
        <section class="section" aria-label={routeText.order}>
          <Refusal title={routeText.failed} error={problem.value} />
          {route.value === undefined
            ? problem.value === undefined && <p class="soft">{routeText.before}</p>
            : <Outcome route={route.value} />}
        </section>
      </div>
      {route.value !== undefined && <RouteTable endpoints={route.value.candidates} />}
    </>
  );
}
