import assert from "node:assert/strict";
import { builtinSlugs } from "../../../shared/guardrails.ts";
import { builtinFilters } from "./builtins/mod.ts";
import { compileContentFilters } from "./content_filters.ts";
import type { FilterAction } from "./filter_strength.ts";
import { MaskMap } from "./mask_map.ts";
import { INPUT_WINDOW } from "./scanners/scan_windows.ts";
import { scanText } from "./scanners/scan_text.ts";
import { runNow } from "../../../shared/util/run_work.ts";

type Builtin = { readonly slug: typeof builtinSlugs[number]; readonly label?: string };

function viewOf(builtin: Builtin, action: FilterAction = "redact") {
  const source = { id: "g", scope: "api-key", content_filters: null } as const;
  return compileContentFilters([{ ...source, content_filter_builtins: [{ ...builtin, action }] }])?.others;
}

/** By label, what stands for a match. */
const labels: readonly (readonly [label: string | undefined, placeholder: string | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["CUSTOMER", "[CUSTOMER]"],
  ["[CUSTOMER]", "[CUSTOMER]"],
  ["of a customer", "[of a customer]"],
];

Deno.test("the label of a built-in filter names what stands for its matches", () => {
  for (const slug of builtinSlugs) {
    for (const [label, placeholder] of labels) {
      const [filter] = viewOf(label === undefined ? { slug } : { slug, label })?.filters ?? [];
      assert.equal(filter?.placeholder, placeholder ?? builtinFilters[slug].placeholder, `${slug} ${label}`);
      assert.equal(filter.members[0]?.slug, slug);
    }
  }
});

Deno.test("a labelled built-in filter redacts and masks by its label", () => {
  for (const [action, written] of [["redact", "to [CUSTOMER]"], ["mask", "to [CUSTOMER_1]"]] as const) {
    const view = viewOf({ slug: "email", label: "CUSTOMER" }, action);
    assert.ok(view);
    const masks = new MaskMap();
    const options = { view, window: INPUT_WINDOW, report: () => {}, masks };
    assert.equal(runNow(scanText("to ann@example.org", options)), written);
    assert.equal(masks.unmask(written), action === "mask" ? "to ann@example.org" : written);
  }
});
