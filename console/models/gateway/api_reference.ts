/** The API as its own document describes it: operations by family, and a request of one by the session's key. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { isRecord } from "../../../shared/util/json.ts";
import { ApiFailure, type ConsoleApi, queryOf } from "../../api.ts";
import { createResource, toError } from "../../resource.ts";
import type { Router } from "../../router.ts";
import { isModelCall } from "./api_rules.ts";

interface ApiParameter {
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly required: boolean;
  /** Values in short: `string`, `daily, weekly`. */
  readonly takes: string;
}

export interface ApiOperation {
  /** `keys.create`. */
  readonly id: string;
  readonly family: string;
  readonly method: string;
  /** `/v1/keys/{hash}`. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly ApiParameter[];
  readonly body: { readonly schema: unknown; readonly example: unknown } | undefined;
  readonly replies: readonly { readonly status: string; readonly about: string }[];
  /** Schema of the good answer; undefined where it is no JSON. */
  readonly answer: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const record = (value: unknown): Json => isRecord(value) ? value : {};
const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

/** Describes in short what a schema takes. */
function wordsOf(schema: Json): string {
  const { enum: values, const: only, type, format, anyOf } = schema;
  if (Array.isArray(values)) return values.join(", ");
  if (only !== undefined) return String(only);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one) => wordsOf(record(one))))].join(", ");
  return typeof format === "string" ? format : typeof type === "string" ? type : "JSON";
}

/** The operations of an OpenAPI document, in its order. */
export function operationsOf(document: Json): readonly ApiOperation[] {
  const resolve = (value: unknown): Json => resolved(document, value);
  return Object.entries(record(document.paths)).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, found]) =>
      toOperation(record(found), { path, method: method.toUpperCase(), resolve })
    )
  );
}

/** The component that a reference names, or the value itself. */
function resolved(document: Json, value: unknown): Json {
  const { $ref } = record(value);
  if (typeof $ref !== "string") return record(value);
  return $ref.slice(2).split("/").reduce(
    (at, name) => record(new Map(Object.entries(at)).get(name)),
    document,
  );
}

interface Surroundings {
  readonly path: string;
  readonly method: string;
  readonly resolve: (value: unknown) => Json;
}

function toOperation(found: Json, { path, method, resolve }: Surroundings): ApiOperation {
  const replies = Object.entries(record(found.responses)).map(([status, reply]) => ({
    status,
    ...resolve(reply),
  }));
  const media = record(record(record(found.requestBody).content)["application/json"]);
  const good: Json = replies.find(({ status }) => status.startsWith("2")) ?? {};
  return {
    id: String(found.operationId),
    family: String(list(found.tags)[0] ?? ""),
    method,
    path,
    summary: String(found.summary ?? ""),
    parameters: list(found.parameters).map((one) => toParameter(resolve(one))),
    body: Object.keys(media).length === 0 ? undefined : { schema: media.schema, example: media.example },
    replies: replies.map((reply) => ({
      status: reply.status,
      about: String(record(reply).description ?? ""),
    })),
    answer: record(record(good.content)["application/json"]).schema,
  };
}

function toParameter({ name, required, schema, description, ...more }: Json): ApiParameter {
  const place = more.in;
  return {
    name: String(name),
    place: place === "path" || place === "header" ? place : "query",
    required: required === true,
    takes: typeof description === "string" ? description : wordsOf(record(schema)),
  };
}

/** Parameters that a manager's request needs although an API key's does not: they begin with the shown workspace. */
const workspaceParameters: ReadonlyMap<string, string> = new Map([["route.explain", "workspace_id"]]);

/** Values that the form has, by the parameter's name. */
type Values = ReadonlyMap<string, string>;

