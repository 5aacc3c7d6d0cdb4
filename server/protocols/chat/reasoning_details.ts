/**
 * Details of thoughts, as gateways list them in `reasoning_details`: which of them are one thought. What a client
 * brings back and what a provider sends are told apart by the same rules, so that thoughts keep their order and
 * their seals (specification, Chat completions, embeddings, messages, misc inference).
 */

/** A detail, as far as it decides. */
interface DetailHead {
  readonly type: string;
  readonly id?: string | null;
  readonly format?: string | null;
  readonly index?: number | null;
  readonly text?: string | null;
  readonly summary?: string | null;
}

/** A thought while its details come together. */
interface ThoughtHead {
  readonly id?: string;
  readonly format?: string;
  readonly signature?: string;
  readonly encrypted?: string;
  /** Type and index of its last detail. */
  readonly last?: { readonly type: string; readonly index?: number };
}

const thoughtTypes: ReadonlySet<string> = new Set([
  "reasoning.text",
  "reasoning.summary",
  "reasoning.encrypted",
]);

/** Whether a detail is of a thought; others tell of tools, or are not known. */
export const isThoughtDetail = ({ type }: Pick<DetailHead, "type">): boolean => thoughtTypes.has(type);

/** Whether a detail is a chunk of the one before it: both have one number. */
export const isSameDetail = ({ type, index }: DetailHead, { last }: ThoughtHead): boolean =>
  last !== undefined && last.type === type && index !== undefined && index !== null && index === last.index;

const ANTHROPIC = /^anthropic-/;

/**
 * Whether a detail belongs to the thought before it. Every detail is a thought of its own, but for chunks of one
 * detail, those that share an id, a summary without a number, and the seal behind what it seals. Anthropic's thoughts have their seal inside, and
 * an encrypted one is another thought.
 */
export function isSameThought(detail: DetailHead, thought: ThoughtHead): boolean {
  const { id, format, type, text, summary } = detail;
  if (format && thought.format !== undefined && format !== thought.format) return false;
  if (id && thought.id !== undefined) return id === thought.id;
  if (isSameDetail(detail, thought)) return true;
  if (thought.encrypted !== undefined) return false;
  if (type === "reasoning.encrypted") {
    return thought.signature === undefined || !ANTHROPIC.test(format ?? thought.format ?? "");
  }
  if (thought.signature !== undefined) return false;
  return (!text && !summary) || isSummary(detail, thought);
}

/** A summary without a number is that of the thought before it. */
const isSummary = ({ type, index }: DetailHead, { last }: ThoughtHead): boolean =>
  type === "reasoning.summary" && last?.type === "reasoning.text" && (index ?? last.index) === undefined;
