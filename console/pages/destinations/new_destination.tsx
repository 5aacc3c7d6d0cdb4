/** The panel of a new destination. */

import { useMemo } from "preact/hooks";
import { app } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { CreateFoot } from "../../components/forms/create_foot.tsx";
import { Panel } from "../../components/panel.tsx";
import { DestinationEditModel } from "../../models/destinations/destination_edit.ts";
import type { DestinationsModel } from "../../models/destinations/destinations.ts";
import { destinationPanelText } from "../../text/gateway/destinations.ts";
import { useUnsaved } from "../../unsaved.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";
import { ConfigFields } from "./config_fields.tsx";
import { Naming, Placing } from "./destination_fields.tsx";
import { saveOrShow } from "./save_or_show.ts";
import { WhatFields, WhichFields } from "./sending_fields.tsx";

function useModel(list: DestinationsModel): DestinationEditModel {
  return useMemo(() =>
    new DestinationEditModel({
      api: app.api,
      known: undefined,
      workspaceId: (chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id,
      onChange: (record) => {
        app.toasts.show(destinationPanelText.created(record.name), { tone: "good" });
        list.add(record);
        // In the place of the form, so that going back does not open it again.
        app.router.setQuery({ open: record.id });
      },
    }), []);
}

export function NewDestination({ list }: { readonly list: DestinationsModel }) {
  const model = useModel(list);
  useUnsaved("open", [{ isChanged: () => model.isChanged.peek(), discard: () => model.discard() }]);
  const close = () => list.openPanel(undefined);
  const draft = model.draft.value;
  if (draft === undefined) return null;
  const fields = {
    draft,
    problems: model.problems.value,
    record: undefined,
    disabled: false,
    onType: (changes: Partial<typeof draft>) => model.type(changes),
  };
  return (
    <Panel
      title={destinationPanelText.newTitle}
      names={destinationPanelText}
      onClose={close}
      foot={
        <CreateFoot
          model={model}
          names={destinationPanelText}
          onCancel={close}
          onCreate={() => saveOrShow(model)}
        />
      }
    >
      <Refusal title={destinationPanelText.notCreated} error={model.fault.value} />
      <Placing {...fields} />
      <Naming {...fields} />
      <ConfigFields {...fields} />
      <WhichFields {...fields} />
      <WhatFields {...fields} />
    </Panel>
  );
}
