import { closeIcon, copyIcon, downloadIcon } from '@jupyterlab/ui-components';
import React, { useEffect, useRef, useState } from 'react';
import { Aborted } from '../../api/errors';
import { FilePreview } from '../../api/models';
import { FileBrowser, IChosen } from '../../state/datasets/browser';
import { imageUrl, LARGEST, readFile } from '../../state/datasets/content';
import { bytesText } from '../parts/amounts';
import { ErrorNotice, IconButton, Pending } from '../parts/controls';
import { report } from '../parts/report';
import { save } from '../parts/save';
import { useUi } from '../parts/ui';
import { copy } from './dialogs';
import { percentText } from './texts';

/** Show what the chosen file looks like, and what can be done to it. */
export function PreviewPane(props: {
  model: FileBrowser;
  chosen: IChosen;
}): JSX.Element {
  const { trans } = useUi();
  const { model, chosen } = props;
  const { error, file, preview } = chosen;
  return (
    <section
      className="jp-GpuQuota-preview"
      aria-label={trans.__('Preview of %1', file.name)}
    >
      <header>
        <h3 title={file.path}>{file.name}</h3>
        <IconButton
          icon={copyIcon}
          label={trans.__('Copy path')}
          onClick={() => copy(trans, file.raw ? file.name : file.path)}
        />
        <Download key={file.path} model={model} chosen={chosen} />
        <IconButton
          icon={closeIcon}
          label={trans.__('Close the preview')}
          onClick={() => model.unchoose()}
        />
      </header>
      <p className="jp-GpuQuota-quiet">
        {bytesText(file.size)}
        {file.sha256 ? (
          <>
            {' · '}
            <code title={file.sha256}>
              {trans.__('sha256 %1…', file.sha256.slice(0, 12))}
            </code>
          </>
        ) : null}
      </p>
      {error ? <ErrorNotice trans={trans} error={error} /> : null}
      {preview ? <Content preview={preview} name={file.name} /> : null}
      {!error && !preview ? <Pending trans={trans} /> : null}
    </section>
  );
}

/** Text is set as text, and images are of kinds that only paint: nothing is ever executed. */
function Content(props: { preview: FilePreview; name: string }): JSX.Element {
  const { trans } = useUi();
  const { name, preview } = props;
  const rest = preview.truncated ? (
    <p className="jp-GpuQuota-quiet">{trans.__('The file goes on.')}</p>
  ) : null;
  const image = imageUrl(preview);
  switch (preview.kind) {
    case 'text':
      return (
        <>
          <pre tabIndex={0}>{preview.text}</pre>
          {rest}
        </>
      );
    case 'table':
      return (
        <>
          <Table preview={preview} />
          {rest}
        </>
      );
    case 'image':
      if (image) {
        return <img src={image} alt={name} />;
      }
  }
  return (
    <p>
      {preview.why || trans.__('No preview of this kind of file. Download it.')}
    </p>
  );
}

function Table({ preview }: { preview: FilePreview }): JSX.Element {
  const { trans } = useUi();
  return (
    <div className="jp-GpuQuota-previewTable" tabIndex={0}>
      <table
        className="jp-GpuQuota-table"
        aria-label={trans.__('The first rows')}
      >
        <thead>
          <tr>
            {preview.columns.map((column, index) => (
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A button that downloads the file, and while it does cancels that. */
function Download(props: { model: FileBrowser; chosen: IChosen }): JSX.Element {
  const { workspace, trans } = useUi();
  const { file } = props.chosen;
  const [part, setPart] = useState<number | null>(null);
  const reading = useRef<AbortController>();
  useEffect(() => () => reading.current?.abort(), []);
  if (file.size > LARGEST) {
    return (
      <span className="jp-GpuQuota-quiet">
        {trans.__('Too large for the browser: use jupyter gpu data export.')}
      </span>
    );
  }
  const download = async () => {
    const { signal } = (reading.current = new AbortController());
    setPart(0);
    try {
      const { place } = props.model;
      const content = await readFile(workspace, place, file, setPart, signal);
      save(file.name, content);
    } catch (error) {
      if (!(error instanceof Aborted)) {
        report(trans, error);
      }
    } finally {
      if (!signal.aborted) {
        setPart(null);
      }
    }
  };
  const cancel = () => {
    reading.current?.abort();
    setPart(null);
  };
  return part === null ? (
    <IconButton
      icon={downloadIcon}
      label={trans.__('Download')}
      onClick={() => void download()}
    />
  ) : (
    <button type="button" className="jp-GpuQuota-linkButton" onClick={cancel}>
      {trans.__('Cancel (%1)', percentText(part))}
    </button>
  );
}
