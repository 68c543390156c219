import { screen } from '@testing-library/react';
import React from 'react';
import { makeAbout, makePage, makeSession } from '../../__tests__/builders';
import { endedBy } from '../../__tests__/endings';
import { Page } from '../../__tests__/page';
import { Session } from '../../api/models';
import { SessionAdvice } from '../../state/advice';
import { SessionIdleness } from '../../state/idle/sessionidleness';
import { clockText } from '../parts/texts';
import { DetailsView } from '../details/details';

describe('the details', () => {
  let page: Page;
  let named: string[];
  let model: SessionAdvice;
  let idleness: SessionIdleness;

  beforeEach(() => {
    page = new Page();
    named = [];
    model = new SessionAdvice(page.store, 's1');
    idleness = new SessionIdleness(page.store, 's1');
  });

  afterEach(() => {
    model.dispose();
    idleness.dispose();
    page.dispose();
  });

  const show = async (session: Session, id = 's1') => {
    page.server.on('GET /sessions', { body: makePage([session]) });
    const { container } = page.show(
      <DetailsView
        id={id}
        advice={model.advice}
        idleness={idleness}
        onNamed={name => named.push(name)}
      />
    );
    await screen.findByText(id === 's1' ? 'Request' : /deleted/);
    return container.textContent;
  };

  it('tell the place, and what holds the share and how it is bypassed', async () => {
    const text = await show(
      makeSession({
        isolation: {
          memory: 'enforced',
          compute: 'none',
          scope: 'process',
          bypass: ['a process that leaves MPS has no limit'],
          note: 'Limits are kept by NVIDIA MPS.'
        }
      })
    );
    expect(text).toContain('dgx1-1, GPU 3 (simulated)');
    expect(text).toContain('Memory: limit enforced.');
    expect(text).toContain('Compute: not limited.');
    expect(text).toContain('Limits apply per process.');
    expect(text).toContain(
      'Can be bypassed: a process that leaves MPS has no limit.'
    );
    expect(named).toEqual(['exp-1']);
  });

  it('list what was requested of a container', async () => {
    const text = await show(
      makeSession({
        spec: {
          node_type: 'fast',
          pod: {
            cpu: 2000,
            cpu_limit: 0,
            memory: 0,
            memory_limit: 4096,
            large_shm: true,
            tolerations: [],
            pull_secrets: [],
            pull_policy: '',
            service_account: 'trainer',
            run_as_user: null,
            run_as_group: null,
            secret_env: {},
            mounts: []
          }
        }
      })
    );
    expect(text).toContain(
      'Node groupfastCPUs2Memory limit4096MiLarge shared memoryyesService accounttrainer'
    );
  });

  it('tell how it ended, with the last lines', async () => {
    const text = await show(
      makeSession({
        state: 'failed',
        placement: null,
        reason: {
          code: 'CommandFailed',
          message: 'Its command ended with exit code 3.',
          hint: 'Its log says why.',
          raw: ''
        },
        exit: {
          code: 3,
          at: '2026-01-01T12:00:00Z',
          signal: '',
          last_lines: ['loading', 'no such file']
        }
      })
    );
    expect(text).toContain('Its command ended with exit code 3.');
    expect(text).toContain('Its log says why.');
    expect(text).toContain('loading\nno such file');
  });

  it('tell an exit that nobody could see', async () => {
    const exit = {
      code: null,
      at: '2026-01-01T12:00:00Z',
      signal: 'SIGKILL',
      last_lines: []
    };
    const text = await show(makeSession({ state: 'failed', exit }));
    expect(text).toContain('Exit codeunknown');
    expect(text).toContain('SIGKILL');
  });

  it('tell the request so that it could be typed again', async () => {
    const text = await show(
      makeSession({
        spec: {
          command: ['python', '-c', 'print("a b")'],
          env: { SEED: '7' },
          ports: [6006]
        }
      })
    );
    expect(text).toContain('python -c "print(\\"a b\\")"');
    expect(text).toContain('SEED=7');
    const port = screen.getByRole('link', { name: /6006/ });
    expect(port.getAttribute('href')).toMatch(/\/s\/s1\/p\/6006\/$/);
    expect(port.getAttribute('rel')).toContain('noopener');
  });

  it('tell when and why it will be stopped, while it runs', async () => {
    const ends = new Date(Date.now() + 600_000).toISOString();
    const text = await show(makeSession({ ends, ends_by: 'everyone' }));
    expect(text).toContain(
      `Stops at ${clockText(ends)} (max. run time, everyone's policy)`
    );
  });

  it('say who can open it, and leave out what is hidden', async () => {
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['policing'] })
    });
    await page.store.about.refresh();
    const text = await show(
      makeSession({
        owner: 'li',
        actions: [],
        spec: { environment: '', folder: '' }
      })
    );
    expect(text).toContain('Only li can open it.');
    for (const heading of [
      'Recommended size',
      'Activity',
      'Policy',
      'Environment',
      'Folder',
      'Command'
    ]) {
      expect(text).not.toContain(heading);
    }
    await Promise.all([
      model.advice.refresh(),
      idleness.activity.refresh(),
      idleness.policy.refresh()
    ]);
    expect(page.server.count('GET /sessions/s1/policy')).toBe(0);
    expect(idleness.policy.result).toMatchObject({ value: null });
    expect(model.advice.result).toMatchObject({ value: null });
  });

  it('say nothing of who can open what I can open', async () => {
    expect(await show(makeSession({ owner: 'li' }))).not.toContain('Only li');
  });

  it('say who has stopped a session, and why', async () => {
    expect(await show(endedBy('<b>root</b>'))).toContain(
      'Stopped by <b>root</b>: dgx1-1 is needed.'
    );
  });

  it('say so when the session has gone', async () => {
    expect(await show(makeSession(), 'other')).toContain('deleted');
  });
});
