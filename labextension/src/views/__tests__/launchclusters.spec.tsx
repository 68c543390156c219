import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import {
  makeAbout,
  makeProject,
  makeQuota,
  makeSession
} from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { makeTemplate } from '../../__tests__/templates';
import {
  Environment,
  FieldProblem,
  Fallback,
  PlacePreview
} from '../../api/models';
import { LaunchModel } from '../../state/launch';
import Places from '../clusters/places';
import { LaunchForm } from '../launch/launch';

describe('the clusters of a launch', () => {
  let page: Page;
  let model: LaunchModel;
  let problems: FieldProblem[];
  let places: PlacePreview[];

  beforeEach(() => {
    page = new Page();
    problems = [];
    places = [];
    page.server.on('GET /quota', { body: makeQuota() });
    page.server.on('GET /templates', { body: { items: [makeTemplate()] } });
    page.server.on('POST /sessions/preview', () => ({
      body: {
        verdict: 'waits',
        message: 'All GPUs are in use.',
        reason: null,
        nearest: null,
        isolation: null,
        data: [],
        problems,
        places
      }
    }));
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  const show = (clusters?: string[], on = '') => {
    page.server.on('GET /about', {
      body: makeAbout({ capabilities: ['templates'], clusters })
    });
    model = new LaunchModel(page.store.actions, page.trans, { on }, 1);
    page.show(
      <LaunchForm model={model} onLaunched={() => 0} onCancel={() => 0} />
    );
  };
  const add = async () =>
    fireEvent.click(await screen.findByRole('button', { name: /^Add a cl/ }));
  const sent = () =>
    page.server.asked
      .filter(({ path }) => path === '/sessions/preview')
      .map(({ body }) => body as { on?: string[]; on_wait?: string })
      .pop();

  it('are not asked for where there is one', async () => {
    show();
    await waitFor(() => expect(sent()).toBeDefined());
    expect(screen.queryByText('Clusters')).toBeNull();
    expect(sent()).not.toHaveProperty('on');
  });

  it('are sent in their order, with the time that each is waited for', async () => {
    show(['lab', 'cloud']);
    await add();
    await waitFor(() => expect(sent()?.on).toEqual(['lab']));
    expect(screen.queryByLabelText('Wait in each for')).toBeNull();
    await add();
    fireEvent.change(screen.getByLabelText('Wait in each for'), {
      target: { value: '10m' }
    });
    await waitFor(() =>
      expect(sent()).toMatchObject({ on: ['lab', 'cloud'], on_wait: '10m' })
    );
  });

  it('may be templates too', async () => {
    show(['lab', 'cloud']);
    await act(() => page.store.resource('templates').refresh());
    await add();
    const select = screen.getByRole('combobox', { name: 'Cluster 1' });
    await screen.findByRole('option', { name: 'Template: A small one' });
    fireEvent.change(select, { target: { value: 'small' } });
    await waitFor(() => expect(sent()?.on).toEqual(['small']));
  });

  it('can be taken out, and one that is not known stays until then', async () => {
    show(['lab', 'cloud'], 'old\ncloud');
    await screen.findByRole('option', { name: 'old' });
    fireEvent.click(
      screen.getByRole('button', { name: 'Do not try cluster 1' })
    );
    await waitFor(() => expect(sent()?.on).toEqual(['cloud']));
    expect(document.activeElement?.textContent).toBe('Add a cluster');
  });

  it('say at the field what is wrong with one of them', async () => {
    const message = 'No cluster or template is named old.';
    problems = [{ field: 'on[0]', message, hint: '' }];
    show(['lab', 'cloud'], 'old');
    const problem = await screen.findByText(message);
    const select = screen.getByRole('combobox', { name: 'Cluster 1' });
    expect(select.getAttribute('aria-describedby')).toContain(
      problem.closest('ul')?.id
    );
  });

  it('say of which of them something is wrong', async () => {
    problems = [{ field: 'on[1].gpu', message: 'Too much.', hint: '' }];
    show(['lab', 'cloud'], 'lab\ncloud');
    await screen.findByText('cloud: Too much.');
    const invalid = (number: number) =>
      screen
        .getByRole('combobox', { name: `Cluster ${number}` })
        .getAttribute('aria-invalid');
    expect([invalid(1), invalid(2)]).toEqual([null, 'true']);
  });

  it('say what each would do now', async () => {
    places = [
      place('lab', 'lab', 'All GPUs are in use.'),
      place('big', 'cloud', 'Starts now.')
    ];
    show(['lab', 'cloud'], 'lab\nbig');
    await screen.findByText('lab: All GPUs are in use.');
    screen.getByText('Then big (cloud): Starts now.');
  });
});

describe('the environments of a launch', () => {
  let page: Page;
  let model: LaunchModel;

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  it('are those of the cluster of the chosen project', async () => {
    page = new Page();
    const projects = ['team-a', 'cloud/ml'];
    page.server.on('GET /quota', {
      body: makeQuota({
        projects: projects.map(name => makeProject({ name })),
        mine: projects
      })
    });
    const asked: (string | null)[] = [];
    page.server.on('GET /environments', ({ query }) => {
      const project = query.get('project');
      asked.push(project);
      return {
        body: {
          environments: [makeEnvironment(project ? 'torch' : 'base')]
        }
      };
    });
    const environment = 'base';
    model = new LaunchModel(page.store.actions, page.trans, { environment }, 1);
    page.show(
      <LaunchForm model={model} onLaunched={() => 0} onCancel={() => 0} />
    );
    await page.store.environments.refresh();
    await screen.findByRole('option', { name: 'base' });
    fireEvent.change(await screen.findByLabelText('Project'), {
      target: { value: 'cloud/ml' }
    });
    await screen.findByRole('option', { name: 'torch' });
    expect(screen.queryByRole('option', { name: 'base' })).toBeNull();
    expect(asked.slice(-1)).toEqual(['cloud/ml']);
    expect(model.draft.environment).toBe('');
    fireEvent.change(screen.getByLabelText('Project'), {
      target: { value: 'team-a' }
    });
    await screen.findByRole('option', { name: 'base' });
  });
});

describe('the clusters of a session', () => {
  const share = makeSession().spec.share;
  const fallback: Fallback = {
    places: ['lab', 'big', 'cloud'].map(name => ({
      name,
      cluster: name === 'big' ? 'lab' : name,
      project: 'team-a',
      share,
      refused: ''
    })),
    current: 1,
    since: '2026-01-01T12:00:00Z',
    until: '2026-01-01T12:10:00Z',
    next: 2,
    moving: false
  };

  const lines = (changes: Partial<Fallback>): string[] => {
    const page = new Page();
    page.show(<Places fallback={{ ...fallback, ...changes }} />);
    const found = screen.getAllByRole('listitem').map(each => each.textContent);
    page.dispose();
    return found as string[];
  };

  it('say which were tried, where it waits until when, and what is next', () => {
    const [lab, big, cloud] = lines({ next: 2 });
    expect(lab).toBe('lab · ½ GPU: tried');
    expect(big).toMatch(/^big \(lab\) · ½ GPU: waits here until /);
    expect(cloud).toBe('cloud · ½ GPU: next');
  });

  it('say where it has stayed', () => {
    const [, big, cloud] = lines({ until: null, next: null });
    expect(big).toMatch(/: here since /);
    expect(cloud).toBe('cloud · ½ GPU: not tried');
  });

  it('say where it is on its way to', () => {
    expect(lines({ moving: true })[1]).toMatch(/: being launched here$/);
  });

  it('say which have refused it, and why', () => {
    const [lab, ...rest] = fallback.places;
    const places = [{ ...lab, refused: 'No such image.' }, ...rest];
    expect(lines({ places })[0]).toBe('lab · ½ GPU: refused: No such image.');
  });
});

function makeEnvironment(name: string): Environment {
  return {
    id: name,
    label: name,
    prefix: `/${name}`,
    python: `/${name}/bin/python`,
    image: '',
    default: true,
    problem: ''
  };
}

function place(name: string, cluster: string, message: string): PlacePreview {
  return { name, cluster, project: 'team-a', verdict: 'waits', message };
}
