import { HTMLSelect } from '@jupyterlab/ui-components';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';
import React, { useId, useMemo, useState } from 'react';
import { History, HistoryPoint } from '../api/models';
import {
  allocationChart,
  IPalette,
  measured,
  projectsIn,
  utilisationChart
} from '../state/charts';
import { SPANS } from '../state/history';
import { ErrorNotice, Pending, Simulated } from './common';
import { DataTable, ITableColumn } from './datatable';
import { gpus, spanText, timeText } from './texts';
import { useResult, useUi } from './ui';
import { UserHoursTable } from './userhours';
import { VegaChart } from './vega';

type Column = ITableColumn<HistoryPoint>;

/** Show how projects used GPUs over time. */
export function HistoryBoard(props: {
  renderMime: IRenderMimeRegistry | null;
}): JSX.Element {
  const { quota, trans } = useUi();
  const { past } = quota;
  const result = useResult(past.history);
  const [hours, setHours] = useState(past.hours);
  const heading = useId();
  const retry = () => void past.history.refresh();
  return (
    <section className="jp-GpuQuota-board" aria-labelledby={heading}>
      <header className="jp-GpuQuota-boardHead">
        <h3 id={heading}>
          {trans.__('Over time')}{' '}
          {result.status === 'ready' && result.value.simulated ? (
            <Simulated trans={trans} />
          ) : null}
        </h3>
        <HTMLSelect
          aria-label={trans.__('How far back')}
          value={String(hours)}
          onChange={event => {
            setHours(Number(event.target.value));
            void past.look(Number(event.target.value));
          }}
        >
          {SPANS.map(span => (
            <option key={span} value={span}>
              {trans.__('last %1', spanText(trans, span * 3_600_000))}
            </option>
          ))}
        </HTMLSelect>
      </header>
      {result.status === 'pending' ? <Pending trans={trans} /> : null}
      {result.status !== 'pending' && result.error ? (
        <ErrorNotice trans={trans} error={result.error} onRetry={retry} />
      ) : null}
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
  const { trans } = useUi();
  const busy = useMemo(() => measured(history), [history]);
  const words = { time: trans.__('Time'), project: trans.__('Project') };
  if (!history.points.length) {
    return (
      <p className="jp-GpuQuota-quiet">
        {trans.__('Nothing has been recorded in this time.')}
      </p>
    );
  }
  const names = projectsIn(history).join(', ');
  return (
    <>
      {history.note ? (
        <p className="jp-GpuQuota-quiet">{history.note}</p>
      ) : null}
      <Figure
        title={trans.__('GPUs in use, by project')}
        label={trans.__('Chart of the GPUs that %1 had over time', names)}
        file="gpu-history"
        renderMime={renderMime}
        specOf={palette =>
          allocationChart(
            history,
            { ...words, value: trans.__('GPUs') },
            palette
          )
        }
        columns={allocationColumns(trans)}
        points={history.points}
      />
      <UserHoursTable users={history.users} />
      {busy.length ? (
        <Figure
          title={trans.__('Utilisation, by project')}
          label={trans.__('Chart of how busy the GPUs of %1 were', names)}
          file="gpu-utilisation"
          renderMime={renderMime}
          specOf={palette =>
            utilisationChart(
              history,
              { ...words, value: trans.__('% busy') },
              palette
            )
          }
          columns={utilisationColumns(trans)}
          points={busy}
        />
      ) : (
        <p className="jp-GpuQuota-quiet">
          {trans.__('How busy the GPUs were was not measured.')}
        </p>
      )}
    </>
  );
}

/** Be a chart with its table, which is there for everybody and can be saved. */
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
        <summary>{trans.__('Table and CSV: %1', title)}</summary>
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
    id: 'allocated' | 'by_right' | 'borrowed' | 'asked' | 'peak',
    label: string
  ): Column => ({
    id,
    label,
    sortKey: point => point[id],
    text: point => gpus(point[id]),
    csv: point => point[id] / 1000
  });
  return [
    ...commonColumns(trans),
    inGpus('allocated', trans.__('GPUs')),
    inGpus('by_right', trans.__('By right')),
    inGpus('borrowed', trans.__('Borrowed')),
    inGpus('asked', trans.__('Waited for')),
    inGpus('peak', trans.__('Most at once')),
    number('waiting', trans.__('Sessions waiting'), ({ waiting }) => waiting)
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
    sortKey: valueOf,
    text: point => String(valueOf(point)),
    csv: valueOf
  };
}
