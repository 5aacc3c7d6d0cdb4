/**
 * Families of models by their ids. Of two models with the same author, the same words and the same size, the one with
 * the higher version is newer: `claude-opus-5.5` after `claude-opus-5`, while `gpt-6-mini` is no successor of `gpt-5`.
 */

/** A model as the catalog lists it. */
export interface DatedModel {
  readonly id: string;
  /** Unix seconds; 0 where nobody has told. */
  readonly created: number;
}

/** Parts of an id that order the models of one family. */
interface FamilyPlace {
  /** Author and words, with a mark where the version stands. */
  readonly family: string;
  /** Each part of the version as it is written; empty where there is only a day. */
  readonly version: readonly string[];
  /** Digits of the day behind it; empty for none. */
  readonly day: string;
  /** Announced as a trial of what follows. */
  readonly isPreview: boolean;
}

const PREVIEW = /^(?:preview|beta|exp|experimental)$/;
const DAY = /-(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)-(\d{4})|(\d\d)-(\d\d)|(\d{8}|\d{4}))(?=-|$)/;
/** `27b`, `2.4t`, `a3b`, `8x22b`: how large it is, never which version. */
const SIZE = /^[a-z]?\d+(?:x\d+)?(?:\.\d+)?[bmt]$/;
const NUMBERED = /^([a-z]*)(\d\d?(?:\.\d\d?)*)([a-z]?)$/;

/**
 * The place of a model in its family; undefined for names that move (`…-latest`), for variants (`…:free`), and for ids
 * that tell no version.
 */
export function familyPlace(id: string): FamilyPlace | undefined {
  const plain = id.toLowerCase();
  if (plain.startsWith("~") || /:[a-z]+$/.test(plain) || /-latest(?:-|$)/.test(plain)) return undefined;
  const slash = plain.lastIndexOf("/");
  const slug = plain.slice(slash + 1);
  const day = DAY.exec(slug);
  const words: string[] = [];
  const version: string[] = [];
  let isPreview = false;
  let groups = 0;
  for (const token of (day === null ? slug : slug.replace(DAY, "")).split("-")) {
    const [, letters = "", number, suffix = ""] = SIZE.test(token) ? [] : NUMBERED.exec(token) ?? [];
    const isPart = number !== undefined && letters === "" && suffix === "" && words.at(-1) === MARK;
    if (isPart) version.push(...number.split("."));
    else if (number !== undefined) {
      groups++;
      version.push(...number.split("."));
      words.push(...letters === "" ? [] : [letters], ...suffix === "" ? [] : [suffix], MARK);
    } else if (PREVIEW.test(token)) isPreview = true;
    else words.push(token);
  }
  if (groups > 1 || (groups === 0 && day === null)) return undefined;
  return { family: `${plain.slice(0, slash)}/${words.join("-")}`, version, day: dayDigits(day), isPreview };
}

/** Stands where the version was. */
const MARK = "#";

function dayDigits(found: RegExpExecArray | null): string {
  if (found === null) return "";
  const [, year = "", month = "", date = "", monthBefore = "", yearBehind = "", ...rest] = found;
  return year + month + date + yearBehind + monthBefore + rest.join("");
}

/** A model with its place. */
interface Placed {
  readonly id: string;
  readonly created: number;
  readonly place: FamilyPlace;
}

const placed = ({ id, created }: DatedModel): readonly Placed[] => {
  const place = familyPlace(id);
  return place === undefined ? [] : [{ id, created, place }];
};

/** Whether a model is newer than another one of its family; false too where the ids do not tell. */
export function isNewer(one: DatedModel, other: DatedModel): boolean {
  const [[a], [b]] = [placed(one), placed(other)];
  return a !== undefined && b !== undefined && a.place.family === b.place.family && follows(a, b);
}

/** The same of two models of one family. */
function follows({ place: a, ...one }: Placed, { place: b, ...other }: Placed): boolean {
  if (one.created > 0 && other.created > 0 && one.created < other.created) return false;
  const order = compareVersions(a.version, b.version);
  if (order !== 0) return order > 0;
  if (a.isPreview !== b.isPreview) return b.isPreview && a.day === "" && b.day === "";
  // A name without a day is that of the first release, one with a day that of a later one.
  if (a.day === "" || b.day === "") return a.day !== "" && b.day === "";
  return a.day.length === b.day.length && a.day > b.day;
}

/** Above 0: the first is higher; NaN: nobody can say, as for 4.20 and 4.3. */
export function compareVersions(one: readonly string[], other: readonly string[]): number {
  if ((one.length === 0) !== (other.length === 0)) return NaN;
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [a = "0", b = "0"] = [one[at], other[at]];
    if (a === b) continue;
    if (a.length !== b.length && at > 0) return NaN;
    return Number(a) - Number(b);
  }
  return 0;
}

/** A whole day of eight digits names the release; four digits may be those of a later version. */
const RELEASE_DAY = 8;

/** The model with a day that a name without one stands for: where the catalog has exactly one of that version. */
function releaseOf({ place }: Placed, family: readonly Placed[]): Placed | undefined {
  if (place.day !== "") return undefined;
  const version = place.version.join(".");
  const [only, ...more] = family.filter(({ place }) =>
    place.day !== "" && place.version.join(".") === version
  );
  return more.length === 0 && only?.place.day.length === RELEASE_DAY ? only : undefined;
}

/** The newest of the models that a model follows. */
const predecessorOf = (model: Placed, older: readonly Placed[]): Placed | undefined =>
  older.reduce<Placed | undefined>(
    (best, one) => follows(model, one) && (best === undefined || follows(one, best)) ? one : best,
    undefined,
  );

/** Tells for each model without a figure, `measured` being the ids that have one, whose it inherits as a lower bound. */
export type Inheritances = (measured: ReadonlySet<string>) => ReadonlyMap<string, string>;

/**
 * Indexes the models of a catalog. One without a figure inherits that of its dated release, else of the newest older
 * model of its family; models that inherit nothing are left out.
 */
export function indexFamilies(models: readonly DatedModel[]): Inheritances {
  const members = models.flatMap(placed);
  const families = Map.groupBy(members, ({ place }) => place.family);
  const known = new Map(models.map((model) => [model.id, model]));
  return (measured) => {
    const sources = [...measured].flatMap((id) => placed(known.get(id) ?? { id, created: 0 }));
    const older = Map.groupBy(sources, ({ place }) => place.family);
    return new Map(members.flatMap((model): readonly (readonly [string, string])[] => {
      const candidates = older.get(model.place.family);
      if (candidates === undefined || measured.has(model.id)) return [];
      const release = releaseOf(model, families.get(model.place.family) ?? []);
      const from = release !== undefined && measured.has(release.id)
        ? release
        : predecessorOf(model, candidates);
      return from === undefined ? [] : [[model.id, from.id]];
    }));
  };
}
