/** One model beside the list: its prices and where they come from, its endpoints, and who may use it. */

import type { ComponentChildren } from "preact";
import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import { Callout } from "../../components/callout.tsx";
import { app } from "../../app.ts";
import { Id } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { formatDay, formatLimit } from "../../format.ts";
import type { CatalogModel } from "../../models/catalog/catalog.ts";
import { conditionalPrices, furtherPrices } from "../../models/catalog/model_figures.ts";
import { modelPanelText, modelsText } from "../../text/models.ts";
import { EndpointCount, ModelRequests, priceText } from "./catalog_table.tsx";
import { ModelAccessList } from "./model_access_list.tsx";
import { ModelEndpoints } from "./model_endpoints.tsx";

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

const words = (list: readonly string[]): string =>
  list.length === 0 ? modelPanelText.unknown : list.map((word) => word.replaceAll("_", " ")).join(", ");

function About({ model }: { readonly model: ManagedModel }) {
  const { id, description, context_length: context, created } = model;
  return (
    <section aria-label={modelPanelText.about}>
      <h3>{modelPanelText.about}</h3>
      {description !== null && description !== "" && (
        <p class="soft caller-text">
          <bdi>{description}</bdi>
        </p>
      )}
      <dl class="facts">
        <Fact name={modelPanelText.id}>
          <bdi class="mono">{id}</bdi>
        </Fact>
        <Fact name={modelPanelText.context}>
          {context === null ? modelPanelText.unknown : modelPanelText.tokens(context)}
        </Fact>
        <Fact name={modelPanelText.takes}>{words(model.input_modalities)}</Fact>
        <Fact name={modelPanelText.writes}>{words(model.output_modalities)}</Fact>
        {model.supported_parameters.length > 0 && (
          <Fact name={modelPanelText.parameters}>{words(model.supported_parameters)}</Fact>
        )}
        {created > 0 && <Fact name={modelPanelText.created}>{formatDay(created * 1_000)}</Fact>}
        <Fact name={modelPanelText.requests}>
          <ModelRequests model={model} />
        </Fact>
      </dl>
    </section>
  );
}

function Prices({ model }: { readonly model: ManagedModel }) {
  const { unpriced, price_source: source } = model;
  if (unpriced) {
    return (
      <section aria-label={modelPanelText.prices}>
        <h3>{modelPanelText.prices}</h3>
        <Callout tone="warn">
          <b>{modelsText.unpriced}</b>
          <p class="soft">{modelPanelText.unpricedText}</p>
        </Callout>
      </section>
    );
  }
  return (
    <section aria-label={modelPanelText.prices}>
      <h3>{modelPanelText.prices}</h3>
      <dl class="facts">
        <Fact name={modelPanelText.input}>{modelPanelText.aMillion(priceText(model, "prompt"))}</Fact>
        <Fact name={modelPanelText.output}>{modelPanelText.aMillion(priceText(model, "completion"))}</Fact>
        {furtherPrices(model).map(({ name, usd, isByTokens }) => (
          <Fact key={name} name={name.replaceAll("_", " ")}>
            {isByTokens ? modelPanelText.aMillion(formatLimit(usd)) : modelPanelText.each(formatLimit(usd))}
          </Fact>
        ))}
        {conditionalPrices(model).map(({ conditions, pricing }, at) => (
          <Fact key={at} name={modelPanelText.otherwise}>
            <bdi>
              {modelPanelText.endpointPrice(
                priceText({ pricing, unpriced: false }, "prompt"),
                priceText({ pricing, unpriced: false }, "completion"),
              )} {modelPanelText.where(conditions)}
            </bdi>
          </Fact>
        ))}
        <Fact name={modelPanelText.source}>
          <bdi>
            {source === null
              ? modelPanelText.ownSource
              : modelPanelText.sourceOf(source.name, formatDay(source.date))}
          </bdi>
        </Fact>
      </dl>
    </section>
  );
}

export function ModelPanel({ id, list }: { readonly id: string; readonly list: CatalogModel }) {
  const model = list.opened.value;
  const move = (step: 1 | -1) => {
    const next = list.neighbor(step);
    return next === undefined ? undefined : () => list.openModel(next);
  };
  const close = () => {
    list.openModel(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  };
  return (
    <Panel
      title={model === null ? modelPanelText.gone : model?.name ?? ""}
      names={modelPanelText}
      about={model && (
        <>
          <EndpointCount model={model} />
          {model.unpriced && <span class="badge badge-warn">{modelsText.unpriced}</span>}
          <Id id={id} />
        </>
      )}
      foot={model?.allowed === true && (
        <a class="button" href={app.router.link("/playground", { model: id })}>
          <Icon name="playground" />
          {modelPanelText.tryIt}
        </a>
      )}
      onPrevious={move(-1)}
      onNext={move(1)}
      onClose={close}
    >
      {model === null && <Empty icon="search" title={modelPanelText.gone} text={modelPanelText.goneText} />}
      {model && (
        <>
          <Prices model={model} />
          <ModelEndpoints model={model} />
          <ModelAccessList id={id} />
          <About model={model} />
        </>
      )}
    </Panel>
  );
}
