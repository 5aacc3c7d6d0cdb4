/** Records what routing looked at, for the receipt: with it routing can be run again over past requests. */

import type { RouteInput } from "../../../shared/receipts.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { RoutePlan } from "./route_plan.ts";
import { requestedNames } from "./selection/model_names.ts";
import type { RequestRequirements } from "./selection/request_requirements.ts";

/** Bytes of JSON. */
const LONGEST = 300;

const utf8 = new TextEncoder();

/** Room for the fields that are always short. */
const SHORT_FIELDS = 130;

export function routeInputOf(
  { models, stickyKey: { source }, requirements }: RoutePlan,
  { maxOutputTokens, provider }: Pick<ModelRequest, "maxOutputTokens" | "provider">,
): RouteInput {
  const input: RouteInput = { tokens: requirements.estimatedTokens };
  if (maxOutputTokens !== undefined) input.max_tokens = maxOutputTokens;
  if (source !== "request") input.sticky = source;
  const requires = requiredCapabilities(requirements);
  if (requires.length === 0 && models.length === 1 && provider === undefined) return input;
  const names = requestedNames(models);
  return withinLimit(input, {
    requires: requires.length === 0 ? undefined : requires,
    models: names.length === 1 ? undefined : [...names],
    preferences: provider,
  });
}

function requiredCapabilities({ inputs, outputs, speech, tools, hosted }: RequestRequirements): string[] {
  return [
    ...inputs,
    ...outputs.map((kind) => `output:${kind}`),
    ...(speech?.clones === true ? ["cloning"] : []),
    ...(tools ? ["tools"] : []),
    ...(hosted === undefined ? [] : [`hosted:${hosted.kind}`]),
  ];
}

/** Keeps the longer fields that fit into the limit; of the others only the name is kept. */
function withinLimit(
  input: RouteInput,
  longer: Pick<RouteInput, "requires" | "models" | "preferences">,
): RouteInput {
  let room = LONGEST - SHORT_FIELDS;
  const kept: Record<string, unknown> = {};
  const cut: string[] = [];
  for (const [name, value] of Object.entries(longer)) {
    if (value === undefined) continue;
    const length = utf8.encode(`"${name}":${JSON.stringify(value)},`).length;
    if (length > room) cut.push(name);
    else {
      kept[name] = value;
      room -= length;
    }
  }
  return { ...input, ...kept, ...(cut.length === 0 ? {} : { cut }) };
}
