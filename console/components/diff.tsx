/** Change of a value: before → after. */

export interface Change {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

export function Diff({ changes, becomes }: {
  readonly changes: readonly Change[];
  /** Read out in place of the arrow. */
  readonly becomes: string;
}) {
  return (
    <>
      {changes.map(({ label, before, after }) => (
        <p class="small soft wrap-text" key={label}>
          {label} <bdi>{before}</bdi> <span aria-hidden="true">→</span>
          <span class="unseen">{becomes}</span>{" "}
          <b>
            <bdi>{after}</bdi>
          </b>
        </p>
      ))}
    </>
  );
}
