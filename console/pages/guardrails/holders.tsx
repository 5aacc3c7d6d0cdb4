/** Which keys and members have a guardrail. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { app, whenConnected } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { GuardrailHoldersModel } from "../../models/guardrails/guardrail_holders.ts";
import type { GuardrailsModel } from "../../models/guardrails/guardrails.ts";
import { holdersText } from "../../text/guardrails.ts";

interface HoldersProps {
  readonly model: GuardrailHoldersModel;
}

/** One line: a name, and what can be done with it. */
function Line({ name, detail, action, icon, onClick }: {
  readonly name: string;
  readonly detail?: ComponentChildren;
  readonly action: string;
  readonly icon: "close" | "plus";
  readonly onClick: () => void;
}) {
  return (
    <li>
      <span class="cut">{name}</span>
      <span class="sub mono">{detail}</span>
      {app.session.canChange.value && (
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

/** That there are none, or more than are shown. */
function ListNote({ page, none }: {
  readonly page: { readonly data: readonly unknown[]; readonly total_count: number } | undefined;
  readonly none: string;
}) {
  if (page === undefined) return null;
  const { data, total_count: all } = page;
  if (data.length === 0) return <p class="small soft">{none}</p>;
  return data.length < all ? <p class="small soft">{holdersText.more(data.length, all)}</p> : null;
}

function AddKey({ model }: HoldersProps) {
  const found = model.found.value;
  return (
    <>
      <TextField
        label={holdersText.findKey}
        hint={holdersText.findHint}
        value={model.typedKey.value}
        onInput={(text) => void model.findKeys(text)}
      />
      {found?.length === 0 && <p class="small soft">{holdersText.noneFound}</p>}
      <ul class="holders" aria-label={holdersText.found}>
        {(found ?? []).map(({ hash, name, label }) => (
          <Line
            key={hash}
            name={name}
            detail={label}
            action={holdersText.addKey(name)}
            icon="plus"
            onClick={() => void model.addKey(hash)}
          />
        ))}
      </ul>
    </>
  );
}

function Keys({ model }: HoldersProps) {
  const page = model.keys.data.value;
  return (
    <section aria-label={holdersText.keys}>
      <h3>{holdersText.keys}</h3>
      <Refusal title={holdersText.notChanged} error={model.keyRefusal.value} />
      <ListNote page={page} none={holdersText.noKeys} />
      <ul class="holders" aria-label={holdersText.keys}>
        {(page?.data ?? []).map(({ key_hash: hash, key_name: name, key_label: label }) => (
          <Line
            key={hash}
            name={name}
            detail={label}
            action={holdersText.removeKey(name)}
            icon="close"
            onClick={() => void model.removeKey(hash)}
          />
        ))}
      </ul>
      {app.session.canChange.value && <AddKey model={model} />}
    </section>
  );
}

function AddMember({ model }: HoldersProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    void model.addMember();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <TextField
        label={holdersText.member}
        hint={holdersText.memberHint}
        problem={model.memberRefusal.value?.message}
        value={model.typedMember.value}
        onInput={(text) => {
          model.typedMember.value = text;
        }}
      />
      <div>
        <button type="submit" class="button" disabled={model.typedMember.value.trim() === ""}>
          {holdersText.addMember}
        </button>
      </div>
    </form>
  );
}

function Members({ model }: HoldersProps) {
  const page = model.members.data.value;
  return (
    <section aria-label={holdersText.members}>
      <h3>{holdersText.members}</h3>
      <ListNote page={page} none={holdersText.noMembers} />
      <ul class="holders" aria-label={holdersText.members}>
        {(page?.data ?? []).map(({ user_id: user }) => (
          <Line
            key={user}
            name={user}
            action={holdersText.removeMember(user)}
            icon="close"
            onClick={() => void model.removeMember(user)}
          />
        ))}
      </ul>
      {app.session.canChange.value && <AddMember model={model} />}
    </section>
  );
}

export function Holders({ guardrail, list }: {
  readonly guardrail: GuardrailRecord;
  readonly list: GuardrailsModel;
}) {
  const { id, workspace_id: workspaceId } = guardrail;
  const model = useMemo(
    () =>
      new GuardrailHoldersModel({ api: app.api, id, workspaceId, onChange: () => void list.loadCounts() }),
    [id],
  );
  useEffect(() => whenConnected(() => void model.load()), [model]);
  useEffect(() => () => model.stop(), [model]);
  return (
    <>
      <Refusal
        title={holdersText.unreadable}
        error={model.keys.failure.value ?? model.members.failure.value}
      />
      <Keys model={model} />
      <Members model={model} />
    </>
  );
}
