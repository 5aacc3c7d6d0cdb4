/**
 * Shapes of what the canonical model has no words for: blocks of the Messages API, items and events of the
 * Responses API.
 */

import { serviceItemKinds, typeNamesOf } from "../../../../shared/fields/service_tool_names.ts";
import {
  address,
  anyValue,
  file,
  hidden,
  id,
  identifier,
  json,
  lazy,
  listOf,
  loose,
  media,
  opaque,
  providersOwn,
  sealed,
  type Shape,
  typed,
  wireObject,
  word,
} from "./shape.ts";

const source: Shape = typed({
  base64: wireObject({ media_type: word, data: file }),
  url: wireObject({ url: address }),
  file: wireObject({ file_id: id }),
}, wireObject({ media_type: word, content: lazy(() => listOf(messagesBlock)) }));

/** Thinking that only Anthropic can read. */
const redacted = wireObject({ data: sealed });

const blockFields: Readonly<Record<string, Shape>> = {
  tool_use_id: id,
  tool_id: id,
  file_id: id,
  server_name: identifier,
  name: identifier,
  tool_name: identifier,
  error_code: word,
  file_type: word,
  signature: sealed,
  encrypted_content: sealed,
  encrypted_index: providersOwn,
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
  wireObject({ ...blockFields, ...others });

/** Every block, and what stands in one: their fields mean the same wherever they stand. */
export const messagesBlock: Shape = typed({ redacted_thinking: redacted }, wireObject(blockFields));

/** A place in a file or on a page that a text cites. */
export const citation = wireObject({
  file_id: id,
  container_id: id,
  encrypted_index: providersOwn,
  url: address,
});

const call = { call_id: id };
const plain = wireObject(call);
const sources = listOf(wireObject({ url: address }));
const part = wireObject({ image_url: address, file_id: id, encrypted_content: sealed, detail: word });
const compaction = wireObject({ encrypted_content: sealed, content: listOf(messagesBlock) });
const program = wireObject({ ...call, fingerprint: providersOwn });
const listedTool = wireObject({ name: identifier, input_schema: anyValue });

const hostedItems: Readonly<Record<string, Shape>> = {
  web_search_call: wireObject({ action: wireObject({ url: address, sources }) }),
  file_search_call: wireObject({ results: listOf(wireObject({ file_id: id })) }),
  image_generation_call: wireObject({
    result: media,
    background: word,
    output_format: word,
    quality: word,
    size: word,
  }),
  code_interpreter_call: wireObject({ container_id: id, outputs: listOf(wireObject({ url: address })) }),
  computer_call: wireObject({
    ...call,
    action: wireObject({ button: word }),
    pending_safety_checks: listOf(wireObject({ code: word })),
  }),
  computer_call_output: wireObject({
    ...call,
    output: part,
    acknowledged_safety_checks: listOf(wireObject({ code: word })),
  }),
  apply_patch_call: wireObject({ ...call, operation: wireObject() }),
  apply_patch_call_output: plain,
  local_shell_call: wireObject({ ...call, action: wireObject() }),
  local_shell_call_output: wireObject({ ...call, output: loose }),
  shell_call: wireObject({ ...call, action: wireObject(), environment: wireObject({ container_id: id }) }),
  shell_call_output: wireObject({ ...call, output: listOf(wireObject({ outcome: wireObject() })) }),
  mcp_list_tools: wireObject({ tools: listOf(listedTool) }),
  mcp_approval_request: wireObject({ name: identifier, arguments: json }),
  mcp_approval_response: wireObject({ approval_request_id: id }),
  mcp_call: wireObject({ name: identifier, arguments: json, output: loose, approval_request_id: id }),
  compaction,
  context_compaction: compaction,
  compaction_trigger: plain,
  tool_search_call: wireObject({ ...call, arguments: json, execution: word }),
  tool_search_output: wireObject({ ...call, execution: word, tools: listOf(lazy(() => hostedTool)) }),
  program,
  program_output: program,
  additional_tools: wireObject({ role: word, tools: listOf(lazy(() => hostedTool)) }),
  agent_message: wireObject({ content: listOf(part), agent: wireObject() }),
};

const files = listOf(wireObject({ container_id: id, file_id: id }));

/** Items of the gateway's own tools. */
export const serviceItem = wireObject({
  ...call,
  container_id: id,
  file_id: id,
  files,
  arguments: json,
  result: json,
  imageB64: media,
  imageUrl: address,
  screenshotB64: media,
  url: address,
  action: wireObject({ url: address, sources }),
  operation: wireObject(),
  output: listOf(wireObject({ outcome: wireObject() })),
  sources,
});

/** The picture stands where other tools have words. */
export const serviceImage = wireObject({ ...call, result: media, imageB64: media, imageUrl: address });

const serviceItems = Object.fromEntries(
  serviceItemKinds.flatMap((kind) =>
    typeNamesOf(kind).map((type) => [type, kind === "image_generation" ? serviceImage : serviceItem] as const)
  ),
);

/** A whole item of a provider's, or of one of the gateway's tools, in the words of its wire. */
export const wireItem: Shape = typed({ ...hostedItems, ...serviceItems }, messagesBlock);

/** The caller's credentials for servers of its own, which a filter for secrets would take away. */
const credential = hidden("a credential of the caller's for its own server");

/** A tool that a provider hosts or that the gateway runs, as its wire spells it, and its settings. */
export const hostedTool: Shape = wireObject({
  name: identifier,
  authorization: credential,
  headers: credential,
  connector_id: id,
  vector_store_ids: id,
  server_url: address,
  container: wireObject({ file_ids: id, memory_limit: word, network_policy: wireObject() }),
  environment: wireObject({ container_id: id, file_ids: id, network_policy: wireObject() }),
  input_image_mask: wireObject({ image_url: address, file_id: id }),
  cache_control: wireObject({ ttl: word }),
  tools: listOf(lazy(() => hostedTool)),
});

/** An event of a stream that the canonical model has no words for. Pieces of a text are put together before. */
export const wireEvent: Shape = typed(
  {
    "response.image_generation_call.partial_image": wireObject({ item_id: id, partial_image_b64: media }),
  },
  wireObject({
    item_id: id,
    obfuscation: opaque("random letters of a provider"),
    item: wireItem,
    content_block: messagesBlock,
    part,
    arguments: json,
    delta: lazy(() => wireEventDelta),
  }),
);

/** Shape of a delta. Unknown blocks of the Messages API come with deltas that are objects. */
const wireEventDelta: Shape = { kind: "typed", types: new Map(), rest: wireObject({ partial_json: json }) };
