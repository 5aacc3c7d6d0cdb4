/** The form for a new workspace. */

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { workspaceRecordSchema } from "../../../shared/workspaces.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { TextField } from "../../components/forms/field.tsx";
import { fieldProblem } from "../../models/field_problem.ts";
import { slugOf, slugProblem } from "../../models/slug.ts";
import { newWorkspaceText, workspacePanelText } from "../../text/workspaces.ts";
import { workspaces } from "../../workspaces.ts";

const createWorkspace = operation<"workspaces.create">("POST", "/workspaces");

function useForm(onClose: (slug: string | undefined) => void) {
  const name = useSignal("");
  /** Undefined while it follows the name. */
  const slug = useSignal<string | undefined>(undefined);
  const tried = useSignal(false);
  const idempotencyKey = useMemo(() => crypto.randomUUID(), []);
  const typedSlug = () => slug.value ?? slugOf(name.value);
  const problems = useComputed(() => ({
    name: fieldProblem(workspaceRecordSchema.shape.name, name.value.trim(), {
      missing: newWorkspaceText.nameMissing,
    }),
    slug: slugProblem(typedSlug()),
  }));
  const action = useAction(async () => {
    tried.value = true;
    if (problems.value.name !== undefined || problems.value.slug !== undefined) return;
    const body = { name: name.value.trim(), slug: typedSlug().trim() };
    const { data } = await app.api.call(createWorkspace, { body, idempotencyKey });
    await workspaces.load();
    app.toasts.show(newWorkspaceText.created(data.name), { tone: "good" });
    onClose(data.slug);
  });
  return { name, slug, tried, problems, action };
}

/** `onClose` opens the workspace whose slug it is given. */
export function NewWorkspace({ onClose }: { readonly onClose: (slug: string | undefined) => void }) {
  const { name, slug, tried, problems, action } = useForm(onClose);
  const shown = tried.value ? problems.value : undefined;
  return (
    <ActionDialog
      title={newWorkspaceText.title}
      action={action}
      submit={newWorkspaceText.create}
      failed={newWorkspaceText.failed}
      onClose={() => onClose(undefined)}
    >
      <TextField
        label={workspacePanelText.name}
        problem={shown?.name}
        value={name.value}
        autofocus
        onInput={(text) => {
          name.value = text;
        }}
      />
      <TextField
        label={workspacePanelText.slug}
        hint={workspacePanelText.slugHint}
        problem={shown?.slug}
        value={slug.value ?? slugOf(name.value)}
        onInput={(text) => {
          slug.value = text;
        }}
      />
    </ActionDialog>
  );
}
