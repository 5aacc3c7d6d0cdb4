import assert from "node:assert/strict";
import { ApiFailure, type ConsoleApi } from "../api.ts";
import { type EditForm, EditModel } from "./edit_model.ts";
import { KeyEditModel } from "./keys/key_edit.ts";
import { WorkspaceEditModel } from "./workspace_edit.ts";

interface Row {
  readonly method: string;
  readonly path: string;
}

/** As much of a key and of a workspace as their models read. */
const record = {
  name: "before",
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  cache_enabled: false,
  cache_ttl_seconds: null,
  slug: "before",
  description: null,
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  disabled_server_tools: null,
  default_plugins: null,
  include_byok_in_budgets: false,
};

/** A gateway with one record, whose version rises with each change of another client's. */
class Gateway {
  version = 1;
  readonly sent: unknown[] = [];
  readonly api = asApi({
    callWithTag: ({ method }: Row, { ifMatch }: { readonly ifMatch?: string }) => {
      if (method !== "GET") {
        this.sent.push(ifMatch);
        if (ifMatch !== `"v${this.version}"`) return Promise.reject(conflict());
        this.version++;
      }
      return Promise.resolve({ body: { data: record }, etag: `"v${this.version}"` });
    },
    call: () => Promise.resolve({ data: [] }),
  });
}

function conflict(): ApiFailure {
  const error = { message: "Changed by somebody else.", metadata: { conflict: true } };
  return new ApiFailure(new Response(null, { status: 412 }), { error });
}

/** As much of the API as the models call. */
function asApi(fake: unknown): Pick<ConsoleApi, "call" | "callWithTag"> {
  return fake as Pick<ConsoleApi, "call" | "callWithTag">;
}

const clock = { now: () => 0, after: () => () => {} };

const kinds = {
  "a key": ({ api }: Gateway) => new KeyEditModel("h1", { api, known: undefined, onChange: () => {} }),
  "a workspace": ({ api }: Gateway) => new WorkspaceEditModel("w1", { api, clock, onChange: () => {} }),
};

for (const [kind, make] of Object.entries(kinds)) {
  Deno.test(`a save of ${kind} names the version on which something was typed, whatever was read since`, async () => {
    const gateway = new Gateway();
    const model = make(gateway);
    await model.record.load();
    model.type({ name: "after" });
    gateway.version++;
    await model.record.load();
    assert.equal(await model.save(), false);
    assert.deepEqual(gateway.sent, ['"v1"']);
    assert.deepEqual([model.isConflict.value, model.draft.value?.name], [true, "after"]);
    await model.reload();
    assert.equal(model.refusal.value, undefined);
    assert.equal(await model.save(), true);
    assert.deepEqual(gateway.sent, ['"v1"', '"v2"']);
  });
}

/** Saves when it is told to. */
class Held extends EditModel<string, { readonly name: string }, { readonly name?: string }> {
  readonly sent: (string | undefined)[] = [];

  constructor(form: Pick<EditForm<string, unknown, unknown>, "read">) {
    super({
      ...form,
      draftOf: (name = "") => ({ name }),
      changesOf: ({ name }, saved) => name === saved ? {} : { name },
    });
  }

  save(held: Promise<string>): Promise<boolean> {
    return this.attempt(async (ifMatch) => {
      this.sent.push(ifMatch);
      const name = await held;
      this.typed.value = {};
      this.accept({ body: name, etag: `of ${name}` });
    });
  }
}

Deno.test("EditModel says that it saves, and why it could not, until the next try", async () => {
  const model = new Held({ read: () => Promise.resolve({ body: "one", etag: "of one" }) });
  await model.record.load();
  model.type({ name: "two" });
  const held = Promise.withResolvers<string>();
  const saving = model.save(held.promise);
  assert.equal(model.saving.value, true);
  held.reject(new Error("no"));
  assert.equal(await saving, false);
  assert.deepEqual([model.saving.value, model.refusal.value?.message], [false, "no"]);
  assert.deepEqual([model.isConflict.value, model.draft.value?.name], [false, "two"]);
  assert.equal(await model.save(Promise.resolve("two")), true);
  assert.deepEqual([model.refusal.value, model.isChanged.value], [undefined, false]);
  model.type({ name: "three" });
  await model.save(Promise.resolve("three"));
  assert.deepEqual(model.sent, ["of one", "of one", "of two"]);
});

Deno.test("EditModel has no draft before there is a record, and what was typed goes with discard", async () => {
  const model = new KeyEditModel("h1", { api: new Gateway().api, known: undefined, onChange: () => {} });
  assert.deepEqual([model.draft.value, model.isChanged.value], [undefined, false]);
  await model.record.load();
  model.type({ name: "after" });
  assert.equal(model.isChanged.value, true);
  model.discard();
  assert.deepEqual([model.draft.value?.name, model.isChanged.value], ["before", false]);
});
