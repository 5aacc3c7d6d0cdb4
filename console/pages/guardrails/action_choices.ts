/** Choices of what filters may do with what they find, for every field that asks for it. */

import { filterActionSchema } from "../../../shared/guardrails.ts";
import { actionNames } from "../../text/guardrails.ts";

export const actionChoices = filterActionSchema.options.map((value) => ({ value, text: actionNames[value] }));
