import { TranslationBundle } from '@jupyterlab/translation';
import React, { lazy, Suspense, useEffect, useId, useRef } from 'react';
import {
  Environment,
  Kind,
  ProjectUse,
  Quota,
  Session
} from '../../api/models';
import { Table } from '../../api/vocabulary';
import { IDraft } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { Advanced } from './advanced';
import { Container } from './container';
import { SelectField, TextField } from './fields';
import { Pending } from '../parts/controls';
import { LiveLine } from './previewline';
import { ShareFields } from './share';
import { SaveTemplate } from './savetemplate';
import { TemplateField } from './template';
import { gpus, kindText } from '../parts/texts';
import { useMe, useResult, useSignal, useUi } from '../parts/ui';

/** Loaded where the controller has datasets or volumes. */
const Storage = lazy(
  () => import(/* webpackChunkName: "storage" */ './storage')
);

const KINDS = ['interactive', 'interactive-spot', 'train'] as const;

/** The form from which a session is launched. */
export function LaunchForm(props: {
  model: LaunchModel;
  onLaunched: (session: Session) => void;
  onCancel: () => void;
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
    } else if (model.firstBroken) {
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
      <ShareFields model={model} />
      <KindField model={model} />
      <EnvironmentField model={model} />
      <FolderField model={model} />
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
  const queues = ['reclaims', 'waits'];
  return verdict.status === 'ready' && queues.includes(verdict.preview.verdict)
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

function ProjectField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.quota);
  const value = result.status === 'ready' ? result.value : undefined;
  return (
    <SelectField
      model={model}
      name="project"
      label={trans.__('Project')}
      value={value?.default}
      choices={value ? projectChoices(value, trans) : []}
    />
  );
}

function projectChoices(
  quota: Quota,
  trans: TranslationBundle
): { value: string; label: string }[] {
  const free = ({ quota: right, allocated }: ProjectUse) =>
    gpus(Math.max(0, right - allocated));
  return quota.projects
    .filter(project => quota.mine.includes(project.name))
    .map(project => ({
      value: project.name,
      label: trans.__(
        '%1 – %2 of %3 GPUs left in quota',
        project.name,
        free(project),
        gpus(project.quota)
      )
    }));
}

function KindField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.quota);
  const quota = result.status === 'ready' ? result.value : undefined;
  const { kind, project } = model.draft;
  const use = quota?.projects.find(
    ({ name }) => name === (project || quota.default)
  );
  const help: Table<Kind, string> = {
    interactive: trans.__('For hands-on work.'),
    'interactive-spot': trans.__('For hands-on work beyond the quota.'),
    train: trans.__('Runs unattended.')
  };
  // An older controller does not say it: then the rules are those of our own scheduler.
  const isVictim = use?.preemptible?.includes(kind) ?? kind !== 'interactive';
  const fate = isVictim
    ? trans.__('May be preempted and requeued.')
    : trans.__('Never preempted.');
  return (
    <SelectField
      model={model}
      name="kind"
      label={trans.__('Kind')}
      help={`${help[kind]} ${fate}`}
      choices={KINDS.map(value => ({ value, label: kindText(trans, value) }))}
    />
  );
}

function FolderField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const about = useResult(workspace.about);
  const inContainer = about.status === 'ready' && !about.value.local_files;
  return (
    <TextField
      model={model}
      name="folder"
      label={trans.__('Folder')}
      placeholder={inContainer ? '' : '/'}
      help={
        inContainer
          ? trans.__('Absolute, in the container; empty for its default.')
          : trans.__('Relative to the server root, or absolute.')
      }
      spellCheck={false}
    />
  );
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

/** An image: one that is listed, or any other that the administrator allows. */
function ImageField(props: {
  model: LaunchModel;
  known: readonly Environment[];
}): JSX.Element {
  const { trans } = useUi();
  const list = useId();
  const preset = props.known.find(environment => environment.default);
  return (
    <>
      <TextField
        model={props.model}
        name="environment"
        label={trans.__('Image')}
        placeholder={preset?.label}
        help={trans.__('A listed environment, or the name of an image.')}
        list={list}
        spellCheck={false}
      />
      <datalist id={list}>
        {props.known.map(({ id, label }) => (
          <option key={id} value={id} label={label} />
        ))}
      </datalist>
    </>
  );
}

function EnvironmentField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.environments);
  const known = result.status === 'ready' ? result.value.environments : [];
  const command = model.draft.command.trim() !== '';
  const about = useResult(workspace.about);
  const inContainer = about.status === 'ready' && about.value.containers;
  if (inContainer || known.some(({ image }) => image)) {
    return <ImageField model={model} known={known} />;
  }
  return (
    <SelectField
      model={model}
      name="environment"
      label={trans.__('Environment')}
      value={known.find(environment => environment.default)?.id}
      choices={known.map(({ id, label, problem }) => ({
        value: id,
        label,
        // A command needs no Jupyter Server.
        problem: command ? '' : problem
      }))}
    />
  );
}
