import { screen } from '@testing-library/react';
import { AdministrationPage } from '../../__tests__/administrationpage';

describe('the audit log', () => {
  it('says in the language of the user what the system did', async () => {
    const page = new AdministrationPage();
    const what = 'moved the session team-a/exp-1 of ana from lab to cloud';
    const key = 'audit.went_on';
    page.server.on('GET /audit', {
      body: {
        items: [
          {
            id: '7',
            at: '2026-03-01T12:00:00Z',
            who: 'system',
            what,
            sentence: { text: 'exp-1 verschoben', key, args: {} },
            before: '',
            after: ''
          }
        ],
        total: 1,
        revision: '7',
        next: ''
      }
    });
    await page.open();
    const changes = screen.getByRole('table', { name: /Changes/ });
    expect(changes.textContent).toContain('systemexp-1 verschoben');
    expect(changes.textContent).not.toContain(what);
    page.dispose();
  });
});
