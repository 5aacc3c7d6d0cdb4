/** What fields of a form are handed: the draft that they show, and what tells of a change to it. */
export interface DraftProps<Draft> {
  readonly draft: Draft;
  readonly disabled?: boolean;
  readonly onType: (changes: Partial<Draft>) => void;
}
