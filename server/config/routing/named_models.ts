/** Models that the configuration file names outside of its tables: by their ids or by its own aliases. */

import { namesFusion } from "../../../shared/fields/fusion.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { MODEL_OR_ALIAS, modelId } from "./model_ids.ts";

interface NamingFile {
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly default_model?: string;
  readonly auto: { readonly default_models: readonly string[]; readonly classifier: string };
}

interface NamingFault {
  /** `auto.default_models[0]` */
  readonly place: string;
  readonly name: string;
  /** Is allowed there, or is wrong with it. */
  readonly message: string;
}

/** Finds the first name that is neither a model's id nor an alias, or that may not stand where it does. */
export function namingFault(file: NamingFile): NamingFault | undefined {
  const { aliases, default_model, auto: { default_models, classifier } } = file;
  const places: readonly (readonly [place: string, name: string])[] = [
    ...(default_model === undefined ? [] : [["default_model", default_model] as const]),
    ...default_models.map((name, at) => [`auto.default_models[${at}]`, name] as const),
    ...(classifier === "local" ? [] : [["auto.classifier", classifier] as const]),
  ];
  for (const [place, name] of places) {
    if (membersOf(aliases, name) === undefined && !modelId.safeParse(name).success) {
      const message = place === "auto.classifier" ? CLASSIFIER : MODEL_OR_ALIAS;
      return { place, name, message };
    }
  }
  return classifier !== "local" && membersOf(aliases, classifier)?.some(namesFusion)
    ? { place: "auto.classifier", name: classifier, message: FUSION_ALIAS }
    : undefined;
}

interface RefusedName {
  readonly name: unknown;
  /** The words that refuse it. */
  readonly received: string;
}

/** Advice on an alias that stands where words ask for a model's own id; empty for everything else. */
export function aliasAdvice(file: unknown, { name, received }: RefusedName): string {
  const aliases = isRecord(file) && received.startsWith("a model id") ? file.aliases : undefined;
  return typeof name === "string" && isRecord(aliases) && Object.hasOwn(aliases, name)
    ? "; it is an alias: name what it stands for"
    : "";
}

/** Values that are allowed for `auto.classifier`. */
export const CLASSIFIER = '"local", or a model id such as acme/llama, or an alias of this file';
const FUSION_ALIAS = "it stands for a slug of fusion, which would ask a whole panel; name a model";

/** Variants may stand behind an alias. */
const membersOf = (aliases: NamingFile["aliases"], name: string): readonly string[] | undefined =>
  ownValue(aliases, name) ?? ownValue(aliases, name.replace(/:.*$/, ""));
