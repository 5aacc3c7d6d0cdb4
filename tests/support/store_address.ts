import assert from "node:assert/strict";
import { parseStoreAddress, type PostgresAddress } from "../../server/config/store_address.ts";

/** The parts of an address that is one. */
export function addressOf(url: string): PostgresAddress {
  const reading = parseStoreAddress(url);
  assert.ok("value" in reading, "not an address of a store");
  return reading.value;
}
