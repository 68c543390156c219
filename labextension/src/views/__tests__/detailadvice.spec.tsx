import { Widget } from '@lumino/widgets';
import { fireEvent, screen } from '@testing-library/react';
import { makePage, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { CommandIDs } from '../../commands';
import { makeDetailsWidget } from '../details/details';

const ADVICE = 'GET /sessions/s1/advice';
const SHARE = { milli: 250, memory: 0, compute: 0, mig: '' };

describe('the right size in the details', () => {
  let page: Page;
  let widget: Widget;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /sessions', { body: makePage([makeSession()]) });
    widget = makeDetailsWidget(page.ui, 's1');
  });

  afterEach(() => {
    widget.dispose();
    page.dispose();
  });

  const advise = (advice: object) =>
    page.server.on(ADVICE, { body: { share: null, ...advice } });
  const show = () => Widget.attach(widget, document.body);

  it('is not asked for before they are open', async () => {
    await page.store.sessions.refresh();
    expect(page.server.count(ADVICE)).toBe(0);
  });

  it('says so where the GPU is simulated, and offers nothing', async () => {
    const message = 'It cannot be measured: the GPU is simulated.';
    advise({ verdict: 'unmeasured', message });
    show();
    await screen.findByText(message);
    expect(page.server.count(ADVICE)).toBe(1);
    expect(screen.queryByRole('button', { name: /Relaunch/ })).toBeNull();
  });

  it('offers to relaunch with the share that would do', async () => {
    const message = 'peak 6 of 16 GiB over 5 h: 0.25 would do.';
    advise({ verdict: 'smaller', message, share: SHARE });
    show();
    await screen.findByText(message);
    const name = 'Relaunch with ¼ GPU';
    fireEvent.click(screen.getByRole('button', { name }));
    expect(page.executed).toEqual([[CommandIDs.relaunch, 's1']]);
  });

  it('tells why there is none, and asks again', async () => {
    const problem = { code: 'Internal', hint: '', fields: [] };
    page.server.on(ADVICE, {
      status: 500,
      body: { ...problem, message: 'No advice today.' }
    });
    show();
    await screen.findByText('No advice today.');
    advise({ verdict: 'fits', message: 'its share is right.' });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('its share is right.');
  });
});
