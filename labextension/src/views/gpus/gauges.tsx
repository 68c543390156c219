import React from 'react';
import { GpuUse } from '../../api/models';
import { gpusInView, gpuUsers } from '../../state/gpus/readings';
import { Meter } from '../parts/meter';
import { useResult, useUi } from '../parts/ui';
import {
  degreesText,
  gpuName,
  memoryText,
  percentText,
  userText
} from './texts';

/** Return what is measured of the GPUs that matter to the user; none while that is unknown. */
export function useGpus(isUndivided: boolean): readonly GpuUse[] {
  const result = useResult(useUi().workspace.resource('gpus'));
  return result.status === 'ready' ? gpusInView(result.value, isUndivided) : [];
}

/** Show how busy, full and warm GPUs are, and who uses them. */
export function Gauges(props: { gpus: readonly GpuUse[] }): JSX.Element | null {
  const { trans } = useUi();
  const { gpus } = props;
  const isAlone = new Set(gpus.map(({ node }) => node)).size === 1;
  return gpus.length ? (
    <ul className="jp-GpuQuota-gauges" aria-label={trans.__('GPU readings')}>
      {gpus.map(gpu => (
        <Gpu
          key={`${gpu.node} ${gpu.name}`}
          gpu={gpu}
          name={gpuName(trans, gpu, isAlone)}
        />
      ))}
    </ul>
  ) : null;
}

function Gpu(props: { gpu: GpuUse; name: string }): JSX.Element {
  const { workspace, trans } = useUi();
  useResult(workspace.sessions);
  const { gpu, name } = props;
  const { utilisation, memory_used: used, memory, temperature } = gpu;
  return (
    <li>
      <div className="jp-GpuQuota-gaugeHead">
        <b>{name}</b>
        <span className="jp-GpuQuota-quiet" title={gpu.model}>
          {gpu.model}
        </span>
        {temperature === null ? null : (
          <span title={trans.__('Temperature')}>
            {degreesText(trans, temperature)}
          </span>
        )}
      </div>
      {utilisation === null ? null : (
        <Gauge
          label={trans.__('%1: utilisation', name)}
          value={utilisation}
          max={100}
          text={percentText(trans, utilisation)}
        />
      )}
      {used === null || !memory ? null : (
        <Gauge
          label={trans.__('%1: memory', name)}
          value={used}
          max={memory}
          text={memoryText(trans, used, memory)}
        />
      )}
      <ul className="jp-GpuQuota-quiet">
        {gpuUsers(gpu).map(user => (
          <li key={user.session || user.owner}>
            {userText(trans, user, workspace.session(user.session))}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Gauge(props: {
  label: string;
  value: number;
  max: number;
  text: string;
}): JSX.Element {
  return (
    <div className="jp-GpuQuota-gauge" title={props.label}>
      <Meter {...props} over={0} />
      <span aria-hidden="true">{props.text}</span>
    </div>
  );
}
