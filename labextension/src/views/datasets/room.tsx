import React from 'react';
import { CacheRoom } from '../../api/models';
import { bytesText } from '../parts/amounts';
import { useUi } from '../parts/ui';

/** Show how full the cache is, as a bar and in words. */
export function Room({ room }: { room: CacheRoom }): JSX.Element | null {
  const { trans } = useUi();
  const { capacity, committed, evictable, free, used } = room;
  if (!capacity) {
    return null;
  }
  const fetching = Math.max(0, committed - used);
  const percent = (part: number) =>
    `${(100 * Math.max(0, part)) / Math.max(capacity, committed)}%`;
  const text = [
    trans.__('%1 of %2 used', bytesText(used), bytesText(capacity)),
    evictable ? trans.__('%1 of it evictable', bytesText(evictable)) : '',
    fetching ? trans.__('%1 being fetched', bytesText(fetching)) : '',
    trans.__('%1 free', bytesText(free))
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <div
      className="jp-GpuQuota-room"
      title={trans.__(
        'Evictable copies are used by no session and pinned by nobody: they go first when room is needed.'
      )}
    >
      <div
        className="jp-GpuQuota-meter"
        role="meter"
        aria-label={trans.__('Cache')}
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={Math.min(used, capacity)}
        aria-valuetext={text}
      >
        <div
          className="jp-GpuQuota-meterBar"
          style={{ width: percent(used - evictable) }}
        />
        <div
          className="jp-GpuQuota-meterBar jp-mod-evictable"
          style={{ width: percent(evictable) }}
        />
        <div
          className="jp-GpuQuota-meterBar jp-mod-fetching"
          style={{ width: percent(fetching) }}
        />
      </div>
      <p className="jp-GpuQuota-quiet">
        {trans.__('Cache')}: {text}
      </p>
    </div>
  );
}
