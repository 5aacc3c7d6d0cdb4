/** The style sheets of a page as rules that can be looked up by element. */

import { LEVELS, type Properties, ranked, type RankedDeclaration } from "./cascade.ts";
import { remembered } from "../combinators.ts";
import { propertiesOf } from "./css_property.ts";
import {
  type CssAtRule,
  type CssDeclaration,
  type CssItem,
  type CssRule,
  parseAttribute,
  parseSheet,
} from "./css_syntax.ts";
import { textOfDataUrl } from "../data_url.ts";
import { type Layer, Layers, noLayer } from "./layers.ts";
import { mediaHolds } from "./media_query.ts";
import { parseScope, type Scope } from "./scope.ts";
import { classesOf, parseSelectors } from "../selector.ts";
import type { Selector, SelectorContext } from "../compiled_selector.ts";
import { isSupported } from "./supports.ts";

interface Rule {
  readonly selector: Selector;
  readonly declarations: readonly RankedDeclaration[];
}

/** Context of the items of a block. */
interface Surroundings {
  /** Selectors of the rule around; undefined outside of rules. */
  readonly selectors: readonly Selector[] | undefined;
  readonly context: SelectorContext;
  readonly layer: Layer;
  /** It depends on what is not known here. */
  readonly isUncertain: boolean;
}

const top: Surroundings = { selectors: undefined, context: {}, layer: noLayer, isUncertain: false };

/** Sheets that name sheets. */
const MAX_IMPORTS = 5;

export class StyleSheet {
  readonly #rules = new Map<string, Rule[]>();
  readonly #layers = new Layers();
  readonly #initial = new Map<string, string>();
  readonly #lastFrames = new Map<string, readonly CssDeclaration[]>();
  #place = 0;

  /** Initial values of the variables that sheets have registered. */
  get initial(): Properties {
    return this.#initial;
  }

  /** Declarations with which the animation of a name ends. */
  lastFrame(name: string): readonly CssDeclaration[] {
    return this.#lastFrames.get(name) ?? [];
  }

  /** Rules of a sheet behind those that are there. */
  add(css: string, imports = 0): void {
    this.#addAll(parseSheet(css), { ...top, imports });
  }

  /** Declarations of its rules for an element, in no order. */
  declarationsOf(element: Element): readonly RankedDeclaration[] {
    const id = element.getAttribute("id");
    const keys = ["*", element.localName, ...id === null ? [] : [`#${id}`]];
    for (const name of new Set(classesOf(element))) keys.push(`.${name}`);
    return keys.flatMap((key) => this.#rules.get(key) ?? [])
      .filter(({ selector }) => selector.matches(element))
      .flatMap(({ declarations }) => declarations);
  }

  #addAll(items: readonly CssItem[], around: Surroundings & { readonly imports?: number }): void {
    // Declarations behind a rule in the same block win over those in it.
    let list: CssDeclaration[] = [];
    for (const item of items) {
      if (item.type === "declaration") {
        list.push(item);
        continue;
      }
      this.#addDeclarations(list, around);
      list = [];
      if (item.type === "rule") this.#addRule(item, around);
      else this.#addAtRule(item, around);
    }
    this.#addDeclarations(list, around);
  }

  #addRule({ prelude, items }: CssRule, around: Surroundings): void {
    const selectors = parseSelectors(prelude, around.context);
    if (selectors === undefined) return;
    const context = { outer: anyOf(selectors), isNested: true };
    this.#addAll(items, { ...around, selectors, context });
  }

  #addAtRule(
    { name, prelude, items }: CssAtRule,
    around: Surroundings & { readonly imports?: number },
  ): void {
    switch (name) {
      case "media":
        return this.#addIf(mediaHolds(prelude), { items, around });
      case "supports":
        return this.#addIf(isSupported(prelude), { items, around });
      case "container":
        return this.#addIf(true, { items, around: { ...around, isUncertain: true } });
      case "layer":
        return this.#addLayer(prelude, { items, around });
      case "scope": {
        const scope = parseScope(prelude);
        return this.#addIf(scope !== undefined, { items, around: { ...around, ...scope && inScope(scope) } });
      }
      case "property": {
        const value = items?.find((item) => item.type === "declaration" && item.name === "initial-value");
        if (value?.type === "declaration") this.#initial.set(prelude, value.value);
        return;
      }
      case "keyframes":
      case "-webkit-keyframes":
        this.#lastFrames.set(prelude.replaceAll(/["']/g, ""), framesOf(items ?? []));
        return;
      case "import":
        return this.#import(prelude, around.imports ?? MAX_IMPORTS);
      default:
        // Fonts, and what browsers do not know.
        return;
    }
  }

  #addIf(holds: boolean, { items = [], around }: Block): void {
    if (holds) this.#addAll(items, around);
  }

  #addLayer(names: string, { items, around }: Block): void {
    const layers = names.split(",").map((name) => this.#layers.within(around.layer, name));
    const [layer] = layers;
    if (layer !== undefined) this.#addIf(items !== undefined, { items, around: { ...around, layer } });
  }

  /** Only sheets that stand in the page itself. */
  #import(prelude: string, imports: number): void {
    const [, address = "", media = ""] =
      /^(?:url\(\s*)?["']?(data:[^"')]*)["']?\s*\)?\s*([^]*)$/i.exec(prelude) ?? [];
    const css = textOfDataUrl(address);
    if (css !== undefined && imports < MAX_IMPORTS && mediaHolds(media)) this.add(css, imports + 1);
  }

  #addDeclarations(
    list: readonly CssDeclaration[],
    { selectors = [], layer, isUncertain }: Surroundings,
  ): void {
    const relevant = list.filter(({ name }) =>
      propertiesOf(name.startsWith("--") ? name : name.toLowerCase()).length > 0
    );
    if (relevant.length === 0) return;
    for (const selector of selectors) {
      const { specificity } = selector;
      const declarations = relevant.map((one) => {
        const rank = { level: LEVELS.sheet, layer, specificity, place: this.#place++ };
        return ranked(one, { rank, isUncertain });
      });
      const rules = this.#rules.get(selector.key) ?? [];
      rules.push({ selector, declarations });
      this.#rules.set(selector.key, rules);
    }
  }
}

interface Block {
  readonly items: readonly CssItem[] | undefined;
  readonly around: Surroundings & { readonly imports?: number };
}

const framesOf = (items: readonly CssItem[]): readonly CssDeclaration[] =>
  items.flatMap((item) =>
    item.type === "rule" && item.prelude.split(",").some((part) => /^(?:to|100%)$/i.test(part.trim()))
      ? item.items.filter((one) => one.type === "declaration")
      : []
  );

const anyOf = (selectors: readonly Selector[]) => ({
  matches: remembered((element, anchor) => selectors.some(({ matches }) => matches(element, anchor))),
  specificity: selectors.reduce((most, { specificity }) => Math.max(most, specificity), 0),
});

const inScope = ({ root, includes }: Scope): Pick<Surroundings, "context" | "selectors"> => ({
  context: { outer: { matches: root, specificity: 0 }, includes },
  selectors: [{ matches: root, specificity: 0, key: "*" }],
});

/** Parses the declarations of a `style` attribute. */
export const inlineDeclarations = (text: string): readonly RankedDeclaration[] =>
  parseAttribute(text).map((one, place) =>
    ranked(one, { rank: { level: LEVELS.inline, layer: noLayer, specificity: 0, place } })
  );
