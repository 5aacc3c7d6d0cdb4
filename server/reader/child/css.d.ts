/** What is used of packages that have no types. */

declare module "css-tree/parser" {
  /** Fields that are used, of all types of nodes. */
  export interface CssNode {
    readonly type: string;
    readonly name?: string | CssNode;
    readonly property?: string;
    readonly important?: boolean | string;
    readonly value?: string | CssNode | null;
    readonly matcher?: string | null;
    readonly flags?: string | null;
    readonly prelude?: CssNode | null;
    readonly block?: CssNode | null;
    readonly nth?: CssNode;
    readonly a?: string | null;
    readonly b?: string | null;
    readonly children?: { toArray(): readonly CssNode[] } | null;
  }

  export interface ParseOptions {
    readonly context?: "stylesheet" | "selectorList" | "declarationList";
    readonly parseValue?: boolean;
    readonly parseRulePrelude?: boolean;
    readonly parseAtrulePrelude?: boolean;
    readonly parseCustomProperty?: boolean;
    readonly onParseError?: () => void;
  }

  // deno-lint-ignore tollgate/no-default-export -- the package's own export
  export default function parse(text: string, options: ParseOptions): CssNode;
}

declare module "css-tree/utils" {
  export const ident: { decode(text: string): string };
}

declare module "culori" {
  export interface Rgb {
    readonly mode: "rgb";
    readonly r: number;
    readonly g: number;
    readonly b: number;
    readonly alpha?: number;
  }

  export function parse(text: string): { readonly mode: string } | undefined;
  export function converter(mode: "rgb"): (color: { readonly mode: string } | undefined) => Rgb | undefined;
}
