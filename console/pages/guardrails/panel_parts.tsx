/**
 * Parts that the panels of a guardrail and of a new one share: the choice of a view, and what keeps it from being
 * saved.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { app } from "../../app.ts";
import { Callout } from "../../components/callout.tsx";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import type { GuardrailsModel, GuardrailView } from "../../models/guardrails/guardrails.ts";
import { guardrailPanelText } from "../../text/guardrails.ts";

/** Links, so that every view of a guardrail has an address. */
export function Views({ views, current }: {
  readonly views: readonly GuardrailView[];
  readonly current: GuardrailView;
}) {
  const { path: { value: path }, query: { value: query } } = app.router;
  const nav = useRef<HTMLElement>(null);
  // On narrow screens not all fit.
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [
    current,
  ]);
  return (
    <nav ref={nav} class="tabs" aria-label={guardrailPanelText.viewsLabel}>
      {views.map((view) => (
        <a
          key={view}
          href={app.router.link(path, {
            ...Object.fromEntries(query),
            view: view === "rules" ? undefined : view,
          })}
          aria-current={view === current ? "page" : undefined}
        >
          {guardrailPanelText.views[view]}
        </a>
      ))}
    </nav>
  );
}

/** Scrolls to what appears above, however far the panel was scrolled. */
function Seen({ isShown, children }: { readonly isShown: boolean; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isShown) box.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  return <div ref={box}>{children}</div>;
}

function titleOf(model: GuardrailEditModel): string {
  if (model.isGone.value) return guardrailPanelText.gone;
  if (model.refusal.value === undefined) return guardrailPanelText.unreadable;
  return model.isNew ? guardrailPanelText.notCreated : guardrailPanelText.notSaved;
}

const textOf = (model: GuardrailEditModel, shown: Error): string =>
  model.isGone.value ? guardrailPanelText.goneText : shown.message;

/** Shows what could not be read or saved. What is wrong with one field is said there. */
export function Problem({ model }: { readonly model: GuardrailEditModel }) {
  const refusal = model.refusal.value;
  const shown = refusal ?? model.record.failure.value;
  if (shown === undefined) return null;
  const isAtField = refusal !== undefined && model.problemView.value !== undefined;
  return (
    <Seen key={shown.message} isShown={!isAtField}>
      <Callout tone="bad" live="alert">
        <b>{titleOf(model)}</b>
        <p class="soft">{isAtField ? guardrailPanelText.atField : textOf(model, shown)}</p>
        {model.isConflict.value && (
          <button type="button" class="link" onClick={() => void model.reload()}>
            {guardrailPanelText.reload}
          </button>
        )}
      </Callout>
    </Seen>
  );
}

/** Saves; where a field stands in the way, goes to it. */
export async function saveOrShow(model: GuardrailEditModel, list: GuardrailsModel): Promise<boolean> {
  if (await model.save()) return true;
  const view = model.problemView.value;
  if (view !== undefined) {
    list.show(view);
    // Once the view is there.
    app.clock.after(0, () => document.querySelector<HTMLElement>('.panel [aria-invalid="true"]')?.focus());
  }
  return false;
}
