import assert from "node:assert/strict";
import * as z from "zod";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";

const row = (id: string, more: object = {}) => ({ id, ...more });

const models = [
  row("a/one", {
    created: 4_000_000_000,
    context_length: 1_000,
    tokenizer: "GPT",
    pricing: { prompt: "0.000001", completion: "0.000002" },
  }),
  row("a/two", {
    created: 1_600_000_000,
    context_length: 9_000,
    input_modalities: ["text", "image"],
    pricing: { prompt: "0", completion: "0" },
  }),
  row("b/three", { name: "Third", supported_parameters: ["tools"], distillable: true }),
  row("b/draws", { output_modalities: ["image"] }),
  row("b/hidden", { hidden: true }),
];
const zdr = { training: false, zdr: true };
const providers = [
  { id: "first", name: "First", wire: "chat", base_url: "http://127.0.0.1:9", region: "eu", models },
  { id: "second", wire: "chat", base_url: "http://127.0.0.1:9", data_policy: zdr, models: [row("a/one")] },
];

const listSchema = z.object({
  data: z.array(z.object({ id: z.string() })),
  links: z.object({ next: z.string().nullable() }),
  total_count: z.int(),
});

const refusalSchema = z.object({ error: z.object({ message: z.string(), metadata: z.looseObject({}) }) });

interface Caller {
  readonly get: (path: string) => Promise<Response>;
  readonly ids: (path: string) => Promise<string>;
}

