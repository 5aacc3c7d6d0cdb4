/** Filters of receipts: by what the index finds, and by what each receipt is looked at for. */

import type { ReceiptFilterQuery } from "../../../shared/management/receipts.ts";
import { toNanoUsd, toUsdNumber } from "../../../shared/money.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import { guardrailValue, indexedValues, receiptFields } from "../../billing/ledger/index/receipt_index.ts";
import type { ReceiptFields, ReceiptQuery } from "../../billing/ledger/index/receipt_list.ts";

export type ReceiptFilter = Pick<ReceiptQuery, "filters" | "since" | "until" | "test">;

/** Tests of a receipt, one for each field that no index answers; absent fields ask for nothing. */
type ReceiptTest = (receipt: Receipt) => boolean;

/** Whether a call failed and another one was made after it. */
function hasFallenBack({ attempts }: Pick<Receipt, "attempts">): boolean {
  return attempts.slice(0, -1).some(({ status, code }) => code !== undefined || status < 200 || status > 299);
}

const fold = (text: string): string => text.toLowerCase();

/** Texts in which `q` is looked for. */
function textsOf(receipt: Receipt): readonly (string | null | undefined)[] {
  const { error, requested_model, model, user, external_user, session_id, app_title } = receipt;
  return [error?.message, requested_model, model, user, external_user, session_id, app_title];
}

function testsOf(query: ReceiptFilterQuery): readonly ReceiptTest[] {
  const { requested_model: asked, error_kind, session_id, user, preset: slug } = query;
  const { min_cost, min_ms, fell_back, q } = query;
  const wanted = q === undefined ? undefined : fold(q);
  const tests: readonly (ReceiptTest | undefined)[] = [
    asked === undefined ? undefined : ({ requested_model }) => requested_model === asked,
    error_kind === undefined ? undefined : ({ error }) => error?.kind === error_kind,
    session_id === undefined ? undefined : (receipt) => receipt.session_id?.startsWith(session_id) === true,
    user === undefined ? undefined : (receipt) => [receipt.user, receipt.external_user].includes(user),
    slug === undefined ? undefined : ({ preset }) => preset?.slug === slug,
    min_cost === undefined ? undefined : ({ cost }) => toUsdNumber(toNanoUsd(cost)) >= min_cost,
    min_ms === undefined ? undefined : ({ total_ms }) => total_ms >= min_ms,
    fell_back === undefined ? undefined : (receipt) => hasFallenBack(receipt) === fell_back,
    wanted === undefined
      ? undefined
      : (receipt) => textsOf(receipt).some((text) => text != null && fold(text).includes(wanted)),
  ];
  return tests.filter((test) => test !== undefined);
}

const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

interface ModelNames {
  /** The id of the model that a name means; the name itself where it means none. */
  readonly modelId: (name: string) => string;
}

export function receiptFilterOf(query: ReceiptFilterQuery, { modelId }: ModelNames): ReceiptFilter {
  const { api_key_hash: key, workspace_id: workspace, model, provider, status, tag } = query;
  const guardrail = guardrailValue({ id: query.guardrail_id, action: query.guardrail_action }) || undefined;
  const tests = testsOf(query);
  return {
    filters: { key, workspace, model: model && modelId(model), provider, status, guardrail, tag },
    since: momentOf(query.since),
    until: momentOf(query.until),
    ...(tests.length === 0 ? {} : { test: (receipt: Receipt) => tests.every((test) => test(receipt)) }),
  };
}

/** Whether a receipt passes everything but the range of time. */
export function passesFilter(receipt: Receipt, { filters, test }: ReceiptFilter): boolean {
  return receiptFields.every((field) => hasValue(receipt, { field, filters })) && (test?.(receipt) ?? true);
}

interface FieldFilter {
  readonly field: typeof receiptFields[number];
  readonly filters: ReceiptFields;
}

function hasValue(receipt: Receipt, { field, filters }: FieldFilter): boolean {
  const wanted = filters[field];
  return wanted === undefined || indexedValues(receipt, field).includes(wanted);
}
