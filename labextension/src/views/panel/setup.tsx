import { Clipboard } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { checkIcon, copyIcon, refreshIcon } from '@jupyterlab/ui-components';
import React, { useState } from 'react';
import { gpuIcon } from '../../icons';
import { Diagnosis } from '../../state/setup';
import { errorText, IconButton } from '../parts/controls';
import { useUi } from '../parts/ui';

/** Why the workspace does not work, and what to do about it. */
export function SetupCard(props: {
  diagnosis: Diagnosis;
  /** Work with a server of another release, as long as it speaks the same API. */
  onUseAnyway: () => void;
}): JSX.Element {
  const { workspace, trans } = useUi();
  const [busy, setBusy] = useState(false);
  const { diagnosis } = props;
  const retry = async () => {
    setBusy(true);
    await workspace.refresh();
    setBusy(false);
  };
  return (
    <section className="jp-GpuQuota-setup" role="alert">
      <gpuIcon.react tag="span" aria-hidden="true" />
      <Explanation diagnosis={diagnosis} trans={trans} />
      <div className="jp-GpuQuota-buttons">
        {diagnosis.kind === 'elsewhere' ? null : (
          <button
            type="button"
            className="jp-GpuQuota-button jp-mod-accept"
            disabled={busy}
            onClick={() => void retry()}
          >
            <refreshIcon.react tag="span" aria-hidden="true" />
            {busy ? trans.__('Trying…') : trans.__('Try again')}
          </button>
        )}
        {diagnosis.kind === 'version' && diagnosis.usable ? (
          <button
            type="button"
            className="jp-GpuQuota-button"
            onClick={props.onUseAnyway}
          >
            {trans.__('Use anyway')}
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
          <h3>{trans.__('No access to the GPU workspace')}</h3>
          <p>{diagnosis.error.message}</p>
          <p>{trans.__('Log in again, or ask an admin of this server.')}</p>
        </>
      );
    case 'elsewhere':
    case 'failed':
      return (
        <>
          {diagnosis.kind === 'failed' ? (
            <h3>{trans.__('The GPU workspace cannot start')}</h3>
          ) : null}
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

/** Commands for a terminal, and a button that copies them. */
function Typed(props: {
  commands: string;
  trans: TranslationBundle;
}): JSX.Element {
  const { commands, trans } = props;
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div className="jp-GpuQuota-typed">
      <pre>
        <code>{commands}</code>
      </pre>
      <IconButton
        icon={isCopied ? checkIcon : copyIcon}
        label={isCopied ? trans.__('Copied') : trans.__('Copy')}
        onClick={() => {
          Clipboard.copyToSystem(commands);
          setIsCopied(true);
        }}
      />
    </div>
  );
}

function Missing(props: { trans: TranslationBundle }): JSX.Element {
  const { trans } = props;
  return (
    <>
      <h3>{trans.__('Server extension not found')}</h3>
      <p>
        {trans.__(
          'The GPU workspace is not installed or not enabled on the Jupyter server behind this page.'
        )}
      </p>
      <p>
        {trans.__(
          'On the server, both of these commands should list it as OK:'
        )}
      </p>
      <Typed commands={LISTS} trans={trans} />
      <p>{trans.__('If not, install it and restart the server:')}</p>
      <Typed commands={INSTALL} trans={trans} />
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
      <h3>{trans.__('Version mismatch')}</h3>
      <p>
        {trans.__(
          'This page is version %1, the server is version %2.',
          props.page,
          props.server
        )}
      </p>
      <p>
        {trans.__(
          'Restart the Jupyter server and reload this page. If that does not help, reinstall it on the server:'
        )}
      </p>
      <Typed commands={UPGRADE} trans={trans} />
    </>
  );
}
