/** Tables for docs/providers.md of what hosts do not take of their wire: by trait, and by host. */

import { wireIds } from "../../server/protocols/canonical/item.ts";
import { wireTraits } from "../../server/protocols/common/outbound/traits/wire_traits.ts";
import { wireNames } from "../support/wire_names.ts";
import { type Holder, hosts, traitHolders, wiresOf } from "../hosts/trait_holders.ts";

function holderName(holder: Holder): string {
  if (holder.type === "host") return `\`${holder.host.id}\``;
  return holder.type === "family" ? holder.family.name : wireNames[holder.wire];
}

function holdersText(holders: readonly Holder[]): string {
  const wires = holders.filter(({ type }) => type === "wire");
  const others = holders.filter(({ type }) => type !== "wire" || wires.length < wireIds.length);
  const names = [...(wires.length === wireIds.length ? ["every wire"] : []), ...others.map(holderName)];
  return names.join(", ") || "–";
}

/** A row for each trait: what it means, and who has it. */
export function traitsTable(): string {
  const rows = traitHolders.map(({ trait, rule, holders }) => {
    const wires = wiresOf(rule);
    const where = wires.length === wireIds.length ? "all" : wires.map((wire) => wireNames[wire]).join(", ");
    return `| \`${trait}\` | ${rule.says} | ${rule.sent} | ${where} | ${holdersText(holders)} |`;
  });
  return [
    "| trait | the host … | it is sent | on the wires | holds for |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** A row for each host that has traits of its own. */
export function hostTraitsTable(): string {
  const rows = hosts.flatMap(({ id, wire, quirks: { traits = [] } }) => {
    const inherent = wireTraits[wire];
    const own = traits.filter((trait) => !inherent.includes(trait));
    return own.length === 0
      ? []
      : [`| \`${id}\` | ${wireNames[wire]} | ${own.map((trait) => `\`${trait}\``).join(", ")} |`];
  });
  return ["| host | wire | traits besides those of its wire |", "|---|---|---|", ...rows].join("\n");
}
