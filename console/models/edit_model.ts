/** A record with what is changed of it before it is saved: draft, version, refusal. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type Answer, ApiFailure } from "../api.ts";
import { createResource, toError } from "../resource.ts";

/** How a kind of records is edited. */
export interface EditForm<T, Draft, Changes> {
  readonly read: (signal: AbortSignal) => Promise<Answer<T>>;
  /** The record as it is in a list, which shows while the newest is being read. */
  readonly known?: T | undefined;
  /** Undefined where there is nothing to change before the record is there. */
  readonly draftOf: (record: T | undefined) => Draft | undefined;
  /** Body that a save would send: the fields that differ from the record. */
  readonly changesOf: (draft: Draft, record: T | undefined) => Changes;
}

/** Fields that were typed anew since `sent`. */
export function typedSince<T extends object>(typed: T, sent: T): T {
  const before = new Map<string, unknown>(Object.entries(sent));
  const since = Object.entries(typed).filter(([name, value]) => !Object.is(value, before.get(name)));
  return toFields<T>(Object.fromEntries(since));
}

/** Some fields of an object whose fields may all be missing. */
const toFields = <T extends object>(fields: object) => fields as T;

export class EditModel<T, Draft extends object, Changes extends object> {
  readonly #form: EditForm<T, Draft, Changes>;
  readonly record = createResource((abort) => this.#read(abort));
  /** Fields that were typed and are not saved. */
  protected readonly typed = signal<Partial<Draft>>({});
  /** Version of the record as it was read or saved last. */
  #version: string | undefined;
  /** Version that the typed changes build on: of when typing began, or of the last `reload`. */
  #typedOn: string | undefined;
  readonly saving = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(form: EditForm<T, Draft, Changes>) {
    this.#form = form;
  }

  readonly saved = computed(() => this.record.data.value ?? this.#form.known);
  /** The draft without what was typed. */
  protected readonly before = computed(() => this.#form.draftOf(this.saved.value));
  readonly draft = computed((): Draft | undefined => {
    const before = this.before.value;
    return before && { ...before, ...this.typed.value };
  });
  protected readonly body = computed((): Partial<Changes> => {
    const draft = this.draft.value;
    return draft === undefined ? {} : this.#form.changesOf(draft, this.saved.value);
  });
  readonly isChanged = computed(() => Object.keys(this.body.value).length > 0);
  /** The refusal was that another client has changed the record. */
  readonly isConflict = computed(() =>
    this.refusal.value instanceof ApiFailure && this.refusal.value.isConflict
  );

  /** Why it could not be saved, or else why it could not be read. */
  readonly fault: ReadonlySignal<Error | undefined> = computed(() =>
    this.refusal.value ?? this.record.failure.value
  );
  /** Somebody has deleted it: it cannot be read or saved any more. One that was never read may never have been. */
  readonly isGone = computed(() =>
    this.saved.value !== undefined &&
    [this.refusal.value, this.record.failure.value].some((failure) =>
      failure instanceof ApiFailure && failure.isGone
    )
  );

  type(changes: Partial<Draft>): void {
    if (!this.isChanged.peek()) this.#typedOn = this.#version;
    this.typed.value = { ...this.typed.value, ...changes };
  }

  discard(): void {
    this.typed.value = {};
    this.#typedOn = undefined;
    this.refusal.value = undefined;
  }

  /** Forgets what was sent: what was typed since then stays, and builds on what was saved. */
  protected forget(sent: Partial<Draft>): void {
    this.typed.value = typedSince(this.typed.peek(), sent);
  }

  /** Reads what another client has made of it, and keeps what was typed. */
  async reload(): Promise<void> {
    this.refusal.value = undefined;
    await this.readAgain();
  }

  /** From now on what is typed builds on the newest. */
  protected async readAgain(): Promise<void> {
    await this.record.load();
    this.#typedOn = this.#version;
  }

  /**
   * Saves by `send`, which is given the version for `ifMatch`: that of a list is not known, so the newest is read first.
   * False where it throws: that is the refusal then.
   */
  protected async attempt(send: (ifMatch: string | undefined) => Promise<void>): Promise<boolean> {
    this.saving.value = true;
    this.refusal.value = undefined;
    try {
      if (this.#form.known !== undefined && this.record.data.peek() === undefined) await this.#readFirst();
      await send(this.#typedOn);
      return true;
    } catch (error) {
      this.refusal.value = toError(error);
      return false;
    } finally {
      this.saving.value = false;
    }
  }

  /** Throws why it cannot be read; a lost connection is told by what is sent then. */
  async #readFirst(): Promise<void> {
    await this.record.load();
    const failure = this.record.failure.peek();
    if (failure !== undefined) throw failure;
  }

  /** Takes what the gateway has saved; what was typed meanwhile builds on it. */
  protected accept({ body, etag }: Answer<T>): void {
    this.#version = etag;
    this.#typedOn = etag;
    this.record.set(body);
  }

  async #read(signal: AbortSignal): Promise<T> {
    const { body, etag } = await this.#form.read(signal);
    this.#version = etag;
    if (this.isChanged.peek()) this.#typedOn ??= etag;
    return body;
  }
}
