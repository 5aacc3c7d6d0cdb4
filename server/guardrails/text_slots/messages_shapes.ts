/** Blocks of the Messages API that the canonical model has no words for, in requests and responses. */

import {
  address,
  file,
  identifier,
  lazy,
  listOf,
  opaque,
  sealed,
  type Shape,
  typed,
  wireObject,
} from "./shape.ts";

const id = opaque("an id, made by a program");
const closed = opaque("one of a few words of the API");

const source: Shape = typed({
  base64: wireObject({ media_type: closed, data: file }),
  url: wireObject({ url: address }),
  file: wireObject({ file_id: id }),
}, wireObject({ media_type: closed, content: lazy(() => listOf(messagesBlock)) }));

/** Thinking that only Anthropic can read. */
const redacted = wireObject({ data: sealed });

const fields: Readonly<Record<string, Shape>> = {
  tool_use_id: id,
  tool_id: id,
  file_id: id,
  server_name: identifier,
  name: identifier,
  tool_name: identifier,
  error_code: closed,
  file_type: closed,
  signature: sealed,
  encrypted_content: sealed,
  encrypted_index: opaque("only its provider can read it"),
  url: address,
  source,
  cache_control: lazy(() => messagesBlock),
  caller: lazy(() => messagesBlock),
  content: lazy(() => listOf(messagesBlock)),
  citations: lazy(() => listOf(messagesBlock)),
  tool_references: lazy(() => listOf(messagesBlock)),
};

/** Fields of a block that stand for themselves, beside others. */
export const messagesFields = (others: Readonly<Record<string, Shape>>): Shape =>
  wireObject({ ...fields, ...others });

/** Every block, and what stands in one: their fields mean the same wherever they stand. */
export const messagesBlock: Shape = typed({ redacted_thinking: redacted }, wireObject(fields));
