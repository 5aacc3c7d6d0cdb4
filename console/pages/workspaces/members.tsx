/** Shows the members of a workspace. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { MembersModel } from "../../models/members.ts";
import { workspacePanelText } from "../../text/workspaces.ts";

function AddMember({ model }: { readonly model: MembersModel }) {
  const submit = (event: Event) => {
    event.preventDefault();
    void model.add();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <TextField
        label={workspacePanelText.memberLabel}
        hint={workspacePanelText.memberHint}
        problem={model.refusal.value?.message}
        value={model.typed.value}
        onInput={(text) => {
          model.typed.value = text;
        }}
      />
      <div>
        <button type="submit" class="button" disabled={model.typed.value.trim() === ""}>
          {workspacePanelText.addMember}
        </button>
      </div>
    </form>
  );
}

export function Members({ id }: { readonly id: string }) {
  const model = useMemo(() => new MembersModel(id, app.api), [id]);
  useEffect(() => whenConnected(() => void model.list.load()), [model]);
  const members = model.list.data.value?.data;
  const canChange = app.session.canChange.value;
  return (
    <section aria-label={workspacePanelText.members}>
      <h3>{workspacePanelText.members}</h3>
      {members?.length === 0 && <p class="small soft">{workspacePanelText.noMembers}</p>}
      <ul class="legend-list">
        {(members ?? []).map(({ user_id }) => (
          <li key={user_id} class="row">
            <span class="cut">{user_id}</span>
            {canChange && (
              <button
                type="button"
                class="button button-icon button-plain push"
                aria-label={workspacePanelText.removeMember(user_id)}
                onClick={() => void model.remove(user_id)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {canChange && <AddMember model={model} />}
    </section>
  );
}
