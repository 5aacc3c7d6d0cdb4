/** The panel of one destination, or of a new one: what is changed of it before it is saved. */

import { computed, signal } from "@preact/signals";
import type { DestinationTest, ShownDestination } from "../../../shared/observability/records.ts";
import { type ConsoleApi, operation, type OperationBody } from "../../api.ts";
import type { Change } from "../../components/diff.tsx";
import { EditModel } from "../edit_model.ts";
import { destinationChanges } from "./destination_changes.ts";
import {
  changedBody,
  type DestinationDraft,
  draftOf,
  emptyDestination,
  newBody,
} from "./destination_draft.ts";
import { type DestinationProblems, draftProblems, isSound, refusedField } from "./destination_problems.ts";

const getDestination = operation<"destinations.get">("GET", "/observability/destinations/:id");
const createDestination = operation<"destinations.create">("POST", "/observability/destinations");
const updateDestination = operation<"destinations.update">("PATCH", "/observability/destinations/:id");
const testDestination = operation<"destinations.test">("POST", "/observability/destinations/:id/test");

type DestinationFields = OperationBody<"destinations.update">;

interface DestinationEditDeps {
  readonly api: Pick<ConsoleApi, "call">;
  /** The destination as it is in the list; undefined for a new one. */
  readonly known: ShownDestination | undefined;
  /** Workspace that a new one begins with. */
  readonly workspaceId?: string;
  /** It was read or saved. */
  readonly onChange: (record: ShownDestination) => void;
}

export class DestinationEditModel extends EditModel<ShownDestination, DestinationDraft, DestinationFields> {
  readonly #deps: DestinationEditDeps;
  /** The user has tried to create it: what is wrong is said from then on. */
  readonly #tried = signal(false);
  /** Typed fields of a save that was refused: its faults are told until something else is typed. */
  readonly #refused = signal<Partial<DestinationDraft> | undefined>(undefined);

  constructor(deps: DestinationEditDeps) {
    const { api, known, workspaceId = "" } = deps;
    const before = (record: ShownDestination | undefined) =>
      record === undefined ? { ...emptyDestination, workspaceId } : draftOf(record);
    super({
      known,
      draftOf: before,
      changesOf: (draft, record) => changedBody(before(record), draft),
      read: async (abort) => {
        const params = { id: known?.id ?? "" };
        const { data } = await api.call(getDestination, { params, signal: abort });
        deps.onChange(data);
        return { body: data, etag: undefined };
      },
    });
    this.#deps = deps;
  }

  get isNew(): boolean {
    return this.#deps.known === undefined;
  }

  /** All that is wrong, whether the user has tried to save or not. */
  readonly #own = computed((): DestinationProblems =>
    this.draft.value === undefined ? {} : draftProblems(this.draft.value, this.saved.value)
  );
  /** A fault that the gateway has found, with its field. */
  readonly #refusedField = computed(() => {
    const draft = this.draft.value;
    if (draft === undefined || this.#refused.value !== this.typed.value) return undefined;
    return refusedField(this.refusal.value, draft);
  });
  readonly problems = computed((): DestinationProblems => {
    const own = this.isNew && !this.#tried.value ? {} : this.#own.value;
    const refused = this.#refusedField.value;
    return refused === undefined ? own : { ...own, [refused.field]: refused.problem };
  });
  /** Not of a refusal that is about a field. */
  override readonly fault = computed(() => {
    const [refusal, draft] = [this.refusal.value, this.draft.value];
    const isAtField = draft !== undefined && refusedField(refusal, draft) !== undefined;
    return (isAtField ? undefined : refusal) ?? this.record.failure.value;
  });

  /** Before → after. */
  readonly changes = computed((): readonly Change[] => {
    const [before, draft] = [this.before.value, this.draft.value];
    if (before === undefined || draft === undefined || !this.isChanged.value) return [];
    return destinationChanges({ before, after: draft, record: this.saved.value });
  });
  readonly canSave = computed(() =>
    !this.saving.value && (this.isNew || (this.isChanged.value && isSound(this.#own.value)))
  );

  async save(): Promise<boolean> {
    this.#tried.value = true;
    const [draft, sent] = [this.draft.value, this.typed.value];
    if (!this.canSave.value || draft === undefined || !isSound(this.#own.value)) return false;
    const done = await this.attempt(async () => {
      const record = await this.#send(draft);
      this.forget(sent);
      this.accept({ body: record, etag: undefined });
      this.#deps.onChange(record);
    });
    if (!done) this.#refused.value = sent;
    return done;
  }

  async #send(draft: DestinationDraft): Promise<ShownDestination> {
    const { api, known } = this.#deps;
    if (known === undefined) return (await api.call(createDestination, { body: newBody(draft) })).data;
    const params = { id: known.id };
    return (await api.call(updateDestination, { params, body: this.body.value })).data;
  }

  /** Sends an empty message. Throws what the gateway refuses. */
  async test(): Promise<DestinationTest> {
    const params = { id: this.#deps.known?.id ?? "" };
    return (await this.#deps.api.call(testDestination, { params })).data;
  }
}
