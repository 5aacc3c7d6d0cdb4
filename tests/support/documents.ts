/** Documents that a reader must not be hurt by. */

const paragraph =
  "<p>A paragraph of the article, with commas, and with enough words to be worth reading.</p>";

export const article = (paragraphs: number): string =>
  `<html><head><title>The title</title></head><body><article>${
    paragraph.repeat(paragraphs)
  }</article></body></html>`;

/** Takes a parser more than the reader's time: it is ended. */
export const endlessPage = (): string => "<b><i>".repeat(1_600_000);

/** Takes a parser more than the reader's memory. */
export const hugePage = (): string => "<table>" + "<tr><td>1<td>2".repeat(700_000);

export const nestedPage = (depth: number): string =>
  `${"<div>".repeat(depth)}${paragraph.repeat(20)}${"</div>".repeat(depth)}`;
