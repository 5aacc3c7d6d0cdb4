/** The number formats of a workbook's cells. */

import { dateToSerial, format, isDateFormat, isValidFormat } from "numfmt";
import type { XmlElement } from "../xml.ts";

/** Formats that files name by their number only, as an English Excel shows them. */
const builtIn: ReadonlyMap<number, string> = new Map([
  [1, "0"],
  [2, "0.00"],
  [3, "#,##0"],
  [4, "#,##0.00"],
  [5, '"$"#,##0_);("$"#,##0)'],
  [6, '"$"#,##0_);[Red]("$"#,##0)'],
  [7, '"$"#,##0.00_);("$"#,##0.00)'],
  [8, '"$"#,##0.00_);[Red]("$"#,##0.00)'],
  [9, "0%"],
  [10, "0.00%"],
  [11, "0.00E+00"],
  [12, "# ?/?"],
  [13, "# ??/??"],
  [14, "m/d/yyyy"],
  [15, "d-mmm-yy"],
  [16, "d-mmm"],
  [17, "mmm-yy"],
  [18, "h:mm AM/PM"],
  [19, "h:mm:ss AM/PM"],
  [20, "h:mm"],
  [21, "h:mm:ss"],
  [22, "m/d/yyyy h:mm"],
  [37, "#,##0_);(#,##0)"],
  [38, "#,##0_);[Red](#,##0)"],
  [39, "#,##0.00_);(#,##0.00)"],
  [40, "#,##0.00_);[Red](#,##0.00)"],
  [41, '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)'],
  [42, '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'],
  [43, '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)'],
  [44, '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'],
  [45, "mm:ss"],
  [46, "[h]:mm:ss"],
  [47, "mm:ss.0"],
  [48, "##0.0E+0"],
  [49, "@"],
]);
const GENERAL = "General";
/** No format of a person is longer. */
const MAX_PATTERN = 255;
/** Days between the two ways of counting days. */
const DAYS_TO_1904 = 1_462;

export class CellFormats {
  /** Patterns by the number of a cell's style. */
  readonly #patterns: readonly string[];
  readonly #countsFrom1904: boolean;

  constructor(styles: XmlElement | undefined, { countsFrom1904 }: { readonly countsFrom1904: boolean }) {
    this.#countsFrom1904 = countsFrom1904;
    const own = new Map(
      (styles?.find("numFmts")?.all("numFmt") ?? []).map((one) =>
        [Number(one.attribute("numFmtId")), one.attribute("formatCode") ?? GENERAL] as const
      ),
    );
    this.#patterns = (styles?.find("cellXfs")?.all("xf") ?? []).map((style) => {
      const id = Number(style.attribute("numFmtId") ?? 0);
      const pattern = own.get(id) ?? builtIn.get(id) ?? GENERAL;
      return pattern.length <= MAX_PATTERN && isValidFormat(pattern)
        ? withoutCurrencyPlace(pattern)
        : GENERAL;
    });
  }

  /** The number as Excel shows it. */
  shown(value: number, style: number): string {
    const pattern = this.#patterns[style] ?? GENERAL;
    const days = this.#countsFrom1904 && isDateFormat(pattern) ? value + DAYS_TO_1904 : value;
    return format(pattern, days, { throws: false });
  }

  /** A day as ISO 8601 has it, as strict files store them. */
  shownDate(text: string, style: number): string {
    const pattern = this.#patterns[style] ?? GENERAL;
    const serial = isDateFormat(pattern) ? dateToSerial(new Date(text), { ignoreTimezone: true }) : null;
    return serial === null || Number.isNaN(serial) ? text : format(pattern, serial, { throws: false });
  }

  shownText(text: string, style: number): string {
    return format(this.#patterns[style] ?? GENERAL, text, { throws: false });
  }
}

/** The place of a currency (`[$€-407]`) says where its sign is from, not how its numbers are written. */
const withoutCurrencyPlace = (pattern: string): string =>
  pattern.replaceAll(/\[\$([^\]-]+)-[^\]]*\]/g, "[$$$1]");
