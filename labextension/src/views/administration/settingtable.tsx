import React, { useMemo } from 'react';
import { DataTable, ITableColumn } from '../parts/datatable';
import { Editor, IEditor } from './settingeditor';
import { TextsOf } from './settingform';

/** Show what is set, a row each, and the form that changes a row or adds one. */
export function SettingTable<Row, Field extends string, Base>(props: {
  title: string;
  file: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** The column that the rows are sorted by. */
  sort: string;
  /** What is said where there are no rows. */
  empty: string;
  /** The columns; must not change without need. */
  columns: (onEdit?: (row: Row) => void) => ITableColumn<Row>[];
  /** Whether a file sets it all, so that there is no form. */
  isFixed: boolean;
  editor: IEditor<Field, Base>;
  /** What the form begins with: a row, or a new one. Must not change without need. */
  baseOf: (row?: Row) => Base;
  /** What the button for a new row says. */
  label: string;
  textsOf: TextsOf<Field, Base>;
}): JSX.Element {
  const { baseOf, columns, editor, isFixed } = props;
  const { open } = editor;
  const shown = useMemo(
    () => columns(isFixed ? undefined : row => void open(baseOf(row))),
    [baseOf, columns, isFixed, open]
  );
  return (
    <>
      <DataTable
        title={props.title}
        file={props.file}
        columns={shown}
        rows={props.rows}
        idOf={props.idOf}
        sort={{ column: props.sort, descending: false }}
        empty={props.empty}
      />
      {isFixed ? null : (
        <Editor
          editor={editor}
          label={props.label}
          base={baseOf()}
          textsOf={props.textsOf}
        />
      )}
    </>
  );
}
