/** Deletes a destination, after saying what that means. */

import type { ShownDestination } from "../../../shared/observability/records.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import type { DestinationsModel } from "../../models/destinations/destinations.ts";
import { deleteDestinationText } from "../../text/gateway/destinations.ts";
import { discardAndGo } from "../../unsaved.ts";

const deleteDestination = operation<"destinations.delete">("DELETE", "/observability/destinations/:id");

export function DeleteDestination({ record: { id, name }, list, onClose }: {
  readonly record: ShownDestination;
  readonly list: DestinationsModel;
  readonly onClose: () => void;
}) {
  return (
    <DeleteDialog
      name={name}
      text={deleteDestinationText}
      work={() => app.api.call(deleteDestination, { params: { id } })}
      onDeleted={() => {
        onClose();
        discardAndGo();
        list.remove(id);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteDestinationText.text}</p>
    </DeleteDialog>
  );
}
