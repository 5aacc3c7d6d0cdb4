/** The versions of a preset: the settings of one of them, and the list of all. */

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import type { PresetRecord, PresetVersion } from "../../../shared/presets/records.ts";
import { ApiFailure } from "../../api.ts";
import { app } from "../../app.ts";
import { useAction } from "../../components/action_dialog.tsx";
import { Refusal } from "../../components/callout.tsx";
import { CodeBlock } from "../../components/copy.tsx";
import { RelativeTime } from "../../components/relative_time.tsx";
import { bodyOf, encodeBody, type SavedPreset, savePreset } from "../../models/presets/preset_body.ts";
import type { PresetVersions } from "../../models/presets/preset_versions.ts";
import { presetPanelText } from "../../text/presets.ts";
import { NewVersion } from "./save_preset.tsx";

interface VersionsProps {
  readonly preset: PresetRecord;
  readonly model: PresetVersions;
  readonly onSaved: (saved: SavedPreset) => void;
}

/** Longer values stand in the code below only. */
const MOST_CHARS = 200;

function valueText(value: unknown): string {
  const isPlain = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = typeof value === "string" ? value : isPlain ? value.join(", ") : JSON.stringify(value);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

function Content({ version }: { readonly version: PresetVersion }) {
  const settings = Object.entries(version.config);
  return (
    <>
      {settings.length === 0 ? <p class="small soft">{presetPanelText.noSettings}</p> : (
        <dl class="facts">
          {settings.map(([name, value]) => (
            <Fragment key={name}>
              <dt class="mono">{name}</dt>
              <dd>
                <bdi>{valueText(value)}</bdi>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {version.system_prompt !== null && (
        <>
          <h4>{presetPanelText.instructions}</h4>
          <p class="caller-text small" tabIndex={0}>{version.system_prompt}</p>
        </>
      )}
      <CodeBlock title={presetPanelText.asJson} code={encodeBody(version)} />
    </>
  );
}

/** Saves an old version once more, which makes it the newest. */
function UseAgain({ preset, version, onSaved }: Pick<VersionsProps, "preset" | "onSaved"> & {
  readonly version: PresetVersion;
}) {
  const { busy, refusal, start } = useAction(async () => {
    const { slug, workspace_id: workspaceId } = preset;
    const saved = await savePreset(app.api, { slug, workspaceId, api: "chat", body: bodyOf(version) });
    app.toasts.show(presetPanelText.usedAgain(saved.version), { tone: "good" });
    onSaved(saved);
  });
  return (
    <>
      <Refusal title={presetPanelText.notUsedAgain} error={refusal.value} />
      <button type="button" class="button" disabled={busy.value} onClick={start}>
        {presetPanelText.useAgain(version.version)}
      </button>
    </>
  );
}

function VersionTable({ model }: Pick<VersionsProps, "model">) {
  const { rows: { value: rows = [] }, shown: { value: shown }, newest: { value: newest } } = model;
  return (
    <>
      <table class="mini">
        <caption class="unseen">{presetPanelText.versions}</caption>
        <thead>
          <tr>
            <th scope="col">{presetPanelText.columns.version}</th>
            <th scope="col" class="num">{presetPanelText.columns.saved}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ version, created_at }) => (
            <tr key={version}>
              <td>
                <span class="row">
                  <button
                    type="button"
                    class="link"
                    aria-pressed={version === shown?.version}
                    onClick={() => {
                      model.chosen.value = version;
                    }}
                  >
                    {presetPanelText.version(version)}
                  </button>
                  {version === shown?.version && shown !== newest && (
                    <span class="badge">{presetPanelText.shown}</span>
                  )}
                  {version === newest?.version && <span class="badge">{presetPanelText.newest}</span>}
                </span>
              </td>
              <td class="num soft">
                <RelativeTime at={created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {model.hasOlder.value && (
        <div>
          <button type="button" class="button button-plain" onClick={() => void model.showOlder()}>
            {presetPanelText.older}
          </button>
        </div>
      )}
    </>
  );
}

export function Versions({ preset, model, onSaved }: VersionsProps) {
  const isOpen = useSignal(false);
  const { shown: { value: shown }, newest: { value: newest } } = model;
  const [canChange, failure] = [app.session.canChange.value, model.list.failure.value];
  // The panel says so.
  const isGone = failure instanceof ApiFailure && failure.isGone;
  /** The newest is shown again, whichever was. */
  const take = (saved: SavedPreset) => {
    model.chosen.value = undefined;
    onSaved(saved);
  };
  return (
    <>
      {!isGone && <Refusal title={presetPanelText.versionsUnreadable} error={failure} />}
      {shown !== undefined && (
        <section aria-label={presetPanelText.settings}>
          <h3>{presetPanelText.version(shown.version)}</h3>
          <Content version={shown} />
          {canChange && (
            <div class="row row-wrap">
              {shown === newest
                ? (
                  <button type="button" class="button" onClick={() => isOpen.value = true}>
                    {presetPanelText.saveVersion}
                  </button>
                )
                : <UseAgain key={shown.version} preset={preset} version={shown} onSaved={take} />}
            </div>
          )}
        </section>
      )}
      {newest !== undefined && (
        <section aria-label={presetPanelText.versions}>
          <h3>{presetPanelText.versions}</h3>
          <VersionTable model={model} />
        </section>
      )}
      {isOpen.value && newest !== undefined && (
        <NewVersion
          preset={preset}
          newest={newest}
          onSaved={take}
          onClose={() => isOpen.value = false}
        />
      )}
    </>
  );
}
