/** Endpoints of a model: where it is served, at what price, how fast, and how they stand. */

import type { ManagedModel, ModelEndpoint } from "../../../shared/management/gateway/models.ts";
import { formatCount, formatMs, formatPercent } from "../../format.ts";
import { modelPanelText, modelsText } from "../../text/models.ts";
import { priceText } from "./catalog_table.tsx";
import { EndpointStanding } from "./endpoint_standing.tsx";

function Name({ endpoint }: { readonly endpoint: ModelEndpoint }) {
  const { provider_name: name, region, quantization, is_byok: isByok, allowed, reason } = endpoint;
  const price = endpoint.unpriced
    ? modelsText.unpriced
    : modelPanelText.endpointPrice(priceText(endpoint, "prompt"), priceText(endpoint, "completion"));
  const facts = [price, isByok ? modelPanelText.byok : null, region, quantization];
  const text = facts.filter((fact) => fact !== null).join(" · ");
  return (
    <>
      <span class="block cut" title={name}>
        <bdi>{name}</bdi>
      </span>
      <span class="sub block cut" title={text}>
        <bdi>{text}</bdi>
      </span>
      {allowed ? <EndpointStanding {...endpoint} /> : (
        <span class="sub block wrap-text">
          <bdi>{modelPanelText.notAllowed(reason ?? "")}</bdi>
        </span>
      )}
    </>
  );
}

export function ModelEndpoints({ model: { endpoints } }: { readonly model: ManagedModel }) {
  const { provider, p50, speed, uptime } = modelPanelText;
  return (
    <section aria-label={modelPanelText.endpoints}>
      <h3>{modelPanelText.endpoints}</h3>
      <table class="mini tall">
        <thead>
          <tr>
            <th scope="col">{provider}</th>
            <th scope="col" class="num">{p50}</th>
            <th scope="col" class="num">{speed}</th>
            <th scope="col" class="num">{uptime}</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => {
            const { endpoint_id: id, p50_ms, tokens_per_second: rate, uptime_last_1d } = endpoint;
            return (
              <tr key={id}>
                <td class="cut">
                  <Name endpoint={endpoint} />
                </td>
                <td class="num">{p50_ms === null ? "–" : formatMs(p50_ms)}</td>
                <td class="num">{rate === null ? "–" : formatCount(Math.round(rate))}</td>
                <td class="num">{uptime_last_1d === null ? "–" : formatPercent(uptime_last_1d / 100)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
