import React from 'react';
import { IOptions, NO_OPTIONS } from '../../state/container';
import { LaunchModel } from '../../state/launch';
import { useResult, useUi } from '../parts/ui';
import { Disclosure } from './disclosure';
import { optionLabels } from '../parts/optionlabels';
import { AreaField, CheckField, TextField } from './fields';

const NAMES = Object.keys(NO_OPTIONS) as (keyof IOptions)[];
const AMOUNTS = ['cpu', 'cpu_limit', 'ram', 'memory_limit'] as const;
const WORDS = ['pull_secrets', 'pull_policy', 'service_account'] as const;

/** The options of a container, where sessions run in one. */
export function Container({
  model
}: {
  model: LaunchModel;
}): JSX.Element | null {
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
