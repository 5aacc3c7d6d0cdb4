/** One destination beside the list: how far it is, where it sends, which receipts and what of them. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ShownDestination } from "../../../shared/observability/records.ts";
import { app, whenConnected } from "../../app.ts";
import { Id } from "../../components/copy.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Panel } from "../../components/panel.tsx";
import { Status } from "../../components/status.tsx";
import { DestinationEditModel } from "../../models/destinations/destination_edit.ts";
import { type DestinationsModel, destinationState } from "../../models/destinations/destinations.ts";
import { destinationPanelText, destinationsText } from "../../text/gateway/destinations.ts";
import { useEditedRow } from "../../unsaved.ts";
import { workspaceName } from "../../workspaces.ts";
import { ConfigFields } from "./config_fields.tsx";
import { DeleteDestination } from "./delete_destination.tsx";
import { Delivery } from "./delivery.tsx";
import { Naming } from "./destination_fields.tsx";
import { saveOrShow } from "./save_or_show.ts";
import { WhatFields, WhichFields } from "./sending_fields.tsx";

interface DestinationPanelProps {
  readonly record: ShownDestination;
  readonly list: DestinationsModel;
}

function Deletion({ record, list }: DestinationPanelProps) {
  const isOpen = useSignal(false);
  const show = (open: boolean) => () => {
    isOpen.value = open;
  };
  return (
    <section aria-label={destinationPanelText.delete}>
      <div>
        <button type="button" class="button button-warn-text" onClick={show(true)}>
          <Icon name="trash" />
          {destinationPanelText.delete}
        </button>
      </div>
      {isOpen.value && <DeleteDestination record={record} list={list} onClose={show(false)} />}
    </section>
  );
}

function useModel({ record: known, list }: DestinationPanelProps): DestinationEditModel {
  const model = useMemo(
    () => new DestinationEditModel({ api: app.api, known, onChange: (record) => list.replace(record) }),
    [known.id],
  );
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  useEditedRow({ row: known, list, editors: [model] });
  return model;
}

export function DestinationPanel({ record: known, list }: DestinationPanelProps) {
  const model = useModel({ record: known, list });
  const [record, draft] = [model.saved.value ?? known, model.draft.value];
  const fields = draft && {
    draft,
    problems: model.problems.value,
    record,
    disabled: !app.session.canChange.value,
    onType: (changes: Partial<typeof draft>) => model.type(changes),
  };
  return (
    <Panel
      title={record.name}
      names={destinationPanelText}
      about={
        <>
          <Status {...destinationState(record)} />
          <span class="faint">
            {`${destinationsText.types[record.type]} · `}
            <bdi>{workspaceName(record.workspace_id)}</bdi>
          </span>
          <Id id={record.id} />
        </>
      }
      onPrevious={list.neighbor(-1)}
      onNext={list.neighbor(1)}
      onClose={() => list.closePanel()}
      foot={model.isChanged.value || model.saving.value
        ? <SaveBar model={model} onSave={() => saveOrShow(model)} saved={destinationPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={destinationPanelText} />
      <Delivery record={record} model={model} />
      {fields !== undefined && (
        <>
          <Naming {...fields} />
          <ConfigFields {...fields} />
          <WhichFields {...fields} />
          <WhatFields {...fields} />
        </>
      )}
      {app.session.canChange.value && <Deletion record={record} list={list} />}
    </Panel>
  );
}
