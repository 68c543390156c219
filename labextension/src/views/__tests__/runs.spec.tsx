import { screen } from '@testing-library/react';
import React from 'react';
import { makeAbout, makeSession } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { Runs } from '../details/runs';

const RUNS = 'GET /sessions/s1/runs';
const RUN = {
  id: 'c0ffee',
  name: 'first',
  experiment: 'Default',
  status: 'FINISHED',
  begun: null,
  ended: null,
  source: 'train.py',
  commit: '',
  params: { lr: '0.1' },
  metrics: { loss: 0.25 },
  gpu: 62.4,
  data: {},
  artifacts: [],
  place: '',
  snapshot: '5a'.repeat(32)
};

describe('the runs of a session', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });

  afterEach(() => {
    page.dispose();
  });

  const show = async (capabilities: string[], actions: ['log'] | []) => {
    page.server.on('GET /about', { body: makeAbout({ capabilities }) });
    await page.store.about.refresh();
    return page.show(<Runs session={makeSession({ actions })} />);
  };

  it('are listed with metrics, parameters, GPU use and snapshot', async () => {
    page.server.on(RUNS, {
      body: { items: [RUN], store: 'mlflow.db', problem: '' }
    });
    const { container } = await show(['runs'], ['log']);
    await screen.findByText('first');
    expect(container.textContent).toContain('FINISHED · loss=0.25');
    expect(container.textContent).toContain('lr=0.1');
    expect(container.textContent).toContain('62 %');
    expect(container.textContent).toContain('5a5a5a5a5a5a');
  });

  it('are not asked for without the right, or of other servers', async () => {
    await show(['runs'], []);
    await show([], ['log']);
    expect(page.server.count(RUNS)).toBe(0);
  });

  it('are missing for a reason', async () => {
    const problem = 'Runs cannot be read: no server.';
    page.server.on(RUNS, { body: { items: [], store: '', problem } });
    await show(['runs'], ['log']);
    await screen.findByText(problem);
  });
});
