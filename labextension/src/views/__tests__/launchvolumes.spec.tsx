import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import React from 'react';
import { makeAbout, makeQuota } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { makeVolume, makeVolumes } from '../../__tests__/storage';
import { FieldProblem } from '../../api/models';
import { LaunchModel } from '../../state/launch';
import { LaunchForm } from '../launch/launch';

describe('the volumes of a launch', () => {
  let page: Page;
  let model: LaunchModel;
  let problems: FieldProblem[];

  beforeEach(() => {
    page = new Page();
    problems = [];
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['volumes'] })
    });
    page.server.on('GET /quota', { body: makeQuota() });
    page.server.on('GET /volumes', {
      body: makeVolumes([
        makeVolume(),
        makeVolume({ name: 'scans', read_only: true }),
        makeVolume({ name: 'foreign', project: 'team-z' }),
        makeVolume({ name: 'lost', actions: [] })
      ])
    });
    page.server.on('POST /sessions/preview', () => ({
      body: {
        verdict: problems.length ? 'never' : 'fits',
        message: 'Starts now.',
        reason: null,
        nearest: null,
        isolation: null,
        data: [],
        problems
      }
    }));
    model = new LaunchModel(
      page.store.actions,
      page.trans,
      { project: 'team-a' },
      1
    );
    page.show(
      <LaunchForm model={model} onLaunched={() => 0} onCancel={() => 0} />
    );
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const add = async () => {
    fireEvent.click(await screen.findByRole('button', { name: /^Mount a/ }));
    const rows = screen.getAllByRole('group', { name: /^Volume \d$/ });
    return within(rows[rows.length - 1]);
  };
  const sent = () =>
    page.server.asked
      .filter(({ path }) => path === '/sessions/preview')
      .map(({ body }) => (body as { volumes?: string[] }).volumes)
      .pop();

  it('are those of the project that can be mounted, and new ones', async () => {
    const row = await add();
    const select = row.getByRole('combobox');
    expect(document.activeElement).toBe(select);
    await waitFor(() =>
      expect([...select.querySelectorAll('option')].map(o => o.value)).toEqual([
        '',
        'scratch',
        'scans',
        'new:fast'
      ])
    );
  });

  it('are sent with path and access, and not at all where none is named', async () => {
    const row = await add();
    await row.findByRole('option', { name: /^scans/ });
    expect(sent()).toBeUndefined();
    fireEvent.change(row.getByRole('combobox'), { target: { value: 'scans' } });
    await waitFor(() => expect(sent()).toEqual(['scans:/scans:ro']));
    const other = await add();
    fireEvent.change(other.getByRole('combobox'), {
      target: { value: 'new:fast' }
    });
    await waitFor(() =>
      expect(sent()).toEqual(['scans:/scans:ro', 'fast:10Gi:/data'])
    );
    fireEvent.click(
      screen.getByRole('button', { name: 'Do not mount volume 1' })
    );
    await waitFor(() => expect(sent()).toEqual(['fast:10Gi:/data']));
  });

  it('are marked where the server refuses one of them', async () => {
    const message = '/etc is used by the system.';
    const row = await add();
    await row.findByRole('option', { name: /^scratch/ });
    problems = [{ field: 'volumes[0].path', message, hint: '' }];
    fireEvent.change(row.getByRole('combobox'), {
      target: { value: 'scratch' }
    });
    expect(await screen.findByText(message)).toBeTruthy();
    expect(row.getByRole('combobox').getAttribute('aria-invalid')).toBe('true');
  });
});
