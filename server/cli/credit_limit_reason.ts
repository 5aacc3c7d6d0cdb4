/** Whether `credits add` makes a limit of what had none, which nobody may learn from the first refused request. */

import { isRecord } from "../../shared/util/json.ts";
import type { CommandRequest } from "./command_request.ts";

interface CreditLimitInput {
  /** Name of the command. */
  readonly name: string;
  readonly call: CommandRequest;
  /** The body of a GET of this path below `/v1`; undefined where it is refused. */
  readonly read: (path: string) => Promise<unknown>;
}

/** Why it must be confirmed; undefined for other commands, and where credits are a limit already. */
export async function creditLimitReason(
  { name, call: { body }, read }: CreditLimitInput,
): Promise<string | undefined> {
  if (name !== "credits add") return undefined;
  const reply = await read("/credits");
  const data = isRecord(reply) ? reply.data : undefined;
  if (!isRecord(data) || data.unlimited !== true) return undefined;
  return `spend is unlimited, and all keys together may spend ${
    String(body?.amount_usd)
  } USD from then on; ` +
    `${String(data.total_usage)} USD are spent already and count. credits clear undoes it`;
}
