/** Deletes a workspace: first it is said what stands in the way, or what goes with it. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WorkspaceRecord } from "../../../shared/workspaces.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/forms/field.tsx";
import { formatUsd } from "../../format.ts";
import { createResource } from "../../resource.ts";
import { commonText } from "../../text/common.ts";
import { deleteWorkspaceText } from "../../text/workspaces.ts";
import { workspaces } from "../../workspaces.ts";

const listKeys = operation<"keys.list">("GET", "/keys");
const deleteWorkspace = operation<"workspaces.delete">("DELETE", "/workspaces/:id");

const SHOWN = 5;
const DEFAULT_SLUG = "default";

interface DeleteWorkspaceProps {
  readonly workspace: WorkspaceRecord;
  readonly onClose: () => void;
}

/** Its active keys: neither disabled nor expired. */
function useActiveKeys(workspaceId: string) {
  const keys = useMemo(() =>
    createResource(async (signal) => {
      const query = { workspace_id: workspaceId, sort: "created", limit: 100 } as const;
      const { data, next } = await app.api.call(listKeys, { query, signal });
      const now = app.clock.now();
      const active = data.filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now);
      return { active, more: next !== null && next !== undefined };
    }), [workspaceId]);
  useEffect(() => void keys.load(), [keys]);
  return keys;
}

export function DeleteWorkspace(props: DeleteWorkspaceProps) {
  const keys = useActiveKeys(props.workspace.id);
  const found = keys.data.value;
  if (found === undefined) {
    return (
      <Dialog title={deleteWorkspaceText.title(props.workspace.name)} onClose={props.onClose}>
        <Refusal title={deleteWorkspaceText.failed} error={keys.failure.value} />
        {keys.failure.value === undefined && <p class="soft">{deleteWorkspaceText.looking}</p>}
      </Dialog>
    );
  }
  return found.active.length > 0 ? <Blocked {...props} {...found} /> : <Confirm {...props} />;
}

type ActiveKeys = NonNullable<ReturnType<typeof useActiveKeys>["data"]["value"]>;

function Blocked({ workspace, active, more, onClose }: DeleteWorkspaceProps & ActiveKeys) {
  const href = app.router.link("/keys", { workspace: workspace.slug, state: "enabled" });
  const count = `${active.length}${more ? " or more" : ""}`;
  return (
    <Dialog
      title={deleteWorkspaceText.blockedTitle(workspace.name)}
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>{commonText.close}</button>
          <a class="button button-primary" href={href}>{deleteWorkspaceText.goToKeys}</a>
        </>
      }
    >
      <p>{deleteWorkspaceText.blocked(count)}</p>
      <table class="mini">
        <thead>
          <tr>
            <th scope="col">{deleteWorkspaceText.activeKey}</th>
            <th scope="col" class="num">{deleteWorkspaceText.spentToday}</th>
          </tr>
        </thead>
        <tbody>
          {active.slice(0, SHOWN).map(({ hash, name, usage_daily }) => (
            <tr key={hash}>
              <td>
                <a href={app.router.link("/keys", { workspace: workspace.slug, key: hash })}>{name}</a>
              </td>
              <td class="num">{formatUsd(usage_daily)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function Confirm({ workspace, onClose }: DeleteWorkspaceProps) {
  const isDefault = workspace.slug === DEFAULT_SLUG;
  const text = deleteWorkspaceText;
  const typed = useSignal("");
  const isReady = !isDefault || typed.value.trim() === DEFAULT_SLUG;
  return (
    <DeleteDialog
      name={workspace.name}
      text={isDefault ? { ...text, title: () => text.defaultTitle } : text}
      work={() => {
        const query = isDefault ? { confirm_default_workspace_deletion: "true" } : {};
        return app.api.call(deleteWorkspace, { params: { id: workspace.id }, query });
      }}
      onDeleted={() => {
        app.router.setQuery({ open: undefined, delete: undefined });
        onClose();
        void workspaces.load();
      }}
      disabled={!isReady}
      onClose={onClose}
    >
      {isDefault && (
        <Callout tone="bad">
          <b>{deleteWorkspaceText.defaultLead}</b>
          <p>{deleteWorkspaceText.defaultText}</p>
        </Callout>
      )}
      <p>{deleteWorkspaceText.text}</p>
      <p class="soft">{deleteWorkspaceText.receipts}</p>
      {isDefault && (
        <TextField
          label={deleteWorkspaceText.type(DEFAULT_SLUG)}
          value={typed.value}
          mono
          autofocus
          onInput={(text) => {
            typed.value = text;
          }}
        />
      )}
    </DeleteDialog>
  );
}
