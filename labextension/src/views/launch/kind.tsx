import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Kind, Quota } from '../../api/models';
import { Table } from '../../api/vocabulary';
import { LaunchModel } from '../../state/launch';
import { clusterOf, isUndivided } from '../../state/quota';
import { freeText, kindText } from '../parts/texts';
import { useResult, useUi } from '../parts/ui';
import { SelectField } from './fields';

const KINDS = ['interactive', 'interactive-spot', 'train'] as const;

/** Whose quota it uses, where there is more than one project to launch in. */
export function ProjectField(props: {
  model: LaunchModel;
}): JSX.Element | null {
  const { model } = props;
  const { workspace, trans } = useUi();
  const result = useResult(workspace.quota);
  const value = result.status === 'ready' ? result.value : undefined;
  const usual = value?.default ?? '';
  const { draft } = model;
  const fields = {
    draft,
    problemsOf: () => model.problemsOf('project'),
    set: ({ project = '' }: { project?: string }) => {
      const isThere = clusterOf(project) === clusterOf(draft.project || usual);
      // Each cluster has environments of its own.
      model.set({ project, ...(isThere ? {} : { environment: '' }) });
    }
  };
  return value && isUndivided(value) ? null : (
    <SelectField
      model={fields}
      name="project"
      label={trans.__('Project')}
      value={usual}
      choices={value ? projectChoices(value, trans) : []}
    />
  );
}

function projectChoices(
  quota: Quota,
  trans: TranslationBundle
): { value: string; label: string }[] {
  return quota.projects
    .filter(project => quota.mine.includes(project.name))
    .map(project => ({
      value: project.name,
      label: trans.__('%1 – %2', project.name, freeText(trans, project))
    }));
}

/** How it is used, and whether others may take its GPUs. */
export function KindField({ model }: { model: LaunchModel }): JSX.Element {
  const { workspace, trans } = useUi();
  const result = useResult(workspace.quota);
  const quota = result.status === 'ready' ? result.value : undefined;
  const { kind, project } = model.draft;
  const use = quota?.projects.find(
    ({ name }) => name === (project || quota.default)
  );
  const help: Table<Kind, string> = {
    interactive: trans.__('For hands-on work.'),
    'interactive-spot':
      quota && isUndivided(quota)
        ? trans.__('For hands-on work.')
        : trans.__('For hands-on work beyond the quota.'),
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
