/** Types of the parts that we use of packages that have none. */

declare module "css-tree" {
  export const tokenNames: readonly string[];
  export function tokenize(text: string, onToken: (type: number, start: number, end: number) => void): void;
  export const ident: { decode(text: string): string };
  export const string: { decode(text: string): string };
  export const lexer: {
    getProperty(name: string): unknown;
    matchProperty(name: string, value: string): {
      readonly error: Error | null;
      readonly iterations: number;
    };
  };
}

declare module "culori" {
  export interface CuloriColor {
    readonly mode: string;
    readonly alpha?: number;
  }
  export interface Rgb extends CuloriColor {
    readonly mode: "rgb";
    readonly r: number;
    readonly g: number;
    readonly b: number;
  }

  export function parse(text: string): CuloriColor | undefined;
  export function converter(mode: "rgb"): (color: CuloriColor | undefined) => Rgb | undefined;
  export function converter(mode: string): (color: CuloriColor | undefined) => CuloriColor | undefined;
  export function interpolate(colors: readonly CuloriColor[], mode: string): (at: number) => CuloriColor;
}
