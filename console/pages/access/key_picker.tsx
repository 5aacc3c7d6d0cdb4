/** API keys that are chosen, each with its name, and a search for more. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { shortId } from "../../format.ts";
import { KeyPickerModel } from "../../models/access/key_picker.ts";

interface KeyPickerText {
  /** Above the chosen keys. */
  readonly keys: string;
  /** Said where none is chosen. */
  readonly allKeys: string;
  readonly addKey: string;
  readonly addKeyHint: string;
  readonly noKeyFound: string;
  readonly found: string;
  readonly add: (name: string) => string;
  readonly remove: (name: string) => string;
  readonly deletedKey: string;
}

interface KeyPickerProps {
  /** Hashes of the chosen keys. */
  readonly chosen: readonly string[];
  readonly workspaceId: string | null;
  readonly disabled: boolean;
  readonly problem: string | undefined;
  readonly text: KeyPickerText;
  readonly onChange: (chosen: readonly string[]) => void;
}

function Line({ name, detail, action, icon, onClick }: {
  readonly name: string;
  readonly detail: string;
  readonly action: string;
  readonly icon: "close" | "plus";
  /** Undefined where the session may only look. */
  readonly onClick: (() => void) | undefined;
}) {
  return (
    <li>
      <span class="cut">
        <bdi>{name}</bdi>
      </span>
      <span class="sub mono">{detail}</span>
      {onClick !== undefined && (
        <button
          type="button"
          class="button button-icon button-plain"
          aria-label={action}
          title={action}
          onClick={onClick}
        >
          <Icon name={icon} />
        </button>
      )}
    </li>
  );
}

function usePicker({ chosen, workspaceId }: KeyPickerProps): KeyPickerModel {
  const model = useMemo(() => new KeyPickerModel({ api: app.api, workspaceId }), [workspaceId]);
  useEffect(() => whenConnected(() => void model.find(model.typed.peek())), [model]);
  useEffect(() => {
    const abort = new AbortController();
    void model.names.read(chosen, abort.signal);
    return () => abort.abort();
  }, [model, chosen.join(" ")]);
  useEffect(() => () => model.stop(), [model]);
  return model;
}

export function KeyPicker(props: KeyPickerProps) {
  const { chosen, disabled, problem, text, onChange } = props;
  const model = usePicker(props);
  const nameOf = (hash: string) => {
    const name = model.names.of(hash);
    return name === null ? text.deletedKey : name ?? shortId(hash);
  };
  const found = model.found.value?.filter(({ hash }) => !chosen.includes(hash));
  return (
    <fieldset class="field">
      <legend class="label">{text.keys}</legend>
      {chosen.length === 0 && <p class="small soft">{text.allKeys}</p>}
      <ul class="holders" aria-label={text.keys}>
        {chosen.map((hash) => (
          <Line
            key={hash}
            name={nameOf(hash)}
            detail={shortId(hash)}
            action={text.remove(nameOf(hash))}
            icon="close"
            onClick={disabled ? undefined : () => onChange(chosen.filter((one) => one !== hash))}
          />
        ))}
      </ul>
      {!disabled && (
        <>
          <TextField
            label={text.addKey}
            hint={text.addKeyHint}
            problem={problem}
            value={model.typed.value}
            onInput={(typed) => void model.find(typed)}
          />
          {found?.length === 0 && <p class="small soft">{text.noKeyFound}</p>}
          <ul class="holders" aria-label={text.found}>
            {(found ?? []).map(({ hash, name, label }) => (
              <Line
                key={hash}
                name={name}
                detail={label}
                action={text.add(name)}
                icon="plus"
                onClick={() => onChange([...chosen, hash])}
              />
            ))}
          </ul>
        </>
      )}
    </fieldset>
  );
}
