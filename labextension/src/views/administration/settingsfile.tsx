import React, { useCallback, useEffect, useId, useRef, useState } from 'react';
import { ApiError, asApiError } from '../../api/errors';
import { FieldProblem, SettingsText } from '../../api/models';
import { mayLeave } from '../parts/confirm';
import { ErrorNotice, Notice, Pending } from '../parts/controls';
import { isNear, useUi } from '../parts/ui';

/** Show all settings as the text of a quota file, and have it changed unless a file sets them. */
export function SettingsFile(props: {
  /** Called with what is said once it is done. */
  onClose: (said: string) => void;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const { administration } = workspace;
  const [base, setBase] = useState<SettingsText>();
  const [text, setText] = useState('');
  const [failure, fail] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const title = useId();
  const load = useCallback(async () => {
    try {
      const found = await administration.text();
      setBase(found);
      setText(found.text);
      fail(undefined);
    } catch (thrown) {
      fail(asApiError(thrown));
    }
  }, [administration]);
  useEffect(() => {
    frame.current?.focus(); // until there is a text
    void load();
  }, [load]);
  useEffect(() => {
    if (isNear(frame.current)) {
      area.current?.focus();
    }
  }, [base]);
  const apply = async ({ revision }: SettingsText) => {
    setBusy(true);
    try {
      await administration.putText({ text, revision });
      props.onClose(trans.__('The settings were saved.'));
    } catch (thrown) {
      const error = asApiError(thrown);
      setBusy(false);
      fail(error);
      if (isNear(frame.current)) {
        selectLine(area.current, lineOf(error.fields[0]));
      }
    }
  };
  const close = async () => {
    if (base?.text === text || !base || (await mayLeave(trans))) {
      props.onClose('');
    }
  };
  return (
    <section
      ref={frame}
      className="jp-GpuQuota-board jp-GpuQuota-settingsFile"
      tabIndex={-1}
      aria-labelledby={title}
      aria-busy={isBusy}
    >
      <header className="jp-GpuQuota-boardHead">
        <h3 id={title}>{trans.__('All settings as a file')}</h3>
      </header>
      {base?.file ? (
        <Notice>
          {trans.__('To make changes, edit the file %1.', base.file)}
        </Notice>
      ) : null}
      {base ? (
        <textarea
          ref={area}
          className="jp-GpuQuota-input"
          aria-label={trans.__('Settings (YAML)')}
          aria-invalid={!!failure?.fields.length}
          spellCheck={false}
          wrap="off"
          rows={24}
          readOnly={!!base.file}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      ) : failure ? null : (
        <Pending trans={trans} />
      )}
      {failure ? <Failure error={failure} /> : null}
      <div className="jp-GpuQuota-buttons">
        {base && !base.file ? (
          <button
            type="button"
            className="jp-GpuQuota-button jp-mod-accept"
            aria-disabled={isBusy}
            onClick={() => (isBusy ? undefined : void apply(base))}
          >
            {trans.__('Apply')}
          </button>
        ) : null}
        {failure?.code === 'Outdated' ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => void load()}
          >
            {trans.__('Discard my changes and reload')}
          </button>
        ) : null}
        <button
          type="button"
          className="jp-GpuQuota-button"
          onClick={() => void close()}
        >
          {trans.__('Close')}
        </button>
      </div>
    </section>
  );
}

/** Show why the text was not saved: each mistake with its line. */
function Failure({ error }: { error: ApiError }): JSX.Element {
  const { trans } = useUi();
  return error.fields.length ? (
    <div role="alert">
      <ul className="jp-GpuQuota-problems">
        {error.fields.map(({ field, hint, message }) => (
          <li key={field + message}>
            <b>{field}</b> {[message, hint].filter(Boolean).join(' ')}
          </li>
        ))}
      </ul>
    </div>
  ) : (
    <ErrorNotice trans={trans} error={error} />
  );
}

/** Return the line that a problem begins with, 0 for none. */
function lineOf(problem: FieldProblem | undefined): number {
  return Number(/^Line (\d+)/.exec(problem?.field ?? '')?.[1] ?? 0);
}

function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  const lines = area?.value.split('\n') ?? [];
  if (area && line) {
    const start = lines.slice(0, line - 1).join('\n').length + Number(line > 1);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  }
}
