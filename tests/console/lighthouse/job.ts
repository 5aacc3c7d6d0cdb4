/** Job of audit.ts, and its findings. */

export interface AuditJob {
  /** The browser's debugging port. */
  readonly port: number;
  readonly pages: readonly {
    readonly name: string;
    readonly url: string;
    /** Cookie of the session; none is sent without. */
    readonly cookie?: string;
  }[];
}

export interface PageAudit {
  readonly name: string;
  readonly finalUrl: string;
  /** From 0 to 1, by category. */
  readonly scores: Readonly<Record<string, number>>;
  /** Audits of accessibility and best practices that did not pass. */
  readonly failed: readonly string[];
}
