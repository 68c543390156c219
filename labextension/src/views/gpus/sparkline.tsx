import React from 'react';

/** Values that a line has room for: as many as the server keeps. */
const ROOM = 40;

/** Draw the last values in per cent as a small line, the newest at the right. */
export function Sparkline(props: {
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
