import { fireEvent, screen } from '@testing-library/react';
import React from 'react';
import { makeAbout } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { LaunchModel } from '../../state/launch';
import { LaunchForm } from '../launch/launch';

const FITS = {
  verdict: 'fits',
  message: 'Rounded up to 0.5 GPU. Starts now.',
  reason: null,
  placement: null,
  isolation: null,
  problems: []
};

describe('the launch form where sessions are containers', () => {
  let page: Page;
  let model: LaunchModel;

  beforeEach(() => {
    page = new Page();
    page.server.on('POST /sessions/preview', { body: FITS });
    page.server.on('GET /about', { body: makeAbout({ local_files: false }) });
    page.server.on('GET /environments', {
      body: {
        environments: [
          {
            id: 'torch',
            label: 'PyTorch',
            prefix: '',
            image: 'ghcr.io/team/torch:1',
            python: '',
            default: true,
            problem: ''
          }
        ]
      }
    });
    page.store.about.watch();
    page.store.environments.watch();
    model = new LaunchModel(page.store.actions, page.trans, { name: 'x' }, 1);
    page.show(
      <LaunchForm
        model={model}
        onLaunched={() => undefined}
        onCancel={() => undefined}
      />
    );
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
  });

  it('asks for a folder in the container', async () => {
    await screen.findByText(/Absolute, in the container/);
    const folder = screen.getByLabelText('Folder');
    expect(folder.getAttribute('placeholder')).toBe('');
  });

  it('takes a listed environment or any image', async () => {
    const image = await screen.findByLabelText('Image');
    expect(image.getAttribute('placeholder')).toBe('PyTorch');
    const list = document.getElementById(image.getAttribute('list') ?? '');
    const options = [...(list?.querySelectorAll('option') ?? [])];
    expect(options.map(({ value }) => value)).toEqual(['torch']);
    fireEvent.change(image, { target: { value: 'ghcr.io/team/torch:2' } });
    expect(model.draft.environment).toBe('ghcr.io/team/torch:2');
  });

  it('says what the share is rounded up to', async () => {
    expect(await screen.findByText(FITS.message)).toBeTruthy();
  });
});
