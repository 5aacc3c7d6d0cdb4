/** Where a destination is sent: the fields of its type. Secrets are set, and not shown. */

import type { ShownDestination } from "../../../shared/observability/records.ts";
import type { DraftProps } from "../../components/forms/draft_props.ts";
import { TextField } from "../../components/forms/field.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { Icon } from "../../components/icon.tsx";
import {
  configShapes,
  type DestinationDraft,
  isSecretSet,
  type PlainName,
  type SecretName,
} from "../../models/destinations/destination_draft.ts";
import type { DestinationProblems } from "../../models/destinations/destination_problems.ts";
import { configText } from "../../text/gateway/destinations.ts";
import { HeaderRows } from "./header_rows.tsx";

export interface DestinationFieldsProps extends DraftProps<DestinationDraft> {
  readonly problems: DestinationProblems;
  /** Undefined for a new one. */
  readonly record: ShownDestination | undefined;
  readonly disabled: boolean;
}

const methods = ["POST", "PUT"].map((value) => ({ value, text: value }));

function PlainField({ name, ...props }: DestinationFieldsProps & { readonly name: PlainName }) {
  const { draft, problems, disabled, onType } = props;
  const isService = name === "endpoint" && draft.type === "s3";
  if (name === "method") {
    return (
      <RadioSegments
        label={configText.labels.method}
        choices={methods}
        value={draft.method}
        disabled={disabled}
        onChange={(method) => onType({ method })}
      />
    );
  }
  return (
    <TextField
      label={isService ? configText.s3Endpoint : configText.labels[name]}
      hint={isService ? configText.s3EndpointHint : configText.hints[name]}
      problem={problems[name]}
      mono
      value={draft[name]}
      disabled={disabled}
      onInput={(text) => onType({ [name]: text })}
    />
  );
}

function secretHint(name: SecretName, { draft, record }: DestinationFieldsProps): string {
  if (draft[name] === null) return configText.willBeRemoved;
  if (isSecretSet(record, name)) return configText.isSet;
  return record === undefined ? configText.hints[name] : configText.isNotSet(configText.hints[name]);
}

/** Takes a stored secret away, or leaves it after all. */
function RemoveSecret({ name, draft, onType }: DestinationFieldsProps & { readonly name: SecretName }) {
  const isRemoved = draft[name] === null;
  const label = (isRemoved ? configText.keepSecret : configText.removeSecret)(configText.labels[name]);
  return (
    <button
      type="button"
      class="button button-icon button-plain"
      aria-label={label}
      title={label}
      onClick={() => onType({ [name]: isRemoved ? "" : null })}
    >
      <Icon name={isRemoved ? "reload" : "trash"} />
    </button>
  );
}

function SecretField({ name, ...props }: DestinationFieldsProps & { readonly name: SecretName }) {
  const { draft, problems, record, disabled, onType } = props;
  const isSet = isSecretSet(record, name);
  const canRemove = !disabled && isSet && !configShapes[draft.type].needed.includes(name);
  const isRemoved = draft[name] === null;
  return (
    <div class={canRemove ? "with-button" : undefined}>
      <TextField
        label={configText.labels[name]}
        hint={secretHint(name, props)}
        problem={problems[name]}
        mono
        placeholder={record === undefined || isRemoved
          ? undefined
          : isSet
          ? configText.set
          : configText.notSet}
        value={draft[name] ?? ""}
        disabled={disabled || isRemoved}
        onInput={(text) => onType({ [name]: text })}
      />
      {canRemove && <RemoveSecret name={name} {...props} />}
    </div>
  );
}

export function ConfigFields(props: DestinationFieldsProps) {
  const { plain, secrets } = configShapes[props.draft.type];
  return (
    <section aria-label={configText.where}>
      <h3>{configText.where}</h3>
      {plain.map((name) => <PlainField key={name} name={name} {...props} />)}
      {secrets.map((name) => <SecretField key={name} name={name} {...props} />)}
      <HeaderRows {...props} />
    </section>
  );
}
