import React from 'react';

/** Draw how much of something is used. The text beside it says the same in words. */
export function Meter(props: {
  /** The value, and how much of it is over quota; both of `max`. */
  value: number;
  over: number;
  max: number;
  label: string;
  text: string;
}): JSX.Element {
  const { value, over, max, label, text } = props;
  const whole = Math.max(max, value, 1);
  const percent = (part: number) => `${(100 * part) / whole}%`;
  return (
    <div
      className="jp-GpuQuota-meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={value}
      aria-valuetext={text}
    >
      <div
        className="jp-GpuQuota-meterBar"
        style={{ width: percent(value - over) }}
      />
      <div
        className="jp-GpuQuota-meterBar jp-mod-over"
        style={{ width: percent(over) }}
      />
    </div>
  );
}
