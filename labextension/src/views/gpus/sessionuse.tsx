import React from 'react';
import { Session } from '../../api/models';
import { useResult, useUi } from '../parts/ui';
import { Gauges, useGpus } from './gauges';
import { historyText, percentText } from './texts';

interface IUse {
  readonly percents: readonly number[];
  /** Seconds between two values. */
  readonly interval: number;
}

/** Return how busy the GPUs of a session were lately; undefined where that is not measured. */
export function useUtilisation(session: Session): IUse | undefined {
  const result = useResult(useUi().workspace.resource('utilisation'));
  if (result.status !== 'ready') {
    return undefined;
  }
  const { items, interval } = result.value;
  const found = items.find(item => item.session === session.id);
  return found && { percents: found.percents, interval };
}

/** How busy a session's GPUs were lately, as a line with the newest value. */
export function SessionUse(props: { use: IUse }): JSX.Element {
  const { trans } = useUi();
  const { percents, interval } = props.use;
  return (
    <span className="jp-GpuQuota-use">
      <Sparkline
        percents={percents}
        label={historyText(trans, percents, interval)}
      />
      {percentText(trans, percents[percents.length - 1])}
    </span>
  );
}

/** The section of a session's details on the GPUs that it uses. */
export function GpuSection({
  session
}: {
  session: Session;
}): JSX.Element | null {
  const { trans } = useUi();
  const use = useUtilisation(session);
  const gpus = useGpus(true).filter(({ sessions }) =>
    sessions.includes(session.id)
  );
  return use || gpus.length ? (
    <section className="jp-GpuQuota-gpuSection">
      <h3>{trans.__('GPU use')}</h3>
      {use ? (
        <>
          <SessionUse use={use} />
          <p>{historyText(trans, use.percents, use.interval)}</p>
        </>
      ) : null}
      <Gauges gpus={gpus} />
    </section>
  ) : null;
}

/** Values that a line has room for: as many as the server keeps. */
const ROOM = 40;

/** Draw the last values in per cent as a small line, the newest at the right. */
function Sparkline(props: {
  percents: readonly number[];
  /** What it shows, in words. */
  label: string;
}): JSX.Element {
  const { percents, label } = props;
  const first = ROOM - percents.length;
  const points = percents
    .map((percent, index) => `${first + index},${100 - percent}`)
    .join(' ');
  return (
    <svg
      className="jp-GpuQuota-spark"
      role="img"
      aria-label={label}
      viewBox={`0 -4 ${ROOM - 1} 108`}
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <polygon points={`${first},100 ${points} ${ROOM - 1},100`} />
      <polyline points={points} />
    </svg>
  );
}
