/** The bill of a request, line by line, and where its prices are from. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { formatCount, formatDay, formatMs, formatUsd, shortModel } from "../../format.ts";
import { type BillPart, billParts, formatBill, formatPerMillion } from "../../models/requests/bill.ts";
import { purposeName, rateName, receiptText } from "../../text/receipt.ts";

function Part({ part, hasCalls }: { readonly part: BillPart; readonly hasCalls: boolean }) {
  const { call, lines } = part;
  return (
    <>
      {hasCalls && call !== undefined && (
        <tr class="part-row">
          <th scope="rowgroup" colSpan={4}>
            {receiptText.step} {call.step}: {purposeName(call.purpose)}
            {call.model !== null && <bdi class="faint">{` ${shortModel(call.model)}`}</bdi>}
          </th>
        </tr>
      )}
      {lines.map(({ rate, quantity, perMillion, cost }, at) => (
        <tr key={at}>
          <td class="cut" title={rate}>{rateName(rate)}</td>
          <td class="num">{formatCount(quantity)}</td>
          <td class="num wide">{perMillion === null ? "–" : formatPerMillion(perMillion)}</td>
          <td class="num">{cost === null ? "–" : formatBill(cost)}</td>
        </tr>
      ))}
    </>
  );
}

/** Sentences about the prices and about what is odd. */
function priceNotes(receipt: ReceiptRecord): readonly string[] {
  const { price_source: source, lines, unpriced, estimated, reported_cost, cache_discount, overrun } =
    receipt;
  const from = source === null
    ? receiptText.ownPrices
    : receiptText.prices(source.name, formatDay(source.date));
  return [
    lines.length === 0 ? undefined : from,
    unpriced ? receiptText.unpriced : undefined,
    receipt.unpriced_tier ? receiptText.unpricedTier : undefined,
    estimated ? receiptText.estimated : undefined,
    reported_cost === null ? undefined : receiptText.reported(formatBill(reported_cost)),
    cache_discount === null || cache_discount === 0
      ? undefined
      : receiptText.discount(formatBill(cache_discount)),
    overrun > 0 ? receiptText.overrun(formatBill(overrun)) : undefined,
  ].filter((note) => note !== undefined);
}

export function Bill({ receipt, keyName }: { readonly receipt: ReceiptRecord; readonly keyName: string }) {
  const parts = billParts(receipt);
  const notes = priceNotes(receipt);
  return (
    <section aria-label={receiptText.bill}>
      <div class="section-head">
        <h3>{receiptText.bill}</h3>
        {receipt.reserved > 0 && (
          <span class="push small soft">{receiptText.reserved(formatUsd(receipt.reserved, 4))}</span>
        )}
      </div>
      {parts.length === 0 ? <p class="small soft">{receiptText.noLines}</p> : (
        <table class="mini">
          <thead>
            <tr>
              <th scope="col">{receiptText.what}</th>
              <th scope="col" class="num">{receiptText.quantity}</th>
              <th scope="col" class="num wide">{receiptText.perMillion}</th>
              <th scope="col" class="num">{receiptText.amount}</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part, at) => <Part key={at} part={part} hasCalls={receipt.calls !== undefined} />)}
          </tbody>
          <tfoot>
            <tr>
              <td class="cut" colSpan={2} title={keyName}>{receiptText.chargedTo(keyName)}</td>
              <td class="wide" />
              <td class="num">{formatBill(receipt.cost)}</td>
            </tr>
          </tfoot>
        </table>
      )}
      {notes.length > 0 && <p class="small soft">{notes.join(" ")}</p>}
    </section>
  );
}

/** Calls of a request that made several: turns of its model, tools and plugins. */
export function Calls({ receipt: { calls } }: { readonly receipt: ReceiptRecord }) {
  if (calls === undefined) return null;
  return (
    <section aria-label={receiptText.calls}>
      <div class="section-head">
        <h3>{receiptText.calls}</h3>
        <span class="small faint">
          {receiptText.callCount(calls.reduce((sum, { count = 1 }) => sum + count, 0))}
        </span>
      </div>
      <table class="mini">
        <thead>
          <tr>
            <th scope="col">{receiptText.step}</th>
            <th scope="col">{receiptText.purpose}</th>
            <th scope="col" class="num">{receiptText.time}</th>
            <th scope="col" class="num">{receiptText.cost}</th>
          </tr>
        </thead>
        <tbody>{calls.map((call, at) => <CallRow key={at} call={call} />)}</tbody>
      </table>
    </section>
  );
}

function CallRow({ call }: { readonly call: NonNullable<ReceiptRecord["calls"]>[number] }) {
  const { step, purpose, model, provider, status, latency_ms, cost, commands, command_seconds, count } = call;
  const served = [model === null ? undefined : shortModel(model), provider].filter((part) => part != null);
  const ran = commands === undefined || commands === 0
    ? undefined
    : receiptText.commands(commands, formatMs(1_000 * (command_seconds ?? 0)));
  const detail = [
    ...served,
    count === undefined ? undefined : receiptText.callCount(count),
    ran,
    status === "completed" ? undefined : status,
  ].filter((part) => part !== undefined).join(" · ");
  return (
    <tr>
      <td>{step}</td>
      <td class="cut" title={`${purposeName(purpose)} ${detail}`}>
        <bdi>{purposeName(purpose)}</bdi>
        {detail !== "" && <div class="sub">{detail}</div>}
      </td>
      <td class="num">{formatMs(latency_ms)}</td>
      <td class="num">{formatUsd(cost, 4)}</td>
    </tr>
  );
}
