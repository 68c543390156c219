import { fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeAbout } from '../../__tests__/builders';
import { idOf, makeDataset } from '../../__tests__/datasets';
import { Page } from '../../__tests__/page';
import { LaunchModel } from '../../state/launch';
import { LaunchForm } from '../launch/launch';

describe('the data of a launch', () => {
  let page: Page;
  let model: LaunchModel;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['datasets'] })
    });
    page.server.on('GET /datasets', {
      body: { items: [makeDataset()], problems: [] }
    });
    page.server.on('GET /datasets/faces/versions', {
      body: { items: [], total: 0, revision: '', next: '' }
    });
    page.server.on('POST /sessions/preview', ({ body }) => {
      const data = ((body as { data?: string[] }).data ?? []).map(line => ({
        mount: {
          dataset: line.split('@')[0],
          version: idOf('a1'),
          ref: 'latest',
          path: ''
        },
        state: 'missing',
        size: 1_200_000_000,
        done: 0,
        left: 180,
        problem: ''
      }));
      const base = { verdict: 'fits', message: 'Starts now.', problems: [] };
      return {
        body: { ...base, reason: null, nearest: null, isolation: null, data }
      };
    });
    model = new LaunchModel(page.store.actions, page.trans, {}, 1);
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const show = () =>
    page.show(
      <LaunchForm model={model} onLaunched={() => 0} onCancel={() => 0} />
    );

  it('is completed, and says that it is fetched first and how long', async () => {
    show();
    const input = await screen.findByLabelText('Data');
    const list = document.getElementById(input.getAttribute('list') ?? '');
    await waitFor(() =>
      expect(list?.querySelector('option')?.value).toBe('faces@latest')
    );
    fireEvent.change(input, { target: { value: 'faces@latest' } });
    expect(
      await screen.findByText(
        'a10000000000: will be fetched first (1.1 GiB, about 3 min)'
      )
    ).toBeTruthy();
    expect(screen.getByLabelText('Another dataset')).toBeTruthy();
  });

  it('is sent line by line, and not at all where none is named', async () => {
    show();
    const sent = () =>
      page.server.asked
        .filter(({ path }) => path === '/sessions/preview')
        .map(({ body }) => (body as { data?: string[] }).data)
        .pop();
    const input = await screen.findByLabelText('Data');
    await waitFor(() => expect(page.server.asked.length).toBeGreaterThan(1));
    expect(sent()).toBeUndefined();
    fireEvent.change(input, { target: { value: 'faces' } });
    fireEvent.change(screen.getByLabelText('Another dataset'), {
      target: { value: 'texts@v1:/in' }
    });
    await waitFor(() => expect(sent()).toEqual(['faces', 'texts@v1:/in']));
  });

  it('is not asked for where the controller has no datasets', async () => {
    page.server.on('GET /about', { body: makeAbout() });
    show();
    await screen.findByText('Starts now.');
    expect(screen.queryByLabelText('Data')).toBeNull();
  });
});
