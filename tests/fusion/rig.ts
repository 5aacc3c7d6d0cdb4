/** A gateway whose models are those of a run: an outer model, a panel and an analyst, behind one mock of a wire. */

import { searchEngineVariables } from "../../server/config/search_settings.ts";
import type { Plan, Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { SEARCH_KEY, type SearchMock, startSearchMock } from "../mocks/search_upstream.ts";
import type { Mock } from "../mocks/serve.ts";
import { type MockedWire, upstreams } from "../mocks/upstreams.ts";
import { calls, planOf, price, says } from "../server_tools/rig.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  PROVIDER_KEY,
  providerAt,
  startGateway,
} from "../support/gateway.ts";
import { until } from "../support/until.ts";

type Said = readonly Planned[] | Plan;

/** Answers of the models; each is told the turn of its own, from 0. */
export interface Script {
  readonly outer?: (turn: number, body: Json) => Said;
  /** By the model's name at the provider. */
  readonly member?: (model: string, turn: number) => Said;
  readonly analyst?: (turn: number, body: Json) => Said;
}

export const ANALYSIS = {
  consensus: ["All greet."],
  contradictions: [{ topic: "Tone", stances: [{ model: "alpha/mock", stance: "warm" }] }],
  partial_coverage: [{ models: ["alpha/mock"], point: "Names" }],
  unique_insights: [{ model: "beta/mock", insight: "Brevity" }],
  blind_spots: ["Time"],
} as const;

export const callsFusion = calls("fusion", { id: "call_fusion" });

export interface FusionRig {
  readonly gateway: Gateway;
  readonly mock: Mock;
  readonly search: SearchMock;
  /** Sets what the models say from now on, and forgets what they were sent. */
  readonly plan: (script: Script) => void;
  /** Bodies that a model was sent since then, the analyst's apart. */
  readonly sentTo: (model: string) => readonly Json[];
  readonly sentToAnalyst: () => readonly Json[];
}

export interface FusionOptions extends GatewayOptions {
  readonly wire?: MockedWire;
  /** Models besides `outer/mock`: by default `alpha/mock` and `beta/mock`. A fault stands at the end of a name. */
  readonly models?: readonly string[];
  /** Fields of single models. */
  readonly facts?: Readonly<Record<string, Json>>;
  readonly searches?: boolean;
}

const isAnalyst = (body: Json): boolean => JSON.stringify(body).includes("Several models have answered");

/** How a model is called at its provider. */
const upstreamName = (wire: MockedWire, model: string): string =>
  upstreams[wire].prefix + model.replace("/", "-");

const pair = ["alpha/mock", "beta/mock"];

class Models {
  #script: Script = {};
  readonly #turns = new Map<string, number>();

  plan(script: Script): void {
    this.#script = script;
    this.#turns.clear();
  }

  answer(body: Json): Said {
    const { outer, member, analyst } = this.#script;
    const model = String(body.model);
    if (isAnalyst(body)) return analyst?.(this.#turnOf("analyst"), body) ?? [says(JSON.stringify(ANALYSIS))];
    const turn = this.#turnOf(model);
    if (!model.endsWith("outer-mock")) return member?.(model, turn) ?? [says(`I am ${model}.`)];
    return outer?.(turn, body) ?? (turn === 0 ? [callsFusion] : [says("The answer.")]);
  }

  #turnOf(who: string): number {
    const turn = this.#turns.get(who) ?? 0;
    this.#turns.set(who, turn + 1);
    return turn;
  }
}

export async function withFusion(
  options: FusionOptions,
  test: (rig: FusionRig) => Promise<void>,
): Promise<void> {
  const { wire = "chat", models: names = pair, facts = {}, searches = true, env, ...rest } = options;
  const models = new Models();
  await using stack = new AsyncDisposableStack();
  const search = stack.use(startSearchMock("exa", { hits: [] }));
  const mock = upstreams[wire].start({ apiKey: PROVIDER_KEY, answer: (body) => planOf(models.answer(body)) });
  stack.defer(() => mock.close());
  const provider = providerAt(mock.url, {
    wire,
    models: ["outer/mock", ...names].map((id) => ({
      ...mockModel,
      id,
      upstream_id: upstreamName(wire, id),
      max_output_tokens: 20_000,
      pricing: price,
      ...facts[id],
    })),
  });
  const engine = searches ? { [searchEngineVariables.exa]: SEARCH_KEY } : {};
  await using gateway = await startGateway({
    ...rest,
    env: { ...engine, ...env },
    providers: [provider],
    file: { search: { exa: { base_url: search.url, price: "0.001" } }, ...rest.file },
  });
  let from = 0;
  const since = () => mock.requests.slice(from).map(({ body }) => body);
  await test({
    gateway,
    mock,
    search,
    plan: (next) => {
      models.plan(next);
      from = mock.requests.length;
    },
    sentTo: (model) => since().filter((body) => body.model === upstreamName(wire, model) && !isAnalyst(body)),
    sentToAnalyst: () => since().filter(isAnalyst),
  });
  await until(() => mock.open() === 0, { what: "that no call of the provider is open" });
}

/** A tool with a panel. */
export const fusionTool = (models: readonly string[], more: Json = {}): Json => ({
  type: "openrouter:fusion",
  parameters: { analysis_models: models, ...more },
});
