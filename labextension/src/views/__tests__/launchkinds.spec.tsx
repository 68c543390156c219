import { fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { makeProject, makeQuota } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { LaunchModel } from '../../state/launch';
import { LaunchForm } from '../launch/launch';

describe('the kind in the launch form', () => {
  let page: Page;
  let model: LaunchModel;

  beforeEach(() => {
    page = new Page();
    page.server.on('GET /environments', { body: { environments: [] } });
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const show = () => {
    model = new LaunchModel(
      page.store.actions,
      page.trans,
      { name: 'exp-1' },
      1
    );
    page.show(
      <LaunchForm
        model={model}
        onLaunched={() => undefined}
        onCancel={() => undefined}
      />
    );
  };
  const choose = (kind: string) =>
    fireEvent.change(screen.getByLabelText('Kind'), {
      target: { value: kind }
    });

  it('says what may be preempted, as the engine has it', async () => {
    const projects = [makeProject({ preemptible: ['interactive'] })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    show();
    await screen.findByText(
      'For hands-on work. May be preempted and requeued.'
    );
    choose('train');
    expect(screen.getByText('Runs unattended. Never preempted.')).toBeTruthy();
    // A landmark inside another would mislead screen readers.
    expect(screen.queryByRole('contentinfo')).toBeNull();
  });

  it('speaks of no project or quota where one has all GPUs', async () => {
    const projects = [makeProject({ name: 'root', quota: 16000 })];
    page.server.on('GET /quota', { body: makeQuota({ projects }) });
    show();
    await waitFor(() => expect(screen.queryByLabelText('Project')).toBeNull());
    choose('interactive-spot');
    expect(document.body.textContent).not.toMatch(/quota|project/i);
  });

  it('says what each project has free for interactive sessions', async () => {
    const projects = [
      makeProject({ allocated: 4000, kept: 2500 }),
      makeProject({ name: 'team-b', kept: undefined })
    ];
    const mine = ['team-a', 'team-b'];
    page.server.on('GET /quota', { body: makeQuota({ projects, mine }) });
    show();
    await waitFor(() =>
      expect(screen.getByLabelText('Project').textContent).toBe(
        'team-a – free for interactive: 1.5 of 4 GPUs' +
          'team-b – free for interactive: 2.5 of 4 GPUs'
      )
    );
  });

  it('knows what our own scheduler preempts', async () => {
    show();
    await screen.findByText('For hands-on work. Never preempted.');
    choose('train');
    await screen.findByText('Runs unattended. May be preempted and requeued.');
  });
});
