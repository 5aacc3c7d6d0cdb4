/** How an endpoint stands, and when it is tried again. */

import type { ModelEndpoint } from "../../../shared/management/gateway/models.ts";
import { app } from "../../app.ts";
import { Status } from "../../components/status.tsx";
import { formatSpan } from "../../format.ts";
import { modelsText, standingText } from "../../text/models.ts";
import { providersText } from "../../text/providers.ts";

type Standing = Pick<ModelEndpoint, "standing" | "rests_until" | "last_failure">;

interface StandingProps extends Standing {
  /** Number of endpoints that stand so, of how many. */
  readonly count?: { readonly of: number; readonly all: number };
}

const tones = { well: "good", probe: "off", cooling_down: "warn", misconfigured: "bad" } as const;

/** `38 s left: status 429`; undefined where there is nothing to say. */
function detailOf({ standing, rests_until, last_failure }: Standing): string | undefined {
  if (standing === "well") return undefined;
  const ms = rests_until === null ? 0 : Date.parse(rests_until) - app.minute.value;
  const parts = [ms > 0 ? standingText.left(formatSpan(ms)) : undefined, last_failure ?? undefined];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join(": ");
}

export function EndpointStanding({ count, ...endpoint }: StandingProps) {
  const { standing } = endpoint;
  const name = standingText[standing];
  const text = count === undefined || count.of === count.all || standing === "well"
    ? name
    : providersText.some(name, modelsText.ready(count.of, count.all));
  const detail = detailOf(endpoint);
  const waits = standing === "probe" || standing === "cooling_down";
  return (
    <>
      <Status tone={tones[standing]} icon={waits ? "clock" : undefined} text={text} />
      {detail !== undefined && (
        <span class="sub block cut" title={detail}>
          <bdi>{detail}</bdi>
        </span>
      )}
    </>
  );
}
