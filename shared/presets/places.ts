/** Where a setting stands in a request's body, and how it is spelled there. */

import { isRecord } from "../util/json.ts";
import { ownValue } from "../util/own_value.ts";

export const presetApis = ["chat", "responses", "messages"] as const;
/** The APIs whose requests presets are made of, and fill in. */
export type PresetApi = (typeof presetApis)[number];

/** A request's body, or a preset's settings. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Place {
  /** The setting as presets spell it; undefined where the body does not say it. */
  readonly read: (body: Fields) => unknown;
  /** The body with the setting; as it was where the API has no words for the value. */
  readonly write: (body: Fields, value: unknown) => Fields;
}

type Translate = (value: unknown) => unknown;
const same: Translate = (value) => value;

interface PlaceOptions {
  /** Other names of the same. */
  readonly also?: readonly string[];
  /** From the API's spelling to that of presets, and back; undefined: there is none. */
  readonly fromApi?: Translate;
  readonly toApi?: Translate;
}

/** A field, or one of an object: `text.format`. Null counts as absent, as in every request. */
export function at(path: string, { also = [], fromApi = same, toApi = same }: PlaceOptions = {}): Place {
  return {
    read: (body) => {
      const found = [path, ...also].map((one) => valueAt(body, one)).find((value) => value !== undefined);
      return found === undefined ? undefined : fromApi(found);
    },
    write: (body, value) => {
      const spelled = toApi(value);
      return spelled === undefined ? body : withValue(body, { path, value: spelled });
    },
  };
}

export function valueAt(body: Fields, path: string): unknown {
  const [first = "", inner] = path.split(".");
  const value = ownValue(body, first) ?? undefined;
  if (inner === undefined) return value;
  return isRecord(value) ? ownValue(value, inner) ?? undefined : undefined;
}

interface Written {
  readonly path: string;
  readonly value: unknown;
}

export function withValue(body: Fields, { path, value }: Written): Fields {
  const [first = "", inner] = path.split(".");
  if (inner === undefined) return { ...body, [first]: value };
  const outer = ownValue(body, first);
  return { ...body, [first]: { ...(isRecord(outer) ? outer : {}), [inner]: value } };
}
