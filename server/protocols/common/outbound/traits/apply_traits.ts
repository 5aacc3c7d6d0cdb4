/**
 * The one place where the traits of an endpoint change a call: around the renderer of its wire, which need not know of
 * any host. Rules edit the request before it is rendered, or what was rendered, in the order of `traitRules`.
 */

import { type HostTrait, hostTraits } from "../../../canonical/endpoint_words.ts";
import type { WireId } from "../../../canonical/item.ts";
import type { EndpointTraits, Outbound } from "../../../wire.ts";
import { withoutOmittedMarks, withOwnKeys } from "./edit_keys.ts";
import { withOwnEfforts } from "./edit_reasoning.ts";
import { wireTraits } from "./wire_traits.ts";
import type { CallRule, EditableCall, RequestRule } from "./trait_rule.ts";
import { traitRules } from "./trait_rules.ts";

type Render = Outbound<unknown>["renderRequest"];

interface Rules {
  readonly request: readonly RequestRule[];
  readonly call: readonly CallRule[];
}

interface TraitsOptions {
  /** A key that is sent though the row may omit it. */
  readonly keep?: string;
}

/** Renders as `render` does, for a host and a model that take less than the wire. */
export function withTraits(wire: WireId, render: Render, { keep }: TraitsOptions = {}): Render {
  return (original, row) => {
    const endpoint = keep === undefined ? row : { ...row, omit: row.omit.filter((key) => key !== keep) };
    const rules = rulesFor(wire, endpoint);
    // Mostly nothing is dropped and nothing changes, so nothing is made for it.
    let dropped: Set<string> | undefined;
    let sent: Set<string> | undefined;
    const note = (words: string) => void (dropped ??= new Set()).add(words);
    const noteSent = (words: string) => void (sent ??= new Set()).add(words);
    const context = { wire, endpoint, request: original, note, noteSent };
    if (endpoint.efforts !== undefined) context.request = withOwnEfforts(original, context);
    if (endpoint.omit.length > 0) context.request = withoutOmittedMarks(context.request, context);
    for (const { edit } of rules.request) context.request = edit(context.request, context);
    const rendered = render(context.request, endpoint);
    let call: EditableCall = rendered;
    for (const { edit } of rules.call) call = edit(call, context);
    call = withOwnKeys(call, context);
    if (dropped === undefined && call === rendered) return rendered;
    const left = rendered.dropped.filter((words) => sent?.has(words) !== true);
    return { ...call, dropped: [...new Set([...left, ...dropped ?? []])] };
  };
}

/** By what a row says of its host: always the same lists, so that a call looks its rules up. */
const known = new Map<string, Rules>();

function rulesFor(wire: WireId, { traits = none }: EndpointTraits): Rules {
  const key = traits.length === 0 ? wire : `${wire} ${traits.join(" ")}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const rules = rulesOf(wire, new Set([...wireTraits[wire], ...traits]));
  known.set(key, rules);
  return rules;
}

const none: readonly HostTrait[] = [];

function rulesOf(wire: WireId, traits: ReadonlySet<HostTrait>): Rules {
  const all = hostTraits.filter((trait) => traits.has(trait)).map((trait) => traitRules[trait]);
  return {
    request: all.filter((rule) => rule.edits === "request"),
    call: all.filter((rule) => rule.edits === "call").filter(({ wires }) => wires.includes(wire)),
  };
}
