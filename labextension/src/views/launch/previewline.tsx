import { LabIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { Preview, PreviewVerdict } from '../../api/models';
import { lookUp, Table } from '../../api/vocabulary';
import { otherIcon, STATE_ICONS } from '../../icons';
import { toDraft } from '../../state/draft';
import { LaunchModel } from '../../state/launch';
import { placeName } from '../clusters/texts';
import { ErrorNotice, errorText } from '../parts/controls';
import { isolationDetail, isolationText, shareText } from '../parts/texts';
import { useUi } from '../parts/ui';

const ICONS: Table<PreviewVerdict, LabIcon> = {
  fits: STATE_ICONS.done,
  borrows: STATE_ICONS.done,
  reclaims: STATE_ICONS.waiting,
  waits: STATE_ICONS.waiting,
  forbidden: STATE_ICONS.failed
};

/** The effect of the request while the form is being filled in. */
export function LiveLine(props: { model: LaunchModel }): JSX.Element {
  const { model } = props;
  const { trans } = useUi();
  const { failure } = model;
  return (
    <>
      {failure && !failure.fields.length ? (
        <ErrorNotice
          trans={trans}
          title={
            model.isUncertain
              ? trans.__(
                  'It is not known whether the session was launched. If it was, this form closes as soon as the list shows it.'
                )
              : trans.__('The session was not launched.')
          }
          error={failure}
        />
      ) : null}
      <div className="jp-GpuQuota-verdict" role="status" aria-live="polite">
        <Verdict model={model} />
      </div>
    </>
  );
}

function Verdict({ model }: { model: LaunchModel }): JSX.Element {
  const { trans } = useUi();
  const { verdict, otherProblems } = model;
  if (model.firstBroken || otherProblems.length) {
    const only = model.onlyProblem?.message;
    return (
      <Line
        kind="forbidden"
        message={trans.__(
          'Not possible: %1',
          only ?? trans.__('see the marked fields.')
        )}
      >
        {otherProblems.map(({ field, message, hint }) => (
          <p key={field}>{trans.__('%1: %2 %3', field, message, hint)}</p>
        ))}
        {verdict.status === 'ready' ? (
          <Instead model={model} preview={verdict.preview} />
        ) : null}
      </Line>
    );
  }
  switch (verdict.status) {
    case 'pending':
      return (
        <p className="jp-GpuQuota-quiet">
          {trans.__('Checking availability…')}
        </p>
      );
    case 'error':
      return (
        <Line
          kind="forbidden"
          message={trans.__(
            'Could not check availability: %1',
            errorText(trans, verdict.error)
          )}
        >
          {verdict.error.hint ? <p>{verdict.error.hint}</p> : null}
        </Line>
      );
    case 'ready':
      return <PreviewLine model={model} preview={verdict.preview} />;
  }
}

function PreviewLine(props: {
  model: LaunchModel;
  preview: Preview;
}): JSX.Element {
  const { model, preview } = props;
  const { trans } = useUi();
  const { isolation, reason } = preview;
  const [first, ...others] = preview.places ?? [];
  return (
    <Line
      kind={preview.verdict}
      message={
        first
          ? trans.__('%1: %2', placeName(trans, first), preview.message)
          : preview.message
      }
    >
      {reason?.hint ? <p>{reason.hint}</p> : null}
      {others.map((place, index) => (
        <p key={index}>
          {trans.__('Then %1: %2', placeName(trans, place), place.message)}
        </p>
      ))}
      <Instead model={model} preview={preview} />
      {isolation ? (
        <p title={isolationDetail(trans, isolation).join('\n')}>
          {trans.__(
            'Isolation: %1. %2',
            isolationText(trans, isolation),
            isolation.note
          )}
        </p>
      ) : null}
    </Line>
  );
}

/** Offer what could be had instead, by one click each. */
function Instead(props: { model: LaunchModel; preview: Preview }): JSX.Element {
  return (
    <div className="jp-GpuQuota-buttons">
      <Nearest {...props} />
      <StartAsSpot {...props} />
    </div>
  );
}

/** Launch at once what may be preempted. */
function StartAsSpot(props: {
  model: LaunchModel;
  preview: Preview;
}): JSX.Element | null {
  const { trans } = useUi();
  return props.preview.nearest_kind === 'interactive-spot' ? (
    <button
      type="button"
      className="jp-GpuQuota-button"
      title={trans.__('It may be preempted and requeued.')}
      onClick={({ currentTarget: { form } }) => {
        props.model.set({ kind: 'interactive-spot' });
        form?.requestSubmit();
      }}
    >
      {trans.__('Start now as spot')}
    </button>
  ) : null;
}

/** Offer the share that could be had instead. */
function Nearest(props: {
  model: LaunchModel;
  preview: Preview;
}): JSX.Element | null {
  const { trans } = useUi();
  const { nearest } = props.preview;
  return nearest ? (
    <button
      type="button"
      className="jp-GpuQuota-button"
      onClick={({ currentTarget: { form } }) => {
        props.model.set(toDraft(nearest));
        // This button goes with the verdict: the focus would be lost.
        form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
      }}
    >
      {trans.__('Request %1 instead', shareText(trans, nearest))}
    </button>
  ) : null;
}

function Line(props: {
  kind: PreviewVerdict;
  message: string;
  children?: React.ReactNode;
}): JSX.Element {
  const Icon = lookUp(ICONS, props.kind) ?? otherIcon;
  return (
    <div className={`jp-GpuQuota-line jp-mod-${props.kind}`}>
      <Icon.react tag="span" className="jp-GpuQuota-state" aria-hidden="true" />
      <div>
        <strong>{props.message}</strong>
        <div className="jp-GpuQuota-quiet">{props.children}</div>
      </div>
    </div>
  );
}
