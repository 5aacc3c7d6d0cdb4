/** The models of a run: those that were named, where they can be reached, else the best of another author. */

import { ApiError } from "../../../../shared/errors.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import { authorOf } from "../../routing/routers/fusion_router.ts";
import type { ModelFinder } from "../../routing/find_models.ts";
import { memberRequest } from "./fusion_requests.ts";
import type { FusionSettings } from "./fusion_settings.ts";

/** A model that can be called. */
export interface RunModel {
  /** As it is called: a name of the caller's or of a preset, with its variants. */
  readonly name: string;
  /** Id of the model that would answer. */
  readonly id: string;
  readonly candidate: RouteCandidate;
}

interface Replacement {
  readonly model: string;
  readonly by: string;
  /** The source of evidence that ranked the other one. */
  readonly evidence: string;
}

export interface RunModels {
  readonly panel: readonly RunModel[];
  readonly analyst: RunModel;
  readonly replaced: readonly Replacement[];
  /** Names for which nobody else was left. */
  readonly unreachable: readonly string[];
}

interface Choice {
  /** The client's. */
  readonly request: ModelRequest;
  readonly settings: FusionSettings;
  readonly finder: ModelFinder;
  /** The model that has called the tool; undefined where none has yet. */
  readonly caller: string | undefined;
}

/** Throws an ApiError (404) where nobody can be reached. */
export function chooseModels(choice: Choice): RunModels {
  const { settings: { panel: names, analyst: named }, request, caller } = choice;
  const reached = names.map((name) => reach(choice, name));
  const others = new OtherModels(choice, reached.filter((one) => one !== undefined));
  const replaced: Replacement[] = [];
  const unreachable: string[] = [];
  const panel = names.flatMap((name, at): readonly RunModel[] => {
    const model = reached[at];
    if (model !== undefined) return [model];
    const other = others.take(name);
    if (other === undefined) unreachable.push(name);
    else replaced.push({ model: name, by: other.id, evidence: others.evidence });
    return other === undefined ? [] : [other];
  });
  const [first] = panel;
  if (first === undefined) throw nobodyError(names);
  const wanted = named ?? caller ?? request.model ?? first.name;
  const found = reach(choice, wanted);
  const analyst = found ?? (caller === undefined ? undefined : reach(choice, caller)) ?? first;
  if (found === undefined) replaced.push({ model: wanted, by: analyst.id, evidence: "run" });
  return { panel, analyst, replaced, unreachable };
}

function nobodyError(names: readonly string[]): ApiError {
  const message = `No model of the fusion panel can be reached: ${names.join(", ")}. ` +
    "Name others in analysis_models; docs/fusion.md says how members are replaced.";
  return new ApiError("not_found", message, { metadata: { models: names } });
}

function reach({ request, settings, finder }: Choice, name: string): RunModel | undefined {
  const candidate = finder.find(memberRequest({ request, settings, model: name }));
  return candidate && { name, id: candidate.profile.endpoint.model.id, candidate };
}

/** Models that may stand in for members that cannot be reached, the best first. */
class OtherModels {
  readonly #choice: Choice;
  readonly #taken: Set<string>;
  readonly #authors: Set<string>;
  #ranked: ReturnType<ModelFinder["rank"]> | undefined;
  evidence = "";

  constructor(choice: Choice, panel: readonly RunModel[]) {
    this.#choice = choice;
    this.#taken = new Set(panel.map(({ id }) => id));
    this.#authors = new Set(panel.map(({ id }) => authorOf(id)));
  }

  /** One of an author that the panel does not have, else of another one than the missing model's. */
  take(missing: string): RunModel | undefined {
    const { request, settings, finder } = this.#choice;
    const { source, ids } = this.#ranked ??= finder.rank(
      memberRequest({ request, settings, model: missing }),
    );
    this.evidence = source;
    const author = authorOf(missing);
    const isOther = (id: string) => authorOf(id) !== author;
    return this.#first(ids, (id) => isOther(id) && !this.#authors.has(authorOf(id))) ??
      this.#first(ids, isOther);
  }

  #first(ids: readonly string[], suits: (id: string) => boolean): RunModel | undefined {
    for (const id of ids) {
      if (this.#taken.has(id) || !suits(id)) continue;
      const found = reach(this.#choice, id);
      if (found === undefined || this.#taken.has(found.id)) continue;
      this.#taken.add(id).add(found.id);
      this.#authors.add(authorOf(id));
      return found;
    }
    return undefined;
  }
}