/** The console's own address for a request. */
export function addressOf(operation: ApiOperation, values: Values): string {
  const { path, parameters } = operation;
  const own = path.startsWith("/v1/")
    ? `/console/api${isModelCall(operation) ? "/playground" : ""}${path.slice(3)}`
    : path;
  const filled = own.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const query = parameters.filter(({ place }) => place === "query").flatMap(({ name }) => {
    const value = values.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return filled + queryOf(Object.fromEntries(query));
}

interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** Characters that the text has beyond what is shown. */
  readonly more: number;
}

/** Characters of an answer that are shown. */
const MOST_CHARS = 50_000;

function answerOf(status: number, text: string): ApiAnswer {
  return { status, text: text.slice(0, MOST_CHARS), more: Math.max(0, text.length - MOST_CHARS) };
}

interface ApiReferenceDeps {
  readonly api: Pick<ConsoleApi, "send">;
  readonly router: Pick<Router, "query" | "setQuery">;
}

export class ApiReferenceModel {
  readonly #deps: ApiReferenceDeps;
  readonly operations = createResource(async (signal) => {
    const response = await this.#deps.api.send("GET", "/openapi.json", { signal });
    return operationsOf(record(await response.json()));
  });

  constructor(deps: ApiReferenceDeps) {
    this.#deps = deps;
  }

  readonly search = computed(() => this.#deps.router.query.value.get("q") ?? "");
  readonly found = computed(() => {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    return this.operations.data.value?.filter(({ id, method, path, summary }) => {
      const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  });
  readonly opened = computed(() => {
    const id = this.#deps.router.query.value.get("open");
    return this.operations.data.value?.find((one) => one.id === id);
  });

  setSearch(q: string): void {
    this.#deps.router.setQuery({ q });
  }

  open(id: string | undefined): void {
    this.#deps.router.setQuery({ open: id }, { push: true });
  }

  /** Opens the operation before or behind the open one; undefined where there is none. */
  neighbor(step: 1 | -1): (() => void) | undefined {
    const all = this.found.value ?? [];
    const at = all.findIndex(({ id }) => id === this.opened.value?.id);
    const next = at < 0 ? undefined : all[at + step];
    return next && (() => this.open(next.id));
  }
}

interface ApiTrialDeps {
  readonly api: Pick<ConsoleApi, "send">;
  /** Workspace that a manager looks at; undefined for holders of API keys. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

/** One operation, and the request that is being written. */
export class ApiTrialModel {
  readonly #deps: ApiTrialDeps;
  readonly #typed = signal<Values>(new Map());
  readonly operation: ApiOperation;
  readonly body;
  readonly answer = signal<ApiAnswer | undefined>(undefined);

  constructor(operation: ApiOperation, deps: ApiTrialDeps) {
    this.#deps = deps;
    this.operation = operation;
    this.body = signal(
      operation.body === undefined ? "" : JSON.stringify(operation.body.example ?? {}, null, 2),
    );
  }

  /** Values that are typed, over those that the form begins with. */
  readonly values = computed<Values>(() => {
    const name = workspaceParameters.get(this.operation.id);
    const id = this.#deps.workspaceId.value;
    return new Map([...name && id ? [[name, id] as const] : [], ...this.#typed.value]);
  });
  /** Whether the body is JSON, and nothing that is needed is missing. */
  readonly isComplete = computed(() =>
    this.#parsed() !== undefined &&
    this.operation.parameters.every(({ name, required }) =>
      !required || (this.values.value.get(name) ?? "") !== ""
    )
  );

  set(name: string, value: string): void {
    this.#typed.value = new Map([...this.#typed.value, [name, value]]);
  }

  #parsed(): { readonly body: unknown } | undefined {
    if (this.operation.body === undefined) return { body: undefined };
    try {
      return { body: JSON.parse(this.body.value) };
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Sends it; what the gateway refuses is an answer too. */
  async send(): Promise<void> {
    const { method, parameters } = this.operation;
    const headers = parameters.filter(({ place }) => place === "header").flatMap(({ name }) => {
      const value = this.values.value.get(name) ?? "";
      return value === "" ? [] : [[name, value] as const];
    });
    try {
      const response = await this.#deps.api.send(method, addressOf(this.operation, this.values.value), {
        body: this.#parsed()?.body,
        headers: Object.fromEntries(headers),
      });
      this.answer.value = answerOf(response.status, pretty(await response.text()));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw toError(error);
      const { status, message, metadata } = error;
      this.answer.value = answerOf(status, JSON.stringify({ message, metadata }, null, 2));
    }
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
