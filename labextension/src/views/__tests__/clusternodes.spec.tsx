import { screen, within } from '@testing-library/react';
import React from 'react';
import { makeNode, makeProject, makeQuota } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { NodeTiles } from '../dashboard/nodetiles';
import { ProjectBars } from '../dashboard/projectbars';

describe('the tiles of a cluster', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });

  afterEach(() => page.dispose());

  const tile = (name: RegExp) => within(screen.getByRole('article', { name }));

  it('have the colours of the bars of projects', async () => {
    const projects = ['team-0', 'team-a'].map(name => makeProject({ name }));
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    await page.store.quota.refresh();
    page.show(
      <>
        <ProjectBars projects={projects} me="" />
        <NodeTiles nodes={[makeNode('dgx1-1')]} />
      </>
    );
    const bar = screen.getByRole('img', { name: /^team-a/ });
    const slice = screen.getByRole('button', { name: /^exp-1/ });
    expect(bar.getAttribute('data-series')).toBe('1');
    expect(slice.getAttribute('data-series')).toBe('1');
  });

  it('draw the GPUs of a node together, and mark simulated ones beside real ones', () => {
    const real = makeNode('dgx1-2', { simulated: false });
    page.show(<NodeTiles nodes={[makeNode('dgx1-1'), real]} />);
    const { getAllByText, getByRole, getByText } = tile(/dgx1-1/);
    expect(getByRole('group').getAttribute('aria-label')).toBe(
      '8 GPUs of dgx1-1: 6 free'
    );
    expect(getByText('V100, 32 GiB')).toBeTruthy();
    expect(getAllByText('simulated')).toHaveLength(1);
    expect(tile(/dgx1-2/).queryByText('simulated')).toBeNull();
  });

  it('do not count what is free on a full GPU', () => {
    const whole = makeNode('dgx1-1');
    const [use] = whole.devices;
    const full = {
      ...use,
      free: 0,
      slices: [{ ...use.slices[0], milli: 1000 }]
    };
    page.show(<NodeTiles nodes={[{ ...whole, devices: [full] }]} />);
    const { getByRole, queryByText } = tile(/dgx1-1/);
    expect(getByRole('group').textContent).toContain('full');
    expect(queryByText(/free/)).toBeNull();
  });

  it('say why nothing starts on a node', () => {
    page.show(
      <NodeTiles nodes={[makeNode('dgx1-2', { problem: 'cordoned' })]} />
    );
    const { getByRole, queryByText } = tile(/dgx1-2/);
    expect(queryByText('free')).toBeNull();
    expect(getByRole('heading').textContent).toContain('cordoned');
  });

  it('leave out machines without GPUs', () => {
    const nodes = [makeNode('dgx1-1'), makeNode('cpu-1', { devices: [] })];
    page.show(<NodeTiles nodes={nodes} />);
    expect(screen.queryByText(/cpu-1/)).toBeNull();
    expect(screen.getAllByRole('article')).toHaveLength(1);
  });
});
