import { HTMLSelect } from '@jupyterlab/ui-components';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useMemo, useState } from 'react';
import { History, HistoryPoint } from '../../api/models';
import {
  allocationChart,
  IPalette,
  measured,
  projectsIn,
  utilisationChart
} from '../../state/charts';
import { SPANS } from '../../state/history';
import { isUndivided } from '../../state/quota';
import { Pending, Simulated } from '../parts/controls';
import { DataTable, ITableColumn } from '../parts/datatable';
import { gpus, gpusText, spanText, timeText } from '../parts/texts';
import { useResult, useSimulated, useUi } from '../parts/ui';
import { UserHoursTable } from './userhours';
import { VegaChart } from './vega';

type Column = ITableColumn<HistoryPoint>;

/** The columns that say something of projects only. */
const OF_PROJECTS = ['project', 'in_quota', 'borrowed'];

/** Show how projects used GPUs over time. */
export function HistoryBoard(props: {
  renderMime: IRenderMimeRegistry | null;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { past } = workspace;
  const result = useResult(past.history);
  const [hours, setHours] = useState(past.hours);
  const isMarked = useSimulated();
  const heading = useId();
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>
          {trans.__('Over time')}{' '}
          {result.status === 'ready' && result.value.simulated && !isMarked ? (
            <Simulated trans={trans} />
          ) : null}
        </h3>
        <HTMLSelect
          aria-label={trans.__('Period')}
          value={String(hours)}
          onChange={event => {
            setHours(Number(event.target.value));
            void past.look(Number(event.target.value));
          }}
        >
          {SPANS.map(span => (
            <option key={span} value={span}>
              {trans.__('Last %1', spanText(trans, span * 3_600_000, 'long'))}
            </option>
          ))}
        </HTMLSelect>
      </header>
      {result.status === 'pending' ? <Pending trans={trans} /> : null}
      {result.status === 'ready' ? (
        <Charts history={result.value} renderMime={props.renderMime} />
      ) : null}
    </section>
  );
}

function Charts(props: {
  history: History;
  renderMime: IRenderMimeRegistry | null;
}): JSX.Element {
  const { history, renderMime } = props;
  const { workspace, trans } = useUi();
  const quota = useResult(workspace.quota);
  const capacity = quota.status === 'ready' ? quota.value.capacity : 0;
  const busy = useMemo(() => measured(history), [history]);
  if (!history.points.length) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__('Nothing was recorded in this period.')}
      </p>
    );
  }
  const names = projectsIn(history).join(', ');
  // On a machine that is not divided the one project need not be named.
  const isWhole =
    quota.status === 'ready' &&
    isUndivided(quota.value) &&
    projectsIn(history).length < 2;
  const words = {
    time: trans.__('Time'),
    project: isWhole ? '' : trans.__('Project')
  };
  const shown = (columns: Column[]) =>
    isWhole ? columns.filter(({ id }) => !OF_PROJECTS.includes(id)) : columns;
  return (
    <>
      {history.note ? (
        <p className="jp-GpuQuota-quiet">{history.note}</p>
      ) : null}
      <Figure
        title={usedTitle(trans, capacity, isWhole)}
        label={
          isWhole
            ? trans.__('Chart of GPUs in use over time')
            : trans.__('Chart of GPUs in use over time by %1', names)
        }
        file="gpu-history"
        renderMime={renderMime}
        specOf={palette =>
          allocationChart(
            history,
            { ...words, value: trans.__('GPUs (mean)') },
            palette,
            capacity
          )
        }
        columns={shown(allocationColumns(trans))}
        points={history.points}
      />
      <UserHoursTable users={history.users} isWhole={isWhole} />
      {busy.length ? (
        <Figure
          title={
            isWhole
              ? trans.__('Utilisation')
              : trans.__('Utilisation, by project')
          }
          label={
            isWhole
              ? trans.__('Chart of GPU utilisation over time')
              : trans.__('Chart of GPU utilisation over time by %1', names)
          }
          file="gpu-utilisation"
          renderMime={renderMime}
          specOf={palette =>
            utilisationChart(
              history,
              { ...words, value: trans.__('% busy') },
              palette
            )
          }
          columns={shown(utilisationColumns(trans))}
          points={busy}
        />
      ) : (
        <p className="jp-GpuQuota-quiet">
          {trans.__('GPU utilisation was not measured.')}
        </p>
      )}
    </>
  );
}

function usedTitle(
  trans: TranslationBundle,
  capacity: number,
  isWhole: boolean
): string {
  const all = gpusText(trans, capacity);
  if (isWhole) {
    return trans.__('GPUs in use (dashed line: all %1)', all);
  }
  return capacity
    ? trans.__('GPUs in use, by project (dashed line: all %1)', all)
    : trans.__('GPUs in use, by project');
}

/** A chart with its table, which is accessible and can be saved. */
function Figure(props: {
  title: string;
  label: string;
  file: string;
  renderMime: IRenderMimeRegistry | null;
  specOf: (palette: IPalette) => Record<string, unknown>;
  columns: readonly Column[];
  points: readonly HistoryPoint[];
}): JSX.Element {
  const { trans } = useUi();
  const { title } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <figure className="jp-GpuQuota-figure">
      <figcaption>{title}</figcaption>
      <VegaChart
        renderMime={props.renderMime}
        label={props.label}
        specOf={props.specOf}
      />
      <details
        className="jp-GpuQuota-disclosure"
        onToggle={event => setIsOpen(event.currentTarget.open)}
      >
        <summary>{trans.__('Show as table / CSV: %1', title)}</summary>
        {isOpen ? (
          <DataTable
            title={title}
            file={props.file}
            columns={props.columns}
            rows={props.points}
            idOf={({ at, project }) => `${at} ${project}`}
            sort={{ column: 'at', descending: true }}
            empty=""
          />
        ) : null}
      </details>
    </figure>
  );
}

function commonColumns(trans: TranslationBundle): Column[] {
  return [
    {
      id: 'at',
      label: trans.__('Time'),
      sortKey: ({ at }) => Date.parse(at),
      text: ({ at }) => timeText(at),
      csv: ({ at }) => at
    },
    {
      id: 'project',
      label: trans.__('Project'),
      sortKey: ({ project }) => project,
      text: ({ project }) => project
    }
  ];
}

function allocationColumns(trans: TranslationBundle): Column[] {
  const inGpus = (
    id: 'allocated' | 'in_quota' | 'borrowed' | 'requested' | 'peak',
    label: string
  ): Column => ({
    id,
    label,
    isNumber: true,
    sortKey: point => point[id],
    text: point => gpus(point[id]),
    csv: point => point[id] / 1000
  });
  return [
    ...commonColumns(trans),
    inGpus('allocated', trans.__('GPUs')),
    inGpus('in_quota', trans.__('In quota')),
    inGpus('borrowed', trans.__('Borrowed')),
    inGpus('requested', trans.__('Requested')),
    inGpus('peak', trans.__('Peak')),
    number('waiting', trans.__('Queued sessions'), ({ waiting }) => waiting)
  ];
}

function utilisationColumns(trans: TranslationBundle): Column[] {
  return [
    ...commonColumns(trans),
    number(
      'utilisation',
      trans.__('% busy'),
      ({ utilisation }) => utilisation ?? 0
    )
  ];
}

function number(
  id: string,
  label: string,
  valueOf: (point: HistoryPoint) => number
): Column {
  return {
    id,
    label,
    isNumber: true,
    sortKey: valueOf,
    text: point => String(valueOf(point)),
    csv: valueOf
  };
}
