/** A moment relative to now, with the exact time in UTC as its title. */

import { app } from "../app.ts";
import { formatAgo, formatMoment } from "../format.ts";

export function RelativeTime({ at }: { readonly at: string }) {
  return <time dateTime={at} title={formatMoment(at)}>{formatAgo(at, app.minute.value)}</time>;
}
