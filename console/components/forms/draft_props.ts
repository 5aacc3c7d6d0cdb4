/** Properties of the fields of a form: the draft that they show, and the function that takes a change to it. */
export interface DraftProps<Draft> {
  readonly draft: Draft;
  readonly disabled?: boolean;
  readonly onType: (changes: Partial<Draft>) => void;
}
