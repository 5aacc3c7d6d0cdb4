import assert from "node:assert/strict";
import { parseJsonBody } from "../../server/api/body/parse_json.ts";
import { parseRequest } from "../../server/protocols/responses/inbound/parse_request.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { ApiError } from "../../shared/errors.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound/mod.ts";
import { responsesOutbound } from "../../server/protocols/responses/outbound/mod.ts";
import type { EndpointTraits } from "../../server/protocols/wire.ts";
import { type MutatedRequest, mutatedRequests } from "./mutate.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

/** Longest a message may be: three lists of kinds and what is said around them. */
const LONGEST = 5_000;

type Outcome = "taken" | 400 | 422;

const traits: EndpointTraits = {
  upstreamModel: "m",
  passKeys: [],
  omit: [],
  rename: {},
  developerRole: "system",
  extraBody: {},
};

/** Renders an accepted request for every provider; a wire may refuse it on purpose. */
function render(request: ModelRequest): void {
  for (const wire of [chatOutbound, responsesOutbound]) {
    try {
      assert.equal(typeof JSON.stringify(wire.renderRequest(request, traits).body), "string");
    } catch (error) {
      assert(error instanceof ApiError, String(error));
      assert.equal(error.status, 400);
    }
  }
}

function judge({ text }: MutatedRequest): Outcome {
  try {
    const { request, echo } = parseRequest(parseJsonBody(text));
    assert.equal(typeof JSON.stringify(request), "string");
    render(request);
    assert.equal(typeof JSON.stringify(echo), "string");
    return "taken";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return judgeRefusal(error);
  }
}

function judgeRefusal({ status, message, details }: ApiError): Outcome {
  const path = details.metadata?.path;
  assert(typeof path === "string" && path !== "", "a refusal names a path");
  assert(message.startsWith(path), `the message begins with ${path}: ${message}`);
  assert(message.length < LONGEST, `the message is ${message.length} characters long`);
  assert(message.isWellFormed(), "the message is well-formed");
  assert(!/x{61}/.test(message), "the message does not repeat long texts");
  assert(status === 400 || status === 422);
  return status;
}

/** At least so many come out each way, whatever the seed: of 422 there are about a hundredth. */
const shares = [["taken", 1 / 200], [400, 1 / 200], [422, 1 / 1_000]] as const;

Deno.test("parseRequest takes or refuses every mutated request", () => {
  const seen = new Map<Outcome, number>();
  for (const mutated of mutatedRequests(seed, count)) {
    try {
      const outcome = judge(mutated);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    } catch (error) {
      const what = `SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text.slice(0, 2_000)}`;
      throw new Error(what, { cause: error });
    }
  }
  for (const [outcome, share] of shares) {
    assert((seen.get(outcome) ?? 0) > count * share, `too few are ${outcome}: ${seen.get(outcome)}`);
  }
});

Deno.test("mutatedRequests repeats itself", () => {
  const texts = () => [...mutatedRequests(7, 50)].map(({ text }) => text);
  assert.deepEqual(texts(), texts());
});

Deno.test("mutated requests pollute no prototype", () => {
  for (const { text } of mutatedRequests(seed + 1, 500)) {
    try {
      parseRequest(parseJsonBody(text));
    } catch (error) {
      assert(error instanceof ApiError);
    }
  }
  assert(!("polluted" in {}));
  assert(!("polluted" in Function));
});
