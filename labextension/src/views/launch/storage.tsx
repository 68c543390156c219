import React from 'react';
import { LaunchModel } from '../../state/launch';
import { DataField } from './data';
import { VolumesField } from './volumes';
import '../datasets/style';

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
