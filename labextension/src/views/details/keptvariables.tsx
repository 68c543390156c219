import React from 'react';
import { NotebookVariables } from '../../api/models';
import { VariableChoice } from '../../state/kernels/variables';
import { bytesText } from '../parts/amounts';
import { ErrorNotice } from '../parts/controls';
import { useSignal, useUi } from '../parts/ui';

/** The variables that are lost when a session restarts, to choose those that are kept. */
export function KeptVariables(props: {
  choice: VariableChoice;
}): JSX.Element | null {
  const { trans } = useUi();
  const { choice } = props;
  useSignal(choice.changed);
  const { failure, found } = choice;
  if (!choice.isOffered) {
    return null;
  }
  if (failure) {
    return (
      <ErrorNotice
        trans={trans}
        title={trans.__('The variables of its notebooks are not known.')}
        error={failure}
        onRetry={() => void choice.ask()}
      />
    );
  }
  if (!found) {
    return (
      <p className="jp-GpuQuota-quiet" role="status">
        {trans.__('Looking for variables…')}
      </p>
    );
  }
  const isAny = found.items.some(({ variables }) => variables.length);
  if (found.problem && isAny) {
    return <p className="jp-GpuQuota-quiet">{found.problem}</p>;
  }
  return (
    <>
      {found.items.map(notebook => (
        <Notebook key={notebook.path} choice={choice} notebook={notebook} />
      ))}
    </>
  );
}

function Notebook(props: {
  choice: VariableChoice;
  notebook: NotebookVariables;
}): JSX.Element | null {
  const { trans } = useUi();
  const { choice, notebook } = props;
  const { more, name, path, problem, variables } = notebook;
  if (problem) {
    return (
      <p>
        {trans.__('%1 loses its variables: %2', name, problem)}{' '}
        <button
          type="button"
          className="jp-GpuQuota-linkButton"
          onClick={() => void choice.ask()}
        >
          {trans.__('Look Again')}
        </button>
      </p>
    );
  }
  if (!variables.length) {
    return null;
  }
  return (
    <fieldset className="jp-GpuQuota-choices jp-GpuQuota-variables">
      <legend>{trans.__('Keep variables of %1', name)}</legend>
      <div>
        {variables.map(variable => (
          <label key={variable.name}>
            <input
              type="checkbox"
              checked={choice.keeps(path, variable.name)}
              onChange={event =>
                choice.set(path, variable.name, event.target.checked)
              }
            />
            <code>{variable.name}</code>{' '}
            <span className="jp-GpuQuota-quiet">
              {variable.type} · {bytesText(variable.size)}
            </span>
          </label>
        ))}
      </div>
      {more ? (
        <p className="jp-GpuQuota-quiet">
          {trans._n(
            '%1 smaller one is not listed.',
            '%1 smaller ones are not listed.',
            more
          )}
        </p>
      ) : null}
    </fieldset>
  );
}
