/** The parts that forms of attempts are made of. */

export interface InjectionForm {
  /** The words with which it begins, as a regular expression without groups that capture. */
  readonly trigger: string;
  /** Pattern that has to follow. Every repetition is bounded. */
  readonly rest: string;
}

export const form = (trigger: string, rest: string): InjectionForm => ({ trigger, rest });

export const gap = "[\\s,.:;-]{1,3}";
export const end = "(?![\\p{L}\\d])";
/** So many of some words, each with what separates it from the next. */
export const some = (words: string, max: number): string => `(?:(?:${words})${gap}){0,${max}}`;
