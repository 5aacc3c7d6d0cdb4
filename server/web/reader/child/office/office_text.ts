/** The text of an Office file, and how much of it is read. */

export interface OfficeText {
  readonly text: string;
  /** The document goes on behind the text. */
  readonly isCut: boolean;
  readonly title?: string;
  /** Slides or sheets that it has, and those that the text is from. */
  readonly pages?: number;
  readonly pagesRead?: number;
}

export interface OfficeLimits {
  readonly maxCharacters: number;
  /** Slides or sheets. */
  readonly maxPages: number;
}
