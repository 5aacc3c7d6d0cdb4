/**
 * Faults of meaning in a request that is well formed: 422 (specification, Errors). Each names its path. What
 * can be judged one field at a time is the schemas' business and 400.
 */

import type { ApiError } from "../../../../shared/errors.ts";
import { truncate } from "../../../../shared/util/text.ts";
import type { InputItem } from "../../../../shared/responses/items.ts";
import type { ResponseRequest } from "../../../../shared/responses/request.ts";
import type { Tool } from "../../canonical/request.ts";
import { validateToolChoice } from "./validate_tool_choice.ts";
import { choosableTools } from "../../common/inbound/choosable_tools.ts";
import { unprocessableRequestError } from "../../common/inbound/request_errors.ts";
import { validateTools } from "./validate_tools.ts";

/** Throws the first fault found. `tools` are those of the request and of its `additional_tools` items. */
export function validateRequest(body: ResponseRequest, tools: readonly Tool[]): void {
  if (Array.isArray(body.input)) checkInput(body.input);
  if (body.tools) validateTools(body.tools, tools);
  if (body.tool_choice) validateToolChoice(body.tool_choice, choosableTools(body, tools));
}

/** Items that answer a call, which must stand before them. */
const answers: ReadonlySet<string | null | undefined> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "computer_call_output",
  "apply_patch_call_output",
  "shell_call_output",
]);

function checkInput(input: readonly InputItem[]): void {
  const calls = new Set<unknown>();
  let previous: string | null | undefined;
  for (let index = 0; index < input.length; index++) {
    const item = input[index];
    if (item === undefined) continue;
    if (item.type === "configuration_update" && previous === item.type) {
      throw unprocessableRequestError(
        `input[${index}]`,
        "follows another configuration_update; send one that says it all",
      );
    }
    previous = item.type;
    if (!("call_id" in item)) continue;
    if (!answers.has(item.type)) calls.add(item.call_id);
    else if (!calls.has(item.call_id)) throw missingCallError(input, index);
  }
}

/** A result whose call does not stand before it; says where the call is, if anywhere. */
function missingCallError(input: readonly InputItem[], index: number): ApiError {
  const { call_id: id } = input[index] ?? {};
  const path = `input[${index}].call_id`;
  const answered = `answers the call ${JSON.stringify(truncate(String(id)))}`;
  const later = input.findIndex((item, at) => at > index && item.call_id === id && !answers.has(item.type));
  if (later > 0) {
    return unprocessableRequestError(path, `${answered}, which only comes after it, at input[${later}]`);
  }
  const referenced = input.some((item) => item.type === "item_reference");
  const hint = referenced
    ? ". Items that are referenced cannot be looked up, because nothing is stored: send them whole (store: false)"
    : "";
  return unprocessableRequestError(path, `${answered}, which is not in the input${hint}`);
}
