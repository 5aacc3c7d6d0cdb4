/** The order of `@layer`s: by their first mention, within the layer around them. */

export type Layer = readonly number[];

/** Place of rules in no layer, which win over all that are in one. */
export const noLayer: Layer = [Infinity];

export class Layers {
  readonly #places = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  /** Finds the layer of a name with dots; an empty name is a layer of its own. */
  within(outer: Layer, name: string): Layer {
    let path = outer.slice(0, -1);
    for (const part of name.split(".")) path = [...path, this.#place(path, part.trim())];
    return [...path, Infinity];
  }

  #place(path: Layer, name: string): number {
    const parent = path.join(".");
    const id = `${parent}/${name}`;
    const known = name === "" ? undefined : this.#places.get(id);
    if (known !== undefined) return known;
    const place = this.#counts.get(parent) ?? 0;
    this.#counts.set(parent, place + 1);
    this.#places.set(id, place);
    return place;
  }
}
