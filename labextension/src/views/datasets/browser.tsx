import { fileIcon, folderIcon, linkIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { DataFile } from '../../api/models';
import { FileBrowser } from '../../state/datasets/browser';
import { shortId } from '../../state/datasets/references';
import { bytesText } from '../parts/amounts';
import { Badge } from '../parts/controls';
import { useNow, useSignal, useUi } from '../parts/ui';
import { IPagedRow, PagedList } from './pagedlist';
import { PreviewPane } from './preview';
import { filesText, versionText } from './texts';

const ROW_HEIGHT = 24;

/** Show the files of a version, and a preview of the one that is chosen. */
export function BrowserView({ model }: { model: FileBrowser }): JSX.Element {
  const { trans } = useUi();
  useSignal(model.changed);
  const { chosen, match } = model;
  return (
    <div className="jp-GpuQuota-browser">
      <Head model={model} />
      <div className="jp-GpuQuota-browserBar">
        <Crumbs model={model} />
        <input
          type="search"
          className="jp-GpuQuota-input"
          placeholder={trans.__('Search')}
          aria-label={trans.__('Search names in this folder and below')}
          value={match}
          onChange={event => model.search(event.target.value)}
        />
        <Total model={model} />
      </div>
      <div className="jp-GpuQuota-browserMain">
        <div className="jp-GpuQuota-browserList">
          <PagedList
            label={trans.__('Files')}
            pages={model.pages}
            rowHeight={ROW_HEIGHT}
            empty={
              match ? trans.__('No matches.') : trans.__('The folder is empty.')
            }
            row={(file, row) => (
              <FileRow
                key={row.index}
                {...{ file, row }}
                isFound={Boolean(match)}
                isChosen={chosen?.file.path === file.path}
                onOpen={() => model.open(file)}
              />
            )}
            onKey={(file, event) => {
              if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault();
                model.open(file);
              } else if (event.key === 'Backspace') {
                model.up(model.crumbs.length - 2);
              } else if (event.key === 'Escape') {
                model.unchoose();
              }
            }}
          />
        </div>
        {chosen ? <PreviewPane model={model} chosen={chosen} /> : null}
      </div>
    </div>
  );
}

function Head({ model }: { model: FileBrowser }): JSX.Element {
  const { trans } = useUi();
  const now = useNow(60_000);
  const { place, version } = model;
  return (
    <header className="jp-GpuQuota-browserHead">
      <h2>
        {place.dataset}
        <code>@{shortId({ id: version?.id ?? place.version })}</code>
      </h2>
      {version?.tags.map(tag => (
        <Badge key={tag} kind="here">
          {tag}
        </Badge>
      ))}
      <span>{version?.message}</span>
      <span className="jp-GpuQuota-quiet">
        {version ? versionText(trans, version, now) : ''}
      </span>
    </header>
  );
}

function Crumbs({ model }: { model: FileBrowser }): JSX.Element {
  const { trans } = useUi();
  const { crumbs, place } = model;
  const all = [{ name: place.dataset, path: '' }, ...crumbs];
  return (
    <nav aria-label={trans.__('Folder')} className="jp-GpuQuota-crumbs">
      <ol>
        {all.map(({ name, path }, index) => (
          <li key={path}>
            <button
              type="button"
              className="jp-GpuQuota-linkButton"
              aria-current={index === crumbs.length ? 'location' : undefined}
              onClick={() => model.up(index - 1)}
            >
              {name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Total({ model }: { model: FileBrowser }): JSX.Element {
  const { trans } = useUi();
  const { total } = model.pages;
  return (
    <span className="jp-GpuQuota-quiet" role="status">
      {total === undefined
        ? ''
        : trans._n('%2 entry', '%2 entries', total, total.toLocaleString())}
    </span>
  );
}

function FileRow(props: {
  file: DataFile;
  row: IPagedRow;
  isFound: boolean;
  isChosen: boolean;
  onOpen: () => void;
}): JSX.Element {
  const { trans } = useUi();
  const { file, row } = props;
  const { kind, name, path, raw, size, target } = file;
  const Icon =
    kind === 'folder' ? folderIcon : kind === 'link' ? linkIcon : fileIcon;
  // What a search finds may be anywhere below.
  const shown = props.isFound && !raw ? path : name;
  const detail =
    kind === 'folder' ? filesText(trans, file.files) : target && `→ ${target}`;
  return (
    <div
      role="row"
      aria-rowindex={row.index + 1}
      aria-selected={props.isChosen}
      aria-label={[shown, detail, bytesText(size)].filter(Boolean).join(', ')}
      className="jp-GpuQuota-fileRow"
      data-index={row.index}
      style={row.style}
      tabIndex={row.active ? 0 : -1}
      onClick={props.onOpen}
    >
      <span role="gridcell" className="jp-GpuQuota-fileName" title={shown}>
        <Icon.react tag="span" aria-hidden="true" />
        <span>{shown}</span>
        {file.executable ? <Badge>{trans.__('executable')}</Badge> : null}
      </span>
      <span role="gridcell" className="jp-GpuQuota-fileDetail">
        {detail}
      </span>
      <span role="gridcell" className="jp-GpuQuota-fileSize">
        {kind === 'link' ? '' : bytesText(size)}
      </span>
    </div>
  );
}
