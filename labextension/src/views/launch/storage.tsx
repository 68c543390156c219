import React, { useEffect, useId, useState } from 'react';
import { LaunchModel } from '../../state/launch';
import { VolumesField } from './volumes';
import '../datasets/style';
import { TranslationBundle } from '@jupyterlab/translation';
import { Dataset, MountPreview, Version } from '../../api/models';
import { routes } from '../../api/routes';
import { mountOf, shortId } from '../../state/datasets/references';
import { IN_BACKGROUND } from '../../state/resource';
import { bytesText } from '../parts/amounts';
import { spanText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';
import { Field } from './fields';

/** What the session uses of data: datasets and volumes, where the controller has them. */
export default function StorageFields(props: {
  model: LaunchModel;
  capabilities: readonly string[];
}): JSX.Element {
  const { capabilities, model } = props;
  const has = (capability: string) => capabilities.includes(capability);
  return (
    <>
      {has('datasets') ? <DataField model={model} /> : null}
      {has('volumes') ? <VolumesField model={model} /> : null}
    </>
  );
}

/** The versions of datasets that the session uses. */
function DataField({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  return (
    <Field
      model={model}
      name="data"
      label={trans.__('Data')}
      help={trans.__(
        'Datasets as %1; without a version the latest, without a path below %2.',
        'NAME@VERSION:/path',
        '$GPUQUOTA_DATASETS'
      )}
    >
      {control => <Lines model={model} control={control} />}
    </Field>
  );
}

/** One line for each dataset, and an empty one for the next. */
function Lines(props: { model: LaunchModel; control: object }): JSX.Element {
  const { trans } = useUi();
  const { model } = props;
  const list = useId();
  const lines = model.draft.data.split('\n');
  const all = lines[lines.length - 1] ? [...lines, ''] : lines;
  const change = (index: number, text: string) => {
    const next = [...all];
    next[index] = text.replace(/\n/g, '');
    model.set({
      data: next.filter((line, at) => line || at < index).join('\n')
    });
  };
  return (
    <div className="jp-GpuQuota-dataLines">
      {all.map((line, index) => (
        <div key={index}>
          <input
            type="text"
            className="jp-GpuQuota-input"
            spellCheck={false}
            autoComplete="off"
            list={list}
            placeholder={trans.__('none')}
            value={line}
            onChange={event => change(index, event.target.value)}
            {...(index ? { 'aria-label': trans.__('Another dataset') } : {})}
            {...(index ? {} : props.control)}
          />
          <State model={model} line={line} />
        </div>
      ))}
      <Choices id={list} lines={lines} />
    </div>
  );
}

function State(props: { model: LaunchModel; line: string }): JSX.Element {
  const { trans } = useUi();
  const { line, model } = props;
  const { verdict } = model;
  const { dataset, ref } = mountOf(line);
  const known =
    line && verdict.status === 'ready'
      ? verdict.preview.data?.find(
          ({ mount }) => mount.dataset === dataset && mount.ref === ref
        )
      : undefined;
  return (
    <p className="jp-GpuQuota-quiet">{known ? stateText(trans, known) : ''}</p>
  );
}

function stateText(
  trans: TranslationBundle,
  { done, left, mount, problem, size, state }: MountPreview
): string {
  const id = shortId({ id: mount.version });
  if (problem) {
    return trans.__('%1: %2', id, problem);
  }
  if (state === 'cached') {
    return trans.__('%1: cached', id);
  }
  const rest = bytesText(Math.max(0, size - done));
  return left === null
    ? trans.__('%1: will be fetched first (%2)', id, rest)
    : trans.__(
        '%1: will be fetched first (%2, about %3)',
        id,
        rest,
        spanText(trans, left * 1000)
      );
}

/** What may be entered: datasets, and the versions of those that are named already. */
function Choices(props: { id: string; lines: readonly string[] }): JSX.Element {
  const { workspace } = useUi();
  const resource = workspace.resource('datasets');
  useEffect(() => {
    const watcher = resource.watch(IN_BACKGROUND);
    return () => watcher.dispose();
  }, [resource]);
  const result = useResult(resource);
  const datasets = result.status === 'ready' ? result.value.items : [];
  const named = datasets.filter(({ name }) =>
    props.lines.some(line => line.startsWith(`${name}@`))
  );
  const versions = useVersions(named);
  return (
    <datalist id={props.id}>
      {datasets
        .filter(({ latest }) => latest)
        .map(({ latest, name }) => (
          <option key={name} value={`${name}@latest`} label={textOf(latest)} />
        ))}
      {versions.map(version => {
        const ref = version.tags[0] ?? shortId(version);
        const value = `${version.dataset}@${ref}`;
        return <option key={value} value={value} label={textOf(version)} />;
      })}
    </datalist>
  );
}

function textOf(version: Version | null): string {
  return version
    ? [version.message, bytesText(version.size)].filter(Boolean).join(' · ')
    : '';
}

/** Return the versions of some datasets, read once each. */
function useVersions(datasets: readonly Dataset[]): readonly Version[] {
  const { workspace } = useUi();
  const [known, setKnown] = useState<Record<string, readonly Version[]>>({});
  const names = datasets.map(({ name }) => name).join();
  useEffect(() => {
    for (const dataset of names.split(',').filter(Boolean)) {
      const reading = workspace.call(routes.versionsList, {
        args: { dataset }
      });
      // Without them the user types the reference; the preview says what is wrong with it.
      reading.then(
        ({ items }) => setKnown(old => ({ ...old, [dataset]: items })),
        () => undefined
      );
    }
  }, [names, workspace]);
  return datasets.flatMap(({ name }) => known[name] ?? []);
}
