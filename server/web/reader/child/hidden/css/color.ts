/** A colour in the parts that screens mix. */

/** Parts of one, and how much covers what is below. */
export interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly alpha: number;
}

export const white: Color = { r: 1, g: 1, b: 1, alpha: 1 };

export const black: Color = { r: 0, g: 0, b: 0, alpha: 1 };
