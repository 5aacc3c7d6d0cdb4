/** Spent, reserved and left as one bar. The numbers stand beside it as text; the bar repeats them for screen readers. */

import type { Tone } from "./icon.tsx";
import { formatLimit, formatUsd } from "../format.ts";
import { meterText } from "../text/common.ts";

interface MeterProps {
  /** Name of what is measured, for screen readers. */
  readonly name: string;
  /** USD. */
  readonly spent: number;
  readonly reserved?: number;
  /** Null where there is no limit: no bar is drawn then. */
  readonly limit: number | null;
  readonly tone?: Tone;
  readonly big?: boolean;
}

/** From 90 % on a limit is nearly reached. */
const WARN_SHARE = 0.9;

interface Measured extends Pick<MeterProps, "spent" | "reserved"> {
  readonly limit: number;
}

function meterTone({ spent, reserved = 0, limit }: Measured): Tone {
  if (spent >= limit) return "bad";
  return spent + reserved >= WARN_SHARE * limit ? "warn" : "good";
}

const percent = (share: number) => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

export function Meter({ name, spent, reserved = 0, limit, tone, big = false }: MeterProps) {
  if (limit === null) return null;
  const shown = tone ?? meterTone({ spent, reserved, limit });
  const classes = `meter${big ? " meter-big" : ""}${shown === "good" ? "" : ` meter-${shown}`}`;
  const share = (usd: number) => limit <= 0 ? 1 : usd / limit;
  const label = meterText({
    name,
    spent: formatUsd(spent),
    reserved: formatUsd(reserved),
    limit: formatLimit(limit),
  });
  const spentShare = Math.min(1, share(spent));
  return (
    <svg class={classes} role="img" aria-label={label}>
      <rect class="meter-track" width="100%" height="100%" />
      <rect
        class="meter-reserved"
        x={percent(spentShare)}
        width={percent(Math.min(share(reserved), 1 - spentShare))}
        height="100%"
      />
      <rect class="meter-spent" width={percent(spentShare)} height="100%" />
    </svg>
  );
}
