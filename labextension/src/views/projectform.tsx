import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useRef } from 'react';
import { ProjectAnswer } from '../api/models';
import { ProjectField } from '../state/projectdraft';
import { ProjectModel } from '../state/projectmodel';
import { ErrorNotice, Notice } from './common';
import { Problems, TextField } from './launchfields';
import { EffectOf } from './projecteffect';
import { useSignal, useUi } from './ui';

/** Be the form from which a project is made or changed. */
export function ProjectForm(props: {
  model: ProjectModel;
  onSaved: (answer: ProjectAnswer) => void;
  onDelete: () => void;
  onClose: () => void;
}): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const form = useRef<HTMLFormElement>(null);
  const title = useId();
  useSignal(model.changed);
  const focus = (name?: ProjectField) =>
    form.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
  const focusBroken = () => focus(model.firstBroken);
  const reload = async () => {
    await model.reload();
    focus(model.conflicts[0]?.field ?? 'quota');
  };
  const apply = async () => {
    const answer = await model.apply();
    if (answer) {
      props.onSaved(answer);
    } else {
      focusBroken();
    }
  };
  return (
    <form
      ref={form}
      className="jp-GpuQuota-form jp-GpuQuota-projectForm"
      aria-labelledby={title}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void apply();
      }}
    >
      <h3 id={title}>
        {model.base
          ? trans.__('Change %1', model.base.name)
          : trans.__('New project')}
      </h3>
      <ProjectFields model={model} />
      <footer className="jp-GpuQuota-formFoot">
        <Outcome model={model} onReload={() => void reload()} />
        <div className="jp-GpuQuota-buttons">
          <button
            type="submit"
            className="jp-GpuQuota-button jp-mod-accept"
            aria-disabled={!!model.busy}
          >
            {trans.__('Apply')}
          </button>
          <button
            type="button"
            className="jp-GpuQuota-button"
            aria-disabled={!!model.busy}
            onClick={() => void model.try().then(focusBroken)}
          >
            {trans.__('Try it')}
          </button>
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={props.onClose}
          >
            {trans.__('Cancel')}
          </button>
          {model.base ? (
            <button
              type="button"
              className="jp-GpuQuota-button"
              aria-disabled={!!model.busy}
              onClick={props.onDelete}
            >
              {trans.__('Delete…')}
            </button>
          ) : null}
        </div>
      </footer>
    </form>
  );
}

function ProjectFields({ model }: { model: ProjectModel }): JSX.Element {
  const { trans } = useUi();
  const helps = helpsOf(trans);
  const labels = labelsOf(trans);
  return (
    <>
      {(Object.keys(labels) as ProjectField[]).map(name => (
        <TextField
          key={name}
          model={model}
          name={name}
          label={labels[name]}
          help={helps[name]}
          readOnly={name === 'name' && !!model.base}
          autoFocus={name === (model.base ? 'quota' : 'name')}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
    </>
  );
}

/** Name the fields, in the order of the form. */
function labelsOf(trans: TranslationBundle): Record<ProjectField, string> {
  return {
    name: trans.__('Name'),
    quota: trans.__('Quota'),
    weight: trans.__('Weight'),
    limit: trans.__('Limit'),
    priority: trans.__('Priority'),
    members: trans.__('Members'),
    interactiveOn: trans.__('Interactive on'),
    trainOn: trans.__('Train on'),
    duration: trans.__('Interactive for'),
    minimum: trans.__('Runs at least')
  };
}

function helpsOf(
  trans: TranslationBundle
): Partial<Record<ProjectField, string>> {
  return {
    quota: trans.__('GPUs that it has by right: 4 or 2.5.'),
    weight: trans.__(
      'Its part of what others leave. Empty: as its quota; 0: it never borrows.'
    ),
    limit: trans.__('The most GPUs that it may hold. Empty: no limit.'),
    priority: trans.__('0 to 1000: the higher borrow first.'),
    members: trans.__(
      'Accounts that may launch in it, with commas. Empty: everyone.'
    ),
    interactiveOn: trans.__(
      'Node groups for its interactive sessions, with commas. Empty: any.'
    ),
    trainOn: trans.__(
      'Node groups for its training sessions, with commas. Empty: any.'
    ),
    duration: trans.__(
      'How long an interactive session may run: 8h, 90m. Empty: no end.'
    ),
    minimum: trans.__(
      'How long its sessions run before they may be reclaimed: 10m. Empty: no such time.'
    )
  };
}

/** Say what became of trying, applying or reloading. */
function Outcome(props: {
  model: ProjectModel;
  onReload: () => void;
}): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const { base, busy, effect, failure, otherProblems } = model;
  return (
    <>
      {base?.draining ? (
        <Notice>
          {trans.__('It drains. Applying this form ends the draining.')}
        </Notice>
      ) : null}
      {failure ? <ErrorNotice trans={trans} error={failure} /> : null}
      {failure?.code === 'Outdated' ? (
        <button
          type="button"
          className="jp-GpuQuota-button"
          onClick={props.onReload}
        >
          {trans.__('Reload, and keep what I typed')}
        </button>
      ) : null}
      {otherProblems.length ? (
        <div role="alert">
          <Problems id="jp-GpuQuota-others" problems={otherProblems} />
        </div>
      ) : null}
      <div role="status">
        {busy ? (
          <p className="jp-GpuQuota-quiet">{trans.__('Please wait…')}</p>
        ) : null}
        {model.reloaded ? <Reloaded model={model} /> : null}
        {effect ? <EffectOf effect={effect} /> : null}
      </div>
    </>
  );
}

function Reloaded({ model }: { model: ProjectModel }): JSX.Element {
  const { trans } = useUi();
  const labels = labelsOf(trans);
  return (
    <>
      <p>
        {model.base
          ? trans.__(
              'The form goes on from the project as it is now; what you typed stayed.'
            )
          : trans.__('The project is gone: Apply makes it again.')}
      </p>
      {model.conflicts.length ? (
        <ul>
          {model.conflicts.map(({ field, theirs }) => (
            <li key={field}>
              {trans.__(
                '%1: it was set to “%2”; Apply sets yours.',
                labels[field],
                theirs
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
