/** Headers that are sent with every message: names, and values that are not shown again. */

import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { type HeaderDraft, keepsValue } from "../../models/destinations/destination_draft.ts";
import { configText } from "../../text/gateway/destinations.ts";
import type { DestinationFieldsProps } from "./config_fields.tsx";

interface HeaderRowProps {
  readonly header: HeaderDraft;
  /** From 1. */
  readonly number: number;
  readonly disabled: boolean;
  readonly onType: (changes: Partial<HeaderDraft>) => void;
  readonly onRemove: () => void;
}

function HeaderRow({ header, number, disabled, onType, onRemove }: HeaderRowProps) {
  const remove = configText.removeHeader(number);
  return (
    <li class="with-button">
      <div class="grid-2 keep">
        <TextField
          label={configText.headerName}
          ariaLabel={configText.headerNameOf(number)}
          mono
          value={header.name}
          disabled={disabled}
          onInput={(name) => onType({ name })}
        />
        <TextField
          label={configText.headerValue}
          ariaLabel={configText.headerValueOf(number)}
          mono
          placeholder={keepsValue(header) ? configText.set : undefined}
          value={header.value}
          disabled={disabled}
          onInput={(value) => onType({ value })}
        />
      </div>
      {!disabled && (
        <button
          type="button"
          class="button button-icon button-plain"
          aria-label={remove}
          title={remove}
          onClick={onRemove}
        >
          <Icon name="trash" />
        </button>
      )}
    </li>
  );
}

export function HeaderRows({ draft: { headers }, problems, disabled, onType }: DestinationFieldsProps) {
  const change = (row: number, changes: Partial<HeaderDraft>) =>
    onType({ headers: headers.map((one) => one.row === row ? { ...one, ...changes } : one) });
  const add = () => {
    const row = Math.max(-1, ...headers.map((one) => one.row)) + 1;
    onType({ headers: [...headers, { row, name: "", value: "", stored: undefined }] });
  };
  return (
    <fieldset class="field">
      <legend class="label">{configText.labels.headers}</legend>
      <p class="hint">{headers.length === 0 ? configText.noHeaders : configText.hints.headers}</p>
      <ul class="filter-list" aria-label={configText.labels.headers}>
        {headers.map((header, at) => (
          <HeaderRow
            key={header.row}
            header={header}
            number={at + 1}
            disabled={disabled}
            onType={(changes) => change(header.row, changes)}
            onRemove={() => onType({ headers: headers.filter(({ row }) => row !== header.row) })}
          />
        ))}
      </ul>
      {problems.headers !== undefined && <p class="hint hint-bad" role="alert">{problems.headers}</p>}
      {!disabled && (
        <div>
          <button type="button" class="button" onClick={add}>
            <Icon name="plus" />
            {configText.addHeader}
          </button>
        </div>
      )}
    </fieldset>
  );
}
