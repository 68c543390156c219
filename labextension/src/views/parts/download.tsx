import { downloadIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { Cell, toCsv } from '../../state/csv';
import { IGpuWorkspace } from '../../tokens';
import { save } from './save';
import { useUi } from './ui';

/** A button that saves a table's present content as a CSV file. */
export function CsvButton(props: {
  /** What the table is called, for those who only hear the button. */
  title: string;
  /** What stands on the button. */
  text?: string;
  /** The file's name without its ending. */
  file: string;
  header: readonly string[];
  rows: () => readonly (readonly Cell[])[];
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { title, file, header, rows } = props;
  // A file goes where no badge stands beside its figures.
  const name = () => (isSimulated(workspace) ? `${file}-simulated` : file);
  const label = trans.__('Download as CSV: %1', title);
  return (
    <button
      type="button"
      className="jp-GpuQuota-linkButton"
      aria-label={label}
      title={label}
      onClick={() =>
        save(
          `${name()}.csv`,
          new Blob([toCsv(header, rows())], { type: 'text/csv;charset=utf-8' })
        )
      }
    >
      <downloadIcon.react tag="span" aria-hidden="true" />
      {props.text ?? trans.__('CSV')}
    </button>
  );
}

function isSimulated({ about }: IGpuWorkspace): boolean {
  return about.result.status === 'ready' && about.result.value.simulated;
}
