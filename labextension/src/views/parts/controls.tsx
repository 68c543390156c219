import { LabIcon, refreshIcon } from '@jupyterlab/ui-components';
import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ApiError } from '../../api/errors';
import { Session } from '../../api/models';
import { warningIcon } from '../../icons';
import { localTimes, memory } from './texts';

/** A button with only an icon; its label is also its tooltip. */
export const IconButton = React.forwardRef<
  HTMLButtonElement,
  {
    icon: LabIcon;
    label: string;
    onClick: (event: React.MouseEvent<HTMLButtonElement>) => void;
  } & React.ButtonHTMLAttributes<HTMLButtonElement>
>(function IconButton({ icon, label, ...rest }, ref): JSX.Element {
  return (
    <button
      ref={ref}
      type="button"
      className="jp-GpuQuota-iconButton"
      aria-label={label}
      title={label}
      {...rest}
    >
      <icon.react tag="span" aria-hidden="true" />
    </button>
  );
});

/** A word or two in a frame. */
export function Badge(props: {
  children: React.ReactNode;
  title?: string;
  kind?: 'here' | 'simulated' | 'warning';
}): JSX.Element {
  return (
    <span
      className={`jp-GpuQuota-badge jp-mod-${props.kind ?? 'plain'}`}
      title={props.title}
    >
      {props.children}
    </span>
  );
}

/** The mark of simulated GPUs, wherever one is shown. */
export function Simulated(props: { trans: TranslationBundle }): JSX.Element {
  const { trans } = props;
  return (
    <Badge
      kind="simulated"
      title={trans.__(
        'Not a real GPU: sessions run, but compute nothing on it, and no limit is enforced'
      )}
    >
      {trans.__('simulated')}
    </Badge>
  );
}

/** A notice that the user should not miss. */
export function Notice(props: { children: React.ReactNode }): JSX.Element {
  return (
    <div className="jp-GpuQuota-notice">
      <warningIcon.react tag="span" aria-hidden="true" />
      <div>{props.children}</div>
    </div>
  );
}

/** Return an error in the server's words, or in ours if it sent none. */
export function errorText(trans: TranslationBundle, error: ApiError): string {
  switch (error.code) {
    case 'Unreachable':
      return trans.__('Connection lost: the Jupyter server is not responding.');
    case 'NoExtension':
      return trans.__(
        'The GPU workspace is not installed on the Jupyter server.'
      );
    case 'BadAnswer':
      return trans.__(
        'Unexpected answer from the Jupyter server (%1).',
        error.message
      );
    default:
      return localTimes(error.message);
  }
}

/** Show an error with its hint, and offer to try again. */
export function ErrorNotice(props: {
  trans: TranslationBundle;
  error: ApiError;
  title?: string;
  onRetry?: () => void;
}): JSX.Element {
  const { trans, error, onRetry } = props;
  return (
    <div role="alert">
      <Notice>
        {props.title ? <strong>{props.title}</strong> : null}
        <p>{errorText(trans, error)}</p>
        {error.hint ? <p>{error.hint}</p> : null}
        {onRetry ? (
          <button
            type="button"
            className="jp-GpuQuota-linkButton"
            onClick={onRetry}
          >
            <refreshIcon.react tag="span" aria-hidden="true" />
            {trans.__('Try again')}
          </button>
        ) : null}
      </Notice>
    </div>
  );
}

/** Show that something is awaited. */
export function Pending(props: { trans: TranslationBundle }): JSX.Element {
  return (
    <p className="jp-GpuQuota-quiet" role="status">
      {props.trans.__('Loading…')}
    </p>
  );
}

/** Show the name of something that is set; a button where `onEdit` leads to its form. */
export function EditableName(props: {
  name: string;
  /** What the button does. */
  title: string;
  /** Whether the name is never broken. */
  isWhole?: boolean;
  onEdit?: () => void;
}): JSX.Element {
  const { isWhole, name, onEdit, title } = props;
  return onEdit ? (
    <button
      type="button"
      className={`jp-GpuQuota-linkButton${isWhole ? ' jp-mod-whole' : ''}`}
      title={title}
      onClick={onEdit}
    >
      {name}
    </button>
  ) : (
    <>{name}</>
  );
}

/** The mark of a session that uses more GPU memory than its share. */
export function OverShare(props: {
  session: Session;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { trans } = props;
  const { usage } = props.session;
  return usage?.over ? (
    <Badge
      kind="warning"
      title={trans.__(
        'Uses %1 of GPU memory, more than its share',
        memory(usage.memory ?? 0)
      )}
    >
      {trans.__('over its share')}
    </Badge>
  ) : null;
}

/** Warnings, one below the other. */
export function Warnings(props: {
  warnings: readonly string[];
}): JSX.Element | null {
  return props.warnings.length ? (
    <>
      {props.warnings.map(warning => (
        <Notice key={warning}>{warning}</Notice>
      ))}
    </>
  ) : null;
}
