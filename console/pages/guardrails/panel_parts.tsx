/**
 * Parts that the panels of a guardrail and of a new one share: the choice of a view, and what keeps it from being
 * saved.
 */

import { useEffect, useRef } from "preact/hooks";
import { app } from "../../app.ts";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
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

/** Shows what could not be read or saved. What is wrong with one field is said there. */
export function Problem({ model }: { readonly model: GuardrailEditModel }) {
  const { unreadable, notSaved, notCreated, gone } = guardrailPanelText;
  return (
    <RecordProblem
      model={model}
      names={{ unreadable, notSaved: model.isNew ? notCreated : notSaved, gone }}
      isAtField={model.refusal.value !== undefined && model.problemView.value !== undefined}
    />
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
