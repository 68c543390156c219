import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { Difference, FileChange } from '../../api/models';
import { lookUp, Table, textOf } from '../../api/vocabulary';
import { VersionComparison } from '../../state/datasets/comparison';
import { shortId } from '../../state/datasets/references';
import { bytesText } from '../parts/amounts';
import { FilterField } from './listparts';
import { useSignal, useUi } from '../parts/ui';
import { IPagedRow, PagedList } from './pagedlist';

const ROW_HEIGHT = 24;
/** The signs say what the colours say, too. */
export const DIFFERENCE_SIGNS: Table<FileChange, string> = {
  added: '+',
  removed: '−',
  changed: '~'
};
const CHANGES = ['', 'added', 'removed', 'changed'] as const;

function changeTexts(
  trans: TranslationBundle
): Table<FileChange, string> & Record<'', string> {
  return {
    '': trans.__('All'),
    added: trans.__('Added'),
    removed: trans.__('Removed'),
    changed: trans.__('Changed')
  };
}

/** Show what differs between two versions. */
export function CompareView(props: { model: VersionComparison }): JSX.Element {
  const { trans } = useUi();
  const { model } = props;
  useSignal(model.changed);
  const { counts, pair } = model;
  const texts = changeTexts(trans);
  const total = counts && counts.added + counts.removed + counts.changed;
  return (
    <div className="jp-GpuQuota-browser">
      <header className="jp-GpuQuota-browserHead">
        <h2>
          {pair.dataset}
          <code>
            @{shortId({ id: pair.version })} → @{shortId({ id: pair.other })}
          </code>
        </h2>
      </header>
      <div className="jp-GpuQuota-browserBar">
        <div
          role="group"
          aria-label={trans.__('Changes')}
          className="jp-GpuQuota-buttons"
        >
          {CHANGES.map(change => (
            <button
              key={change}
              type="button"
              className="jp-GpuQuota-toggle"
              aria-pressed={model.change === change}
              onClick={() => model.show(change)}
            >
              {texts[change]}{' '}
              {(change ? counts?.[change] : total)?.toLocaleString()}
            </button>
          ))}
        </div>
        <FilterField
          label={trans.__('Filter paths')}
          value={model.match}
          onChange={match => model.search(match)}
        />
      </div>
      <div className="jp-GpuQuota-browserMain">
        <div className="jp-GpuQuota-browserList">
          <PagedList
            label={trans.__('Differences')}
            pages={model.pages}
            rowHeight={ROW_HEIGHT}
            empty={
              model.match || model.change
                ? trans.__('No matches.')
                : trans.__('Both versions have the same content.')
            }
            row={(item, row) => (
              <DifferenceRow key={row.index} {...{ item, row }} />
            )}
            onKey={() => undefined}
          />
        </div>
      </div>
    </div>
  );
}

function DifferenceRow(props: {
  item: Difference;
  row: IPagedRow;
}): JSX.Element {
  const { trans } = useUi();
  const { item, row } = props;
  const { after, before, change, path } = item;
  const text = textOf(changeTexts(trans), change);
  const sizes = {
    added: bytesText(after),
    removed: bytesText(before),
    changed: `${bytesText(before)} → ${bytesText(after)}`
  };
  const size = lookUp<string, string>(sizes, change) ?? '';
  return (
    <div
      role="row"
      aria-rowindex={row.index + 1}
      aria-label={`${text}: ${path}, ${size}`}
      className="jp-GpuQuota-fileRow"
      data-index={row.index}
      style={row.style}
      tabIndex={row.active ? 0 : -1}
    >
      <span
        role="gridcell"
        className={`jp-GpuQuota-change jp-mod-${change}`}
        title={text}
      >
        {lookUp<string, string>(DIFFERENCE_SIGNS, change) ?? '?'}
      </span>
      <span role="gridcell" className="jp-GpuQuota-fileName" title={path}>
        <span>{path}</span>
      </span>
      <span role="gridcell" className="jp-GpuQuota-fileSize">
        {size}
      </span>
    </div>
  );
}
