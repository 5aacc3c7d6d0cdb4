/** The style sheets of a page as rules that can be looked up by element. */

import parse, { type CssNode } from "css-tree/parser";
import { ident } from "css-tree/utils";
import { mediaHolds } from "./media_query.ts";
import { classesOf, parseSelectors, type Selector } from "./selector.ts";

export interface Declaration {
  /** In small letters, but for custom properties; without a vendor's prefix. */
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
}

/** Of those that hold for one element, the later one wins. */
export interface RankedDeclaration extends Declaration {
  /** By origin, then by specificity, then by place. */
  readonly rank: readonly [origin: number, specificity: number, place: number];
}

/** Where a declaration stands; what is important goes above all that is not. */
export const ORIGINS = { browser: 0, attribute: 1, layer: 2, sheet: 3, inline: 4, important: 5 } as const;

/** Properties that decide whether a text is seen. */
const relevant: ReadonlySet<string> = new Set([
  ...["display", "visibility", "opacity", "filter", "content-visibility", "color", "text-fill-color"],
  ...[
    "background",
    "background-color",
    "background-image",
    "background-clip",
    "font",
    "font-size",
    "text-indent",
  ],
  ...["position", "left", "right", "top", "bottom", "inset", "margin", "margin-left", "margin-top"],
  ...["clip", "clip-path", "overflow", "overflow-x", "overflow-y", "transform", "translate", "scale", "zoom"],
  ...["width", "height", "max-width", "max-height", "min-width", "min-height"],
  ...["padding", "padding-top", "padding-bottom", "padding-left", "padding-right"],
]);

interface Rule {
  readonly selector: Selector;
  readonly declarations: readonly RankedDeclaration[];
}

export class StyleSheet {
  readonly #rules = new Map<string, Rule[]>();
  #place = 0;

  /** Rules of a sheet behind those that are there. */
  add(css: string): void {
    const sheet = parse(css, {
      parseValue: false,
      parseRulePrelude: false,
      parseAtrulePrelude: false,
      onParseError: () => {},
    });
    this.#addAll(sheet, { within: [], isLayered: false });
  }

  /** What its rules say of an element, in no order. */
  declarationsOf(element: Element): readonly RankedDeclaration[] {
    const id = element.getAttribute("id");
    const keys = ["*", element.localName, ...id === null ? [] : [`#${id}`]];
    for (const name of new Set(classesOf(element))) keys.push(`.${name}`);
    return keys.flatMap((key) => this.#rules.get(key) ?? [])
      .filter(({ selector }) => selector.matches(element))
      .flatMap(({ declarations }) => declarations);
  }

  #addAll(block: CssNode, scope: Scope): void {
    for (const node of block.children?.toArray() ?? []) {
      if (node.type === "Rule") this.#addRule(node, scope);
      if (node.type === "Atrule" && node.block) this.#addBlock(node, node.block, scope);
    }
  }

  #addBlock(...[{ name, prelude }, block, scope]: readonly [CssNode, CssNode, Scope]): void {
    const condition = rawOf(prelude);
    switch (typeof name === "string" ? name.toLowerCase() : "") {
      case "media":
        if (mediaHolds(condition)) this.#addScoped(block, scope);
        return;
      case "supports":
        if (!/^\s*not\b/i.test(condition)) this.#addScoped(block, scope);
        return;
      case "layer":
        return this.#addScoped(block, { ...scope, isLayered: true });
      default:
        // Fonts, key frames, and conditions that cannot be judged here.
        return;
    }
  }

  /** Declarations right in a nested block are those of the rule around it. */
  #addScoped(block: CssNode, scope: Scope): void {
    if (scope.within.length > 0) this.#addDeclarations(block, scope);
    this.#addAll(block, scope);
  }

  #addRule({ prelude, block }: CssNode, scope: Scope): void {
    if (!block) return;
    const own = rawOf(prelude);
    const within = scope.within.length === 0 ? [own] : scope.within.map((outer) => nested(outer, own));
    this.#addScoped(block, { ...scope, within });
  }

  #addDeclarations(block: CssNode, { within, isLayered }: Scope): void {
    const declarations = declarationsIn(block).filter(({ property }) =>
      property.startsWith("--") || relevant.has(property)
    );
    if (declarations.length === 0) return;
    const origin = isLayered ? ORIGINS.layer : ORIGINS.sheet;
    for (const selector of within.flatMap(parseSelectors)) {
      const ranked = declarations.map((one) => withRank(one, [origin, selector.specificity, this.#place++]));
      const rules = this.#rules.get(selector.key) ?? [];
      rules.push({ selector, declarations: ranked });
      this.#rules.set(selector.key, rules);
    }
  }
}

interface Scope {
  /** Selectors of the rules around. */
  readonly within: readonly string[];
  readonly isLayered: boolean;
}

const nested = (outer: string, own: string): string =>
  own.includes("&") ? own.replaceAll("&", () => `:is(${outer})`) : `:is(${outer}) ${own}`;

const rawOf = (node: CssNode | null | undefined): string => typeof node?.value === "string" ? node.value : "";

export function withRank(declaration: Declaration, rank: RankedDeclaration["rank"]): RankedDeclaration {
  const [origin, ...rest] = rank;
  return { ...declaration, rank: [declaration.isImportant ? ORIGINS.important + origin : origin, ...rest] };
}

/** Of a `style` attribute. */
export function inlineDeclarations(text: string): readonly RankedDeclaration[] {
  const list = parse(text, { context: "declarationList", parseValue: false, onParseError: () => {} });
  return declarationsIn(list).map((one, place) => withRank(one, [ORIGINS.inline, 0, place]));
}

const declarationsIn = (block: CssNode): readonly Declaration[] =>
  (block.children?.toArray() ?? []).flatMap((node): readonly Declaration[] => {
    if (node.type !== "Declaration" || node.property === undefined) return [];
    const name = ident.decode(node.property);
    const property = name.startsWith("--") ? name : name.toLowerCase().replace(/^-(?:webkit|moz|ms)-/, "");
    const value = typeof node.value === "object" ? rawOf(node.value) : node.value ?? "";
    return [{ property, value: value.trim(), isImportant: Boolean(node.important) }];
  });
