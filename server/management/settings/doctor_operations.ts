/** Checks of the gateway by itself: one run at a time, and the last report. */

import { ApiError } from "../../../shared/errors.ts";
import { DOCTOR_SECONDS, type doctorApi, type DoctorRun } from "../../../shared/management/gateway/doctor.ts";
import { SharedWork } from "../../../shared/util/memo.ts";
import { endsWithin } from "../../../shared/util/within.ts";
import type { OperationDeps } from "../core/management_deps.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { auditCaller } from "../core/write.ts";

type Api = typeof doctorApi;
type DoctorDeps = Pick<OperationDeps, "store" | "audit" | "runtime" | "checkGateway">;

export function doctorOperations(deps: DoctorDeps): OperationHandlers<Api> {
  const runs = new DoctorRuns(deps);
  return {
    "doctor.get": () => Promise.resolve({ data: runs.last ?? null, running: runs.isRunning }),
    "doctor.run": async (input) => ({ data: await runs.run(input) }),
  };
}

class DoctorRuns {
  readonly #deps: DoctorDeps;
  readonly #work = new SharedWork<"all", DoctorRun>();
  last: DoctorRun | undefined;
  isRunning = false;

  constructor(deps: DoctorDeps) {
    this.#deps = deps;
  }

  /** A second call while a run is under way gets the same report. Throws an ApiError (503) where it takes too long. */
  async run(input: Pick<OperationInput<Api["doctor.run"]>, "caller" | "requestId">): Promise<DoctorRun> {
    const { store, audit, runtime: { clock } } = this.#deps;
    const change = {
      ...auditCaller(input),
      operation: "doctor.run",
      subject: { type: "gateway", id: "gateway" },
      before: null,
      after: null,
    };
    await store.commit({ puts: [audit.put(change)] });
    const running = this.#work.run("all", () => this.#check(input.caller));
    if (await endsWithin(running, { clock, ms: DOCTOR_SECONDS * 1_000 })) return await running;
    throw new ApiError(
      "unavailable",
      `The checks take longer than ${DOCTOR_SECONDS} s. They go on; look again for their report.`,
      { retryAfter: 10 },
    );
  }

  async #check(caller: OperationInput["caller"]): Promise<DoctorRun> {
    const { clock } = this.#deps.runtime;
    const began = clock.monotonic();
    this.isRunning = true;
    try {
      const checks = await this.#deps.checkGateway(caller);
      const ran_at = new Date(clock.now()).toISOString();
      return this.last = { ran_at, took_ms: clock.monotonic() - began, checks: [...checks] };
    } finally {
      this.isRunning = false;
    }
  }
}