async function withModels(test: (caller: Caller) => Promise<void>): Promise<void> {
  await using gateway = await startGateway({ providers });
  const get = (path: string) =>
    fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${gateway.apiKey}` } });
  const ids = async (query: string) => {
    const { data } = listSchema.parse(await (await get(`/v1/models?${query}`)).json());
    return data.map(({ id }) => id).join(" ");
  };
  await test({ get, ids });
}

const ALL = "a/one a/two b/three";

const filters: Readonly<Record<string, string>> = {
  "": ALL,
  "output_modalities=all": `${ALL} b/draws`,
  "output_modalities=image": "b/draws",
  "q=THIRD": "b/three",
  "q=a/ w": "a/two",
  "q=nothing": "",
  "supported_parameters=tools": "b/three",
  "supported_parameters=tools,seed": "",
  "input_modalities=image": "a/two",
  "context=5000": "a/two",
  "min_price=0.5": "a/one",
  "max_price=0.5": "a/two",
  "min_output_price=2&max_output_price=2": "a/one",
  "arch=gpt": "a/one",
  "model_authors=b": "b/three",
  "model_authors=a,b": ALL,
  "providers=second": "a/one",
  "providers=First": ALL,
  "distillable=true": "b/three",
  "distillable=false": "a/one a/two",
  "zdr=true": "a/one",
  "region=eu": ALL,
  "region=us": "",
  "max_age_days=1": "a/one",
  "min_age_days=1000": "a/two",
  "min_coding_index=1": "",
  "category=programming": ALL,
  "sort=newest": ALL,
  "sort=pricing-low-to-high": "a/two a/one b/three",
  "sort=pricing-high-to-low": ALL,
  "sort=context-high-to-low": "a/two a/one b/three",
  "sort=latency-low-to-high": ALL,
  "sort=most-popular": ALL,
  "unheard_of=1": ALL,
};

Deno.test("GET /models filters and sorts", () =>
  withModels(async ({ ids }) => {
    for (const [query, expected] of Object.entries(filters)) assert.equal(await ids(query), expected, query);
  }));

Deno.test("GET /models pages as asked, and gives everything when not", () =>
  withModels(async ({ get }) => {
    const page = async (path: string) => listSchema.parse(await (await get(path)).json());
    const first = await page("/v1/models?limit=2&sort=newest");
    assert.deepEqual([first.data.length, first.total_count], [2, 3]);
    assert.equal(first.links.next, "/v1/models?limit=2&sort=newest&offset=2");
    const second = await page(first.links.next ?? "");
    assert.deepEqual([second.data.map(({ id }) => id), second.links.next], [["b/three"], null]);
    assert.equal((await page("/v1/models?offset=50")).data.length, 0);
    assert.equal((await page("/v1/models")).links.next, null);
  }));

const wrong: Readonly<Record<string, RegExp>> = {
  "sort=best": /^sort is "best": allowed is one of most-popular, newest, /,
  "category=cooking": /^category is "cooking": allowed is one of programming, /,
  "output_modalities=text,smell":
    /^output_modalities is "text,smell": allowed is a comma-separated list of text, .*all\.$/,
  "input_modalities=x": /allowed is a comma-separated list of text, image, file, audio, video/,
  "supported_parameters=x": /allowed is a comma-separated list of temperature, /,
  "region=mars": /allowed is one of eu, us/,
  "zdr=maybe": /allowed is one of true, false/,
  "limit=0": /allowed is a whole number from 1 to 1000/,
  "limit=1001": /allowed is a whole number from 1 to 1000/,
  "limit=1.5": /allowed is a whole number/,
  "offset=-1": /allowed is a whole number from 0/,
  "min_price=cheap": /^min_price is "cheap": allowed is a number/,
};

Deno.test("GET /models refuses a value that there is not, and names those there are", () =>
  withModels(async ({ get }) => {
    for (const [query, message] of Object.entries(wrong)) {
      for (const path of ["/v1/models", "/v1/models/count", "/v1/models/user"]) {
        const response = await get(`${path}?${query}`);
        assert.equal(response.status, 400, query);
        const { error } = refusalSchema.parse(await response.json());
        assert.match(error.message, message);
        assert.equal(error.metadata.path, query.split("=")[0]);
      }
    }
  }));

Deno.test("a model is found by every way of writing its path", () =>
  withModels(async ({ get }) => {
    const read = async (path: string) => z.looseObject({}).parse(await (await get(path)).json());
    const plain = await read("/v1/models/a%2Fone");
    assert.deepEqual([plain.id, plain.object, plain.owned_by], ["a/one", "model", "a"]);
    assert.deepEqual(await read("/v1/models/a/one"), plain);
    assert.deepEqual(await read("/v1/model/a/one"), { data: plain });
    assert.deepEqual(await read("/api/v1/model/a%2Fone"), { data: plain });
    assert.deepEqual(await read("/v1/models/a%2Fone/endpoints"), await read("/v1/models/a/one/endpoints"));
    const hidden = await get("/v1/models/b/hidden");
    assert.equal(hidden.status, 200, "it works, and is not listed");
    await hidden.body?.cancel();
  }));

Deno.test("what there is not is 404, and a path that decodes to nothing is 400", () =>
  withModels(async ({ get }) => {
    for (
      const path of [
        "/v1/models/a/none",
        "/v1/model/none",
        "/v1/models/x/y/endpoints",
        "/v1/models/__proto__",
      ]
    ) {
      const response = await get(path);
      assert.equal(response.status, 404, path);
      assert.match(refusalSchema.parse(await response.json()).error.message, /^No model named/);
    }
    const odd = await get("/v1/models/a%zz");
    assert.equal(odd.status, 400);
    await odd.body?.cancel();
  }));

Deno.test("GET /models/{author}/{slug}/endpoints lists every provider of a model", () =>
  withModels(async ({ get }) => {
    const schema = z.object({ data: z.object({ id: z.string(), endpoints: z.array(z.looseObject({})) }) });
    const { data } = schema.parse(await (await get("/v1/models/a/one/endpoints")).json());
    assert.deepEqual(data.endpoints.map(({ provider_name }) => provider_name), ["First", "second"]);
    const [first, second] = data.endpoints;
    assert.deepEqual(first?.pricing, { prompt: "0.000001", completion: "0.000002" });
    assert.deepEqual(second?.pricing, { prompt: "0", completion: "0", unpriced: true });
  }));

Deno.test("the catalog's routes ask for a key", async () => {
  await using gateway = await startGateway({ providers });
  for (
    const path of [
      "models",
      "models/count",
      "models/user",
      "models/a/one",
      "model/a/one",
      "providers",
      "endpoints/zdr",
    ]
  ) {
    const response = await fetch(`${gateway.url}/v1/${path}`);
    assert.equal(response.status, 401, path);
    await response.body?.cancel();
  }
});

Deno.test("GET /models/user lists what the key's guardrails leave, the others list everything", async () => {
  await using gateway = await startGateway({ providers });
  const idsOf = async (path: string, token: string) => {
    const response = await fetch(`${gateway.url}/v1/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return listSchema.parse(await response.json()).data.map(({ id }) => id).join(" ");
  };
  const { key, record } = await createKey(gateway);
  const guard = async (fields: Readonly<Record<string, unknown>>) => {
    const { body } = await managed(gateway, { call: "POST /guardrails", body: { name: "G", ...fields } });
    const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(body).data;
    await managed(gateway, {
      call: `POST /guardrails/${id}/assignments/keys`,
      body: { key_hashes: [record.hash] },
    });
  };
  assert.equal(await idsOf("models/user", key), ALL);
  await guard({ allowed_models: ["a/*"] });
  assert.equal(await idsOf("models/user", key), "a/one a/two");
  await guard({ ignored_providers: ["first"] });
  assert.equal(await idsOf("models/user", key), "a/one");
  assert.equal(await idsOf("models", key), ALL);
  assert.equal(await idsOf("models/user", gateway.apiKey), ALL, "another key");
  assert.equal(await idsOf("models/user", gateway.managementKey), ALL);
});
