/** Models side by side: prices, sizes, what they take, and how they do. */

import type { ComponentChildren } from "preact";
import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import { app } from "../../app.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatCount, formatMs, formatPercent } from "../../format.ts";
import type { CatalogModel } from "../../models/catalog/catalog.ts";
import { modelSums } from "../../models/catalog/model_figures.ts";
import { compareText, modelPanelText, modelsText } from "../../text/models.ts";
import { EndpointCount, priceText } from "./catalog_table.tsx";

const words = (list: readonly string[]) => list.map((word) => word.replaceAll("_", " ")).join(", ") || "–";

interface CompareRow {
  readonly name: string;
  readonly cell: (model: ManagedModel) => ComponentChildren;
}

const { columns } = modelsText;

const compareRows: readonly CompareRow[] = [
  {
    name: columns.input,
    cell: (model) => model.unpriced ? modelsText.unpriced : priceText(model, "prompt"),
  },
  {
    name: columns.output,
    cell: (model) => model.unpriced ? modelsText.unpriced : priceText(model, "completion"),
  },
  {
    name: columns.context,
    cell: ({ context_length: context }) => context === null ? "–" : formatCount(context),
  },
  { name: modelPanelText.takes, cell: ({ input_modalities }) => words(input_modalities) },
  { name: modelPanelText.writes, cell: ({ output_modalities }) => words(output_modalities) },
  { name: modelPanelText.parameters, cell: ({ supported_parameters }) => words(supported_parameters) },
  { name: columns.endpoints, cell: (model) => <EndpointCount model={model} /> },
  {
    name: columns.p50,
    cell: (model) => {
      const { p50Ms } = modelSums(model);
      return p50Ms === undefined ? "–" : formatMs(p50Ms);
    },
  },
  {
    name: columns.speed,
    cell: (model) => {
      const { tokensPerSecond } = modelSums(model);
      return tokensPerSecond === undefined ? "–" : formatCount(Math.round(tokensPerSecond));
    },
  },
  {
    name: columns.uptime,
    cell: (model) => {
      const { uptime } = modelSums(model);
      return uptime === undefined ? "–" : formatPercent(uptime);
    },
  },
  { name: columns.requests, cell: (model) => formatCount(modelSums(model).requests) },
];

const openDialog = (open: "compare" | undefined) => app.router.setQuery({ open }, { push: true });

export function CompareBar({ model }: { readonly model: CatalogModel }) {
  const count = model.compared.value.size;
  if (count === 0) return null;
  return (
    <div class="bulk">
      <span>{compareText.chosen(count)}</span>
      <button type="button" class="button button-primary" onClick={() => openDialog("compare")}>
        {compareText.compare}
      </button>
      <button type="button" class="button button-plain" onClick={() => model.compare(new Set())}>
        {compareText.clear}
      </button>
    </div>
  );
}

function Head({ model, id }: { readonly model: CatalogModel; readonly id: string }) {
  const leaveOut = () => model.compare(new Set([...model.compared.value].filter((one) => one !== id)));
  return (
    <th scope="col">
      <span class="row">
        <bdi class="wrap-text">{id}</bdi>
        <button
          type="button"
          class="button button-icon button-plain"
          aria-label={compareText.remove(id)}
          title={compareText.remove(id)}
          onClick={leaveOut}
        >
          <Icon name="close" />
        </button>
      </span>
    </th>
  );
}

export function Compare({ model }: { readonly model: CatalogModel }) {
  const models = model.comparedModels.value;
  const close = () => openDialog(undefined);
  if (model.list.data.value !== undefined && models.length === 0) {
    return (
      <Dialog title={compareText.title} onClose={close}>
        <p>{compareText.none}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title={compareText.title} wide onClose={close}>
      <div class="compare-box" tabIndex={0} role="region" aria-label={compareText.title}>
        <table class="mini tall compare-table">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">{compareText.fact}</span>
              </th>
              {models.map(({ id }) => <Head key={id} model={model} id={id} />)}
            </tr>
          </thead>
          <tbody>
            {compareRows.map(({ name, cell }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {models.map((one) => <td key={one.id} class="wrap-text" data-model={one.id}>{cell(one)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
