/** Checks that the gateway makes of itself: the last report, and a run. */

import { signal } from "@preact/signals";
import type { DoctorCheck } from "../../../shared/management/gateway/doctor.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource, toError } from "../../resource.ts";

const getChecks = operation<"doctor.get">("GET", "/doctor");
const runChecks = operation<"doctor.run">("POST", "/doctor");

const order = ["failed", "warning", "ok"] as const;

/** Checks that failed first, then the warnings. */
export function byVerdict(checks: readonly DoctorCheck[]): readonly DoctorCheck[] {
  return order.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
}

export class DoctorModel {
  readonly #api: Pick<ConsoleApi, "call">;
  readonly report = createResource((abort) => this.#api.call(getChecks, { signal: abort }));
  readonly busy = signal(false);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(api: Pick<ConsoleApi, "call">) {
    this.#api = api;
  }

  async run(): Promise<void> {
    this.busy.value = true;
    this.refusal.value = undefined;
    try {
      const { data } = await this.#api.call(runChecks);
      this.report.set({ data, running: false });
    } catch (error) {
      this.refusal.value = toError(error);
    } finally {
      this.busy.value = false;
    }
  }
}
