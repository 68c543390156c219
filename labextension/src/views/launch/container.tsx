import React from 'react';
import { IOptions, NO_OPTIONS } from '../../state/container';
import { LaunchModel } from '../../state/launch';
import { useResult, useUi } from '../parts/ui';
import { Disclosure } from './disclosure';
import { AreaField, CheckField, TextField } from './fields';

const NAMES = Object.keys(NO_OPTIONS) as (keyof IOptions)[];

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
  const text = (name: keyof IOptions, label: string, help?: string) => (
    <TextField {...{ model, name, label, help }} spellCheck={false} />
  );
  const lines = (name: keyof IOptions, label: string, form: string) => (
    <AreaField
      {...{ model, name, label }}
      help={trans.__('One %1 per line', form)}
    />
  );
  return (
    <Disclosure model={model} names={NAMES} title={trans.__('Container')}>
      {text('image', trans.__('Image'), trans.__('Instead of the environment'))}
      {text('cpu', trans.__('CPUs'))}
      {text('cpu_limit', trans.__('CPU limit'))}
      {text('ram', trans.__('Memory'))}
      {text('memory_limit', trans.__('Memory limit'))}
      <CheckField
        model={model}
        name="large_shm"
        label={trans.__('Large shared memory')}
      />
      {lines('volumes', trans.__('Volumes'), 'CLAIM:/path[:ro]')}
      {lines(
        'secret_env',
        trans.__('Variables from Secrets'),
        'NAME=SECRET/KEY'
      )}
      {lines('tolerations', trans.__('Tolerations'), 'KEY[=VALUE][:EFFECT]')}
      {text('pull_secrets', trans.__('Pull secrets'))}
      {text('pull_policy', trans.__('Pull policy'))}
      {text('service_account', trans.__('Service account'))}
      {text('run_as', trans.__('Run as'), 'USER[:GROUP]')}
    </Disclosure>
  );
}
