/** The input of deno task doctor: a gateway, its machine and what it has written. */

import type { Config } from "../../config/config.ts";
import type { Runtime } from "../../runtime.ts";
import type { ProviderInput } from "./provider_checks.ts";

/** Where prices are from and how old they are, and those that moved by more than five times, a line each. */
interface PriceReport {
  readonly ages: string;
  readonly warning?: string;
  readonly moves: readonly string[];
}

/** How many models have scores that routers rank by, in words. */
interface ScoreReport {
  readonly coverage: string;
  readonly warning?: string;
}

/** Ends of models by their providers, a line each: of those that the configuration file names, and of others. */
interface RetirementReport {
  readonly named: readonly string[];
  readonly others: readonly string[];
}

interface BooksRead {
  /** Summary of what was read, in words. */
  readonly read: string;
  readonly troubles: readonly string[];
}

export interface DoctorOptions {
  readonly config: Config;
  readonly runtime: Pick<Runtime, "clock" | "fetch">;
  /** Addresses of the gateways that share the store, without trailing slashes. The first one is looked at closely. */
  readonly urls: readonly string[];
  /** The operator named the addresses: the gateway may have other settings and another machine than this command. */
  readonly isElsewhere: boolean;
  readonly managementKey: string | undefined;
  /** Milliseconds since the epoch before which no honest clock stands: the day of the catalog. */
  readonly notBefore: number;
  /** Requests of each race. */
  readonly requests: number;
  /** Looks at files; the mode bits of a path, undefined where there is none. */
  readonly modeOf: (path: string) => number | undefined;
  /** True when the process may do everything on this machine. */
  readonly isRoot: boolean;
  /** Reads all that the ledger has written; undefined where its store is out of reach. */
  readonly books?: () => Promise<BooksRead>;
  /** Asks the moderation service for a verdict; the reason where there is none. Absent: there is no service to ask. */
  readonly probe?: () => Promise<string | undefined>;
  readonly width: number;
  /** Providers of the settings; each is asked for its list of models. */
  readonly providers: readonly ProviderInput[];
  /** The report is JSON. */
  readonly asJson: boolean;
  /** Report on the prices of the providers that are on. */
  readonly prices: PriceReport;
  readonly scores: ScoreReport;
  readonly retirements: RetirementReport;
}
