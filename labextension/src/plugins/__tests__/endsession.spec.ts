import { fireEvent, getByLabelText, waitFor } from '@testing-library/react';
import { makeSession } from '../../__tests__/builders';
import { findDialog, Page, press } from '../../__tests__/page';
import { Session } from '../../api/models';
import { endSession } from '../changecommands';

describe('the end of a session by its user', () => {
  let page: Page;

  beforeEach(async () => {
    page = new Page();
    await page.store.about.refresh();
    for (const verb of ['stop', 'suspend']) {
      page.server.on(`POST /sessions/s1/${verb}`, { body: makeSession() });
    }
  });

  afterEach(() => {
    page.dispose();
    document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
  });

  const end = (session: Session, goal: 'stop' | 'suspend' = 'stop') =>
    endSession(page.ui, session, goal);
  const sent = (verb = 'stop') =>
    page.server.asked
      .filter(({ path }) => path.endsWith(`/sessions/s1/${verb}`))
      .map(({ body }) => body);

  it('comes only once it is confirmed', async () => {
    const refused = end(makeSession());
    press(await findDialog(), 'Cancel');
    await refused;
    expect(sent()).toEqual([]);
    const agreed = end(makeSession());
    const dialog = await findDialog();
    expect(dialog.textContent).not.toContain('Reason');
    press(dialog, 'Stop');
    await agreed;
    expect(sent()).toEqual([{ reason: '' }]);
  });

  it.each([
    ['a program', ['python', 'train.py'], 'The program ends'],
    ['a Jupyter Server', [], 'Open notebooks are saved first']
  ])('says what the end of %s loses', async (_, command, text) => {
    const asked = end(makeSession({ spec: { kind: 'train', command } }));
    const dialog = await findDialog();
    expect(dialog.textContent).toContain(text);
    press(dialog, 'Cancel');
    await asked;
  });

  it('is not asked about where the user wants no question', async () => {
    await page.store.preferences.set('confirmStop', false);
    await end(makeSession(), 'suspend');
    expect(sent('suspend')).toEqual([{ reason: '' }]);
  });

  describe('who is not its owner', () => {
    const theirs = makeSession({ owner: 'li', state: 'waiting' });

    it('is always asked about, and names the owner', async () => {
      await page.store.preferences.set('confirmStop', false);
      const asked = end(theirs);
      const dialog = await findDialog();
      expect(dialog.textContent).toContain('Stop exp-1 of li?');
      expect(dialog.textContent).toContain('leaves the queue');
      expect(dialog.textContent).not.toContain("Don't ask again");
      press(dialog, 'Cancel');
      await asked;
      expect(sent()).toEqual([]);
    });

    it('has a reason, which the server checks', async () => {
      const asked = end(theirs, 'suspend');
      const dialog = await findDialog();
      const reason = await waitFor(() =>
        getByLabelText(dialog, 'Reason (shown to li)')
      );
      const type = (value: string) =>
        fireEvent.change(reason, { target: { value } });
      const message = 'Use at most 300 characters, not 301.';
      page.server.on('POST /sessions/s1/suspend', {
        status: 422,
        body: {
          code: 'InvalidFields',
          message: '',
          fields: [{ field: 'reason', message, hint: '' }]
        }
      });
      type('x'.repeat(301));
      press(dialog, 'Suspend');
      await waitFor(() => expect(dialog.textContent).toContain(message));
      page.server.on('POST /sessions/s1/suspend', { body: theirs });
      type('dgx1-1 is needed');
      press(dialog, 'Suspend');
      await asked;
      expect(sent('suspend').at(-1)).toEqual({ reason: 'dgx1-1 is needed' });
    });
  });
});
