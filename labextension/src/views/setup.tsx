import { TranslationBundle } from '@jupyterlab/translation';
import { refreshIcon } from '@jupyterlab/ui-components';
import React, { useState } from 'react';
import { gpuIcon } from '../icons';
import { Diagnosis } from '../state/setup';
import { errorText } from './common';
import { useUi } from './ui';

/** Say what keeps the workspace from working, and what to do about it. */
export function SetupCard(props: {
  diagnosis: Diagnosis;
  /** Work with a server of another release, as long as it speaks the same API. */
  onUseAnyway: () => void;
}): JSX.Element {
  const { quota, trans } = useUi();
  const [busy, setBusy] = useState(false);
  const { diagnosis } = props;
  const retry = async () => {
    setBusy(true);
    await quota.refresh();
    setBusy(false);
  };
  return (
    <section className="jp-GpuQuota-setup" role="alert">
      <gpuIcon.react tag="span" aria-hidden="true" />
      <Explanation diagnosis={diagnosis} trans={trans} />
      <div className="jp-GpuQuota-buttons">
        <button
          type="button"
          className="jp-GpuQuota-button jp-mod-accept"
          disabled={busy}
          onClick={() => void retry()}
        >
          <refreshIcon.react tag="span" aria-hidden="true" />
          {busy ? trans.__('Trying…') : trans.__('Try again')}
        </button>
        {diagnosis.kind === 'version' && diagnosis.usable ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={props.onUseAnyway}
          >
            {trans.__('Use it anyway')}
          </button>
        ) : null}
      </div>
    </section>
  );
}

function Explanation(props: {
  diagnosis: Diagnosis;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { diagnosis, trans } = props;
  switch (diagnosis.kind) {
    case 'missing':
      return <Missing trans={trans} />;
    case 'version':
      return <OtherVersion trans={trans} {...diagnosis} />;
    case 'forbidden':
      return (
        <>
          <h3>{trans.__('You may not use the GPU workspace')}</h3>
          <p>{diagnosis.error.message}</p>
          <p>{trans.__('Log in again, or ask the admin of this server.')}</p>
        </>
      );
    case 'failed':
      return (
        <>
          <h3>{trans.__('The GPU workspace cannot start')}</h3>
          <p>{errorText(trans, diagnosis.error)}</p>
          {diagnosis.error.hint ? <p>{diagnosis.error.hint}</p> : null}
        </>
      );
    default:
      return null;
  }
}

/** What to type where the server runs: the same in every language. */
const LISTS = 'jupyter server extension list\njupyter labextension list';
const INSTALL =
  'pip install jupyter_gpuquota\njupyter server extension enable jupyter_gpuquota';
const UPGRADE = 'pip install --upgrade jupyter_gpuquota';

function Missing(props: { trans: TranslationBundle }): JSX.Element {
  const { trans } = props;
  return (
    <>
      <h3>{trans.__('The server half is missing')}</h3>
      <p>
        {trans.__(
          'This page has the GPU workspace, but the Jupyter server behind it has not: it is not installed there, or not enabled.'
        )}
      </p>
      <p>
        {trans.__('Where the server runs, both of these should list it as OK:')}
      </p>
      <pre>
        <code>{LISTS}</code>
      </pre>
      <p>{trans.__('If not, install it there and restart the server:')}</p>
      <pre>
        <code>{INSTALL}</code>
      </pre>
    </>
  );
}

function OtherVersion(props: {
  trans: TranslationBundle;
  server: string;
  page: string;
}): JSX.Element {
  const { trans } = props;
  return (
    <>
      <h3>{trans.__('Two versions that do not belong together')}</h3>
      <p>
        {trans.__(
          'This page is version %1, the server is version %2.',
          props.page,
          props.server
        )}
      </p>
      <p>
        {trans.__(
          'Restart the Jupyter server and reload this page. If that does not help, install it anew where the server runs:'
        )}
      </p>
      <pre>
        <code>{UPGRADE}</code>
      </pre>
    </>
  );
}
