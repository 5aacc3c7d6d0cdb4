/** A number that leads to the requests behind it. */

import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
import type { RequestFilters } from "../models/requests/request_filters.ts";
import { commonText } from "../text/common.ts";

export interface RequestsOf extends RequestFilters {
  /** When the requests ended: from `since` on, before `until`; ms since the epoch. The page's period without. */
  readonly since?: number;
  readonly until?: number;
  /** Slug or id of a workspace, in the place of the chosen one. */
  readonly workspace?: string;
}

/** A span between two moments that the Overview looks at goes along where the number has no time of its own. */
function shownSpan() {
  const { path, query } = app.router;
  return path.value === "" ? { since: query.value.get("since"), until: query.value.get("until") } : {};
}

/** The address of the requests that a number counts. */
export function requestsAddress({ since, until, workspace, ...filters }: RequestsOf): string {
  const moment = (at: number | undefined) => at === undefined ? undefined : new Date(at).toISOString();
  const own = { since: moment(since), until: moment(until) };
  return app.router.link("/requests", {
    ...filters,
    ...(since === undefined && until === undefined ? shownSpan() : own),
    ...(workspace === undefined ? {} : { workspace }),
  });
}

export function RequestsLink({ of, children }: {
  readonly of: RequestsOf;
  readonly children: ComponentChildren;
}) {
  return <a class="figure" href={requestsAddress(of)} title={commonText.showRequests}>{children}</a>;
}
