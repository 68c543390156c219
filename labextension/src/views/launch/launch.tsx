import { TranslationBundle } from '@jupyterlab/translation';
import React, { lazy, Suspense, useEffect, useId, useRef } from 'react';
import { Session } from '../../api/models';
import { IDraft } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { Advanced } from './advanced';
import { CommandField } from './command';
import { ChooseFolder, EnvironmentField, FolderField } from './environment';
import { AreaField, CheckField, TextField } from './fields';
import { KindField, ProjectField } from './kind';
import { Pending } from '../parts/controls';
import { LiveLine } from './previewline';
import { ShareFields } from './share';
import { SaveTemplate, TemplateField } from './template';
import { isNear, useMe, useResult, useSignal, useUi } from '../parts/ui';
import { IOptions, NO_OPTIONS } from '../../state/container';
import { Disclosure } from './disclosure';
import { optionLabels } from '../parts/optionlabels';

/** Loaded where the controller has datasets or volumes. */
const Storage = lazy(
  () => import(/* webpackChunkName: "storage" */ './storage')
);

/** Loaded where the controller has several clusters. */
const Places = lazy(
  () => import(/* webpackChunkName: "clusters" */ '../clusters/field')
);

/** The form from which a session is launched. */
export function LaunchForm(props: {
  model: LaunchModel;
  onLaunched: (session: Session) => void;
  onCancel: () => void;
  chooseFolder?: ChooseFolder;
}): JSX.Element {
  const { model } = props;
  const { workspace, trans } = useUi();
  const form = useRef<HTMLFormElement>(null);
  const title = useId();
  useSignal(model.changed);
  useFreshVerdict(model);
  useArrival(model, props.onLaunched);
  const submit = async () => {
    const { result } = workspace.sessions;
    const session = await model.submit(
      result.status === 'ready' ? result.value.items : []
    );
    if (session) {
      props.onLaunched(session);
    } else if (model.firstBroken && isNear(form.current)) {
      focusControl(form.current, model.firstBroken);
    }
  };
  return (
    <form
      ref={form}
      className="jp-GpuQuota-form"
      aria-labelledby={title}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2 id={title}>{trans.__('Launch a session')}</h2>
      <TextField
        model={model}
        name="name"
        label={trans.__('Name')}
        autoFocus
        onFocus={event => event.target.select()}
        autoComplete="off"
        spellCheck={false}
      />
      <TemplateField model={model} />
      <ProjectField model={model} />
      <PlacesField model={model} />
      <ShareFields model={model} />
      <KindField model={model} />
      {model.draft.kind === 'train' ? <CommandField model={model} /> : null}
      <EnvironmentField model={model} />
      <FolderField model={model} choose={props.chooseFolder} />
      <StorageFields model={model} />
      <Advanced model={model} />
      <Container model={model} />
      <div className="jp-GpuQuota-formFoot">
        <LiveLine model={model} />
        <div className="jp-GpuQuota-buttons">
          <button
            type="submit"
            className="jp-GpuQuota-button jp-mod-accept"
            disabled={model.submitting}
          >
            {submitText(model, trans)}
          </button>
          <SaveTemplate model={model} />
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={props.onCancel}
          >
            {trans.__('Cancel')}
          </button>
        </div>
      </div>
    </form>
  );
}

function submitText(model: LaunchModel, trans: TranslationBundle): string {
  if (model.submitting) {
    return trans.__('Launching…');
  }
  const { verdict } = model;
  return verdict.status === 'ready' && verdict.preview.verdict === 'waits'
    ? trans.__('Launch and queue')
    : trans.__('Launch');
}

/** Request a new preview when others have taken or freed GPUs. */
function useFreshVerdict(model: LaunchModel): void {
  const { workspace } = useUi();
  const use = useResult(workspace.quota);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) {
      model.ask();
    }
    isFirst.current = false;
  }, [model, use]);
}

/** Take a session for launched once the list has it, where no answer said so. */
function useArrival(
  model: LaunchModel,
  onLaunched: (session: Session) => void
): void {
  const me = useMe();
  const result = useResult(useUi().workspace.sessions);
  const found =
    result.status === 'ready'
      ? model.launched(result.value.items, me)
      : undefined;
  useEffect(() => {
    if (found) {
      onLaunched(found);
    }
  }, [found?.id]);
}

function focusControl(form: HTMLFormElement | null, name: keyof IDraft): void {
  const control =
    form?.querySelector<HTMLElement>(`[name="${name}"]`) ??
    form?.querySelector<HTMLElement>('[name="preset"]:checked');
  const details = control?.closest('details');
  if (details) {
    details.open = true;
  }
  control?.focus();
}

/** The clusters that are tried, where there are several. */
function PlacesField({ model }: { model: LaunchModel }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const { clusters = [] } = about.status === 'ready' ? about.value : {};
  return clusters.length > 1 ? (
    <Suspense fallback={<Pending trans={trans} />}>
      <Places model={model} clusters={clusters} />
    </Suspense>
  ) : null;
}

/** The data of the session, where the controller has any. */
function StorageFields({ model }: { model: LaunchModel }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const known = about.status === 'ready' ? about.value.capabilities : [];
  return ['datasets', 'volumes'].some(name => known.includes(name)) ? (
    <Suspense fallback={<Pending trans={trans} />}>
      <Storage model={model} capabilities={known} />
    </Suspense>
  ) : null;
}

const NAMES = Object.keys(NO_OPTIONS) as (keyof IOptions)[];
const AMOUNTS = ['cpu', 'cpu_limit', 'ram', 'memory_limit'] as const;
const WORDS = ['pull_secrets', 'pull_policy', 'service_account'] as const;

/** The options of a container, where sessions run in one. */
function Container({ model }: { model: LaunchModel }): JSX.Element | null {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  if (about.status !== 'ready' || !about.value.containers) {
    return null;
  }
  const labels = optionLabels(trans);
  const text = (name: keyof IOptions, help?: string) => (
    <TextField
      {...{ model, name, help }}
      key={name}
      label={labels[name]}
      spellCheck={false}
    />
  );
  const lines = (name: keyof IOptions, form: string) => (
    <AreaField
      {...{ model, name }}
      label={labels[name]}
      help={trans.__('One %1 per line', form)}
    />
  );
  return (
    <Disclosure model={model} names={NAMES} title={trans.__('Container')}>
      {AMOUNTS.map(name => text(name))}
      <CheckField model={model} name="large_shm" label={labels.large_shm} />
      {about.value.capabilities.includes('volumes')
        ? null
        : lines('volumes', 'CLAIM:/path[:ro]')}
      {lines('secret_env', 'NAME=SECRET/KEY')}
      {lines('tolerations', 'KEY[=VALUE][:EFFECT]')}
      {WORDS.map(name => text(name))}
      {text('run_as', 'USER[:GROUP]')}
    </Disclosure>
  );
}
