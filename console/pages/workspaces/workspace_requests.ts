/** Requests of a workspace in this month. */

import { app } from "../../app.ts";
import type { RequestsOf } from "../../components/requests_link.tsx";
import { periodStarts } from "../../models/workspace_spend.ts";

export function ofMonth(slug: string): RequestsOf {
  return { workspace: slug, since: periodStarts(app.minute.value).month };
}
