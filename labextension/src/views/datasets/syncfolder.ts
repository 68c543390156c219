import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Job } from '../../api/models';
import { routes } from '../../api/routes';
import { isActive } from '../../state/datasets/rows';
import { latest } from '../../state/resource';
import { IGpuWorkspace } from '../../tokens';
import { Form } from '../parts/form';
import { IUi } from '../parts/ui';
import { jobText, progressText } from './texts';

type Answers = Record<'dataset' | 'message' | 'tag', string>;

/** Ask for a dataset, and store a folder as its next version. Throws ApiError. */
export async function syncFolder(ui: IUi, folder: string): Promise<void> {
  const { trans, workspace } = ui;
  const answers = await ask(ui, folder);
  if (!answers) {
    return;
  }
  const { items } = await latest(workspace.resource('datasets'));
  const { dataset } = answers;
  if (!items.some(({ name }) => name === dataset)) {
    await workspace.call(routes.datasetsCreate, { body: { name: dataset } });
  }
  const body = { kind: 'sync' as const, folder, ...answers };
  const { id } = await workspace.call(routes.jobsStart, { body });
  follow(trans, workspace, id);
}

async function ask(
  { trans, workspace }: IUi,
  folder: string
): Promise<Answers | null> {
  const { items } = await latest(workspace.resource('datasets'));
  const proposals = items
    .filter(({ actions }) => actions.includes('write'))
    .map(({ name }) => name);
  const { button, value } = await showDialog<Answers>({
    title: trans.__('Make a version of %1', folder || '/'),
    body: new Form<keyof Answers>({
      dataset: {
        label: trans.__('Dataset'),
        placeholder: trans.__('One of yours, or the name of a new one'),
        proposals
      },
      message: {
        label: trans.__('Message'),
        placeholder: trans.__('What has changed')
      },
      tag: { label: trans.__('Tag'), placeholder: trans.__('E.g. v1') }
    }),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Store') })
    ]
  });
  return button.accept && value?.dataset ? value : null;
}

/** Show how far a job is in a notification, until it has ended. */
export function follow(
  trans: TranslationBundle,
  workspace: Pick<IGpuWorkspace, 'resource'>,
  id: string
): void {
  const jobs = workspace.resource('jobs');
  const notice = Notification.emit(trans.__('Starting…'), 'in-progress', {
    autoClose: false
  });
  const watching = jobs.watch();
  const look = () => {
    const { result } = jobs;
    const job =
      result.status === 'ready' &&
      result.value.items.find(item => item.id === id);
    if (!job) {
      return;
    }
    const isThere = Notification.update({ id: notice, ...said(trans, job) });
    if (!isActive(job) || !isThere) {
      jobs.changed.disconnect(look);
      watching.dispose();
    }
  };
  jobs.changed.connect(look);
  look();
}

function said(
  trans: TranslationBundle,
  job: Job
): Omit<Notification.IUpdate<never>, 'id'> {
  const message = trans.__(
    '%1: %2',
    jobText(trans, job),
    progressText(trans, job)
  );
  if (isActive(job)) {
    return { message, type: 'in-progress' };
  }
  const { problem, reason, state } = job;
  return state === 'done'
    ? {
        message: [message, reason].filter(Boolean).join('. '),
        type: 'success',
        autoClose: reason ? 10_000 : 6000
      }
    : {
        message: [message, problem?.message, problem?.hint]
          .filter(Boolean)
          .join(' '),
        type: 'error',
        autoClose: 10_000
      };
}
