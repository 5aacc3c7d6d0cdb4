/** Saves what is typed, or leads to the first field with which something is wrong. */

import { app } from "../../app.ts";
import type { DestinationEditModel } from "../../models/destinations/destination_edit.ts";

/** False where it was not saved. */
export async function saveOrShow(model: DestinationEditModel): Promise<boolean> {
  if (await model.save()) return true;
  app.clock.after(0, () => {
    const wrong = document.querySelector<HTMLElement>(".panel [aria-invalid], .panel .hint-bad");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.focus();
  });
  return false;
}
