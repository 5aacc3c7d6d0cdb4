/** The service that judges what the filters of a guardrail let through. */

import { guardedSides } from "../../../shared/external_guardrail.ts";
import { app } from "../../app.ts";
import { CheckGroup } from "../../components/forms/check_group.tsx";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { ChoiceRow } from "../../components/forms/segments.tsx";
import { type ExternalDraft, newExternal } from "../../models/guardrails/external_draft.ts";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { externalText } from "../../text/guardrails.ts";

const failChoices = (["closed", "open"] as const).map((value) => ({
  value,
  text: externalText.failChoices[value],
}));
const sideChoices = guardedSides.map((value) => ({ value, text: externalText.sides[value] }));

interface ServiceProps {
  readonly model: GuardrailEditModel;
  readonly service: ExternalDraft;
  readonly disabled: boolean;
}

function Address({ model, service: { url, header, timeout }, disabled }: ServiceProps) {
  const [urlFault, headerFault] = [model.serviceFault("url", url), model.serviceFault("header_env", header)];
  return (
    <>
      <TextField
        label={externalText.url}
        hint={urlFault === undefined ? externalText.urlHint : externalText.fault(urlFault)}
        problem={model.problem("external.url")}
        mono
        value={url}
        disabled={disabled}
        onInput={(typed) => model.typeExternal({ url: typed })}
      />
      <TextField
        label={externalText.header}
        hint={headerFault === undefined ? externalText.headerHint : externalText.fault(headerFault)}
        problem={model.problem("external.header_env")}
        mono
        value={header}
        disabled={disabled}
        onInput={(typed) => model.typeExternal({ header: typed })}
      />
      <TextField
        label={externalText.timeout}
        hint={externalText.timeoutHint}
        problem={model.problem("external.timeout_ms")}
        value={timeout}
        disabled={disabled}
        onInput={(typed) => model.typeExternal({ timeout: typed })}
      />
    </>
  );
}

function Service({ model, service, disabled }: ServiceProps) {
  return (
    <>
      <Address model={model} service={service} disabled={disabled} />
      <ChoiceRow
        label={externalText.fail}
        hint={externalText.failHint}
        choices={failChoices}
        value={service.fail}
        disabled={disabled}
        onChange={(fail) => model.typeExternal({ fail })}
      />
      <CheckGroup
        label={externalText.on}
        hint={externalText.onHint}
        problem={model.problem("external.on")}
        choices={sideChoices}
        chosen={service.on}
        disabled={disabled}
        onChange={(on) => model.typeExternal({ on })}
      />
    </>
  );
}

/** Puts the cursor where to go on once the section has changed. */
const focusFirst = (selector: string) =>
  app.clock.after(0, () => document.querySelector<HTMLElement>(`[data-external] ${selector}`)?.focus());

function AddOrRemove({ model, isThere, disabled }: Omit<ServiceProps, "service"> & {
  readonly isThere: boolean;
}) {
  const [text, icon] = isThere
    ? [externalText.remove, "trash"] as const
    : [externalText.add, "plus"] as const;
  const change = () => {
    model.type({ external: isThere ? null : newExternal });
    focusFirst(isThere ? "button" : "input");
  };
  return (
    <div>
      <button type="button" class="button" disabled={disabled} onClick={change}>
        <Icon name={icon} />
        {text}
      </button>
    </div>
  );
}

export function ExternalService({ model }: { readonly model: GuardrailEditModel }) {
  const service = model.draft.value?.external ?? null;
  const canChange = app.session.canChange.value;
  const disabled = !canChange || model.draft.value === undefined;
  const isWhole = model.issues.value.find(({ path }) => path === "external")?.message;
  return (
    <section aria-label={externalText.title} data-external>
      <h3>{externalText.title}</h3>
      <p class="small soft">{service === null ? externalText.none : externalText.hint}</p>
      {isWhole !== undefined && <p class="hint hint-bad" role="alert">{isWhole}</p>}
      {service !== null && <Service model={model} service={service} disabled={disabled} />}
      {canChange && <AddOrRemove model={model} isThere={service !== null} disabled={disabled} />}
    </section>
  );
}
