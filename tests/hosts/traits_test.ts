import assert from "node:assert/strict";
import type { HostTrait } from "../../server/protocols/canonical/endpoint_words.ts";
import { type WireId, wireIds } from "../../server/protocols/canonical/item.ts";
import { familyTraitsOf } from "../../server/providers/family_traits.ts";
import { type Json, objects } from "../mocks/published.ts";
import type { ProviderSpec } from "../support/gateway.ts";
import { traitCases } from "./trait_cases.ts";
import { type Holder, type TraitHolders, traitHolders, wiresOf } from "./trait_holders.ts";
import { saidBy, type TraitRig, withTraitRig } from "./trait_rig.ts";

/** A model where a trait must hold. */
interface Target {
  readonly name: string;
  readonly model: string;
  readonly wire: WireId;
  /** The row of the configuration file by which it is there; absent for a built-in host. */
  readonly row?: ProviderSpec;
}

/** By the model's name some wires know what it takes. */
const usualModels: { readonly [W in WireId]: string } = {
  responses: "some-model",
  chat: "some-model",
  messages: "claude-haiku-4-5",
  gemini: "gemini-3-flash",
  bedrock: "anthropic.claude-haiku-4-5",
};

const idOf = (...words: readonly string[]) => words.join("-").toLowerCase().replace(/[^a-z0-9]+/g, "-");

interface Setting {
  readonly name: string;
  readonly wire: WireId;
  readonly upstream?: string;
  readonly quirks?: ProviderSpec;
  readonly parameters?: readonly string[];
  /** Traits of the model's own row. */
  readonly traits?: readonly HostTrait[];
}

function rowTarget(
  { name, wire, upstream = usualModels[wire], quirks = {}, parameters, traits }: Setting,
): Target {
  const id = idOf(name, wire);
  const model = {
    id: `traits/${id}`,
    upstream_id: upstream,
    input_modalities: ["text", "image", "file"],
    supported_parameters: parameters,
    traits,
  };
  const row = { id, wire, quirks: { developer_role: "system", ...quirks }, models: [model] };
  return { name: `${name} on ${wire}`, model: model.id, wire, row };
}

/** A model whose own row has the trait, beside others of one provider. */
function modelTarget({ trait }: TraitHolders, wire: WireId): Target {
  const { parameters } = traitCases[trait];
  const target = rowTarget({ name: `${trait} of the model`, wire, traits: [trait], parameters });
  return { ...target, row: { ...target.row, id: `models-${wire}` } };
}

/** Rows of one id as one, with the models of all. */
function joinRows(rows: readonly ProviderSpec[]): readonly ProviderSpec[] {
  const byId = Map.groupBy(rows, ({ id }) => id);
  return [...byId.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, models: [first, ...others].flatMap(({ models }) => objects(models)) }]
  );
}

function targetsOf({ trait, rule }: TraitHolders, holder: Holder): readonly Target[] {
  const { parameters } = traitCases[trait];
  if (holder.type === "wire") return [rowTarget({ name: `${trait} wire`, wire: holder.wire, parameters })];
  if (holder.type === "host") {
    const { id, wire } = holder.host;
    return [{ name: id, model: `${id}/${usualModels[wire]}`, wire }];
  }
  const { examples, wires = wiresOf(rule) } = holder.family;
  return wires.flatMap((wire) =>
    examples.map((upstream) => rowTarget({ name: `${trait} ${upstream}`, wire, upstream }))
  );
}

/** Targets for every holder of the trait, and on each wire an operator's own server or model with the trait set. */
function allTargets(one: TraitHolders): readonly Target[] {
  const { parameters } = traitCases[one.trait];
  const set = wiresOf(one.rule).map((wire) =>
    rowTarget({ name: `${one.trait} set`, wire, quirks: { traits: [one.trait] }, parameters })
  );
  const ofModel = wiresOf(one.rule).map((wire) => modelTarget(one, wire));
  return [...one.holders.flatMap((holder) => targetsOf(one, holder)), ...set, ...ofModel];
}

/** Texts of reasoning items, which are not in the text. */
function thoughtsOf({ output }: Json): readonly unknown[] {
  const items = objects(output);
  assert.doesNotMatch(JSON.stringify(items.filter(({ type }) => type === "message")), /think>/);
  return items.filter(({ type }) => type === "reasoning").flatMap(({ content }) =>
    objects(content).map(({ text }) => text)
  );
}

interface Verified {
  readonly trait: TraitHolders["trait"];
  readonly target: Target;
}

async function verifyTrait(rig: TraitRig, { trait, target }: Verified): Promise<void> {
  const { verify, dropped = [], thoughts, ...question } = traitCases[trait];
  const answered = await rig.ask(target, question);
  verify(answered.sent);
  for (const name of dropped) assert.ok(answered.dropped.includes(name), `${name} in ${answered.dropped}`);
  assert.ok(saidBy(answered.result), "the answer comes back");
  if (thoughts !== undefined) assert.deepEqual(thoughtsOf(answered.result), [thoughts]);
}

Deno.test("every trait holds at every host, on every wire and for every family that has it", async (t) => {
  const table = traitHolders.map((one) => ({ one, targets: allTargets(one) }));
  const rows = table.flatMap(({ targets }) => targets.flatMap(({ row }) => row === undefined ? [] : [row]));
  await withTraitRig(joinRows(rows), async (rig) => {
    for (const { one, targets } of table) {
      for (const target of targets) {
        await t.step(`${one.trait}: ${target.name}`, () => verifyTrait(rig, { trait: one.trait, target }));
      }
    }
  });
});

Deno.test("families are known by their models' names, and nobody else is taken for one of them", () => {
  const others = [
    "gpt-4o",
    "gpt-35-turbo",
    "gpt-41",
    "gpt-4.1-mini",
    "gpt-5-chat-latest",
    "gpt-oss-120b",
    "grok-3",
  ];
  for (const name of [...others, "openai/o-model", "command-a", "some-model"]) {
    for (const wire of wireIds) assert.deepEqual(familyTraitsOf(name, wire), [], name);
  }
});
