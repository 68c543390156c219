import { act, screen } from '@testing-library/react';
import React from 'react';
import { makePage, makeSession } from '../../__tests__/builders';
import { endedBy } from '../../__tests__/endings';
import { Page } from '../../__tests__/page';
import { LogChunk } from '../../api/models';
import { LogModel } from '../../state/logs/log';
import { LogView } from '../logs/logs';

describe('the view of a log', () => {
  let page: Page;
  let model: LogModel;
  let saved: [string, Blob][];

  beforeEach(() => {
    page = new Page();
    saved = [];
    const urls = {
      createObjectURL: (blob: Blob) => {
        saved.push(['', blob]);
        return 'blob:log';
      },
      revokeObjectURL: () => undefined
    };
    Object.assign(URL, urls);
    jest
      .spyOn(HTMLAnchorElement.prototype, 'click')
      .mockImplementation(function (this: HTMLAnchorElement) {
        saved.at(-1)![0] = this.download;
      });
  });

  afterEach(() => {
    model.dispose();
    page.dispose();
    jest.restoreAllMocks();
  });

  const show = async (text: string, changes: object = {}) => {
    page.server.on('GET /sessions', {
      body: makePage([makeSession(changes)])
    });
    await page.store.sessions.refresh();
    const chunk = { text, cursor: '1', earlier: '', missed: false };
    model = new LogModel(
      async () => ({ ...chunk, ended: true }) as LogChunk,
      () => true
    );
    page.show(<LogView model={model} id="s1" />);
  };
  const button = (name: string) =>
    screen.getByRole<HTMLButtonElement>('button', { name });

  it('says when the log of a queued session begins', async () => {
    await show('', { state: 'waiting', placement: null });
    await screen.findByText('The log begins when exp-1 starts.');
    expect(button('Download').disabled).toBe(true);
  });

  it('says who has stopped the session, and why', async () => {
    await show('one\n', endedBy('root'));
    await screen.findByText(
      '1 line, ended · Stopped by root: dgx1-1 is needed.'
    );
  });

  it('wraps long lines unless that is switched off', async () => {
    await show('one\n');
    await screen.findByText('1 line, ended');
    const text = screen.getByRole('log');
    expect(text.classList.contains('jp-mod-unwrapped')).toBe(false);
    act(() => button('Wrap lines').click());
    expect(button('Wrap lines').getAttribute('aria-pressed')).toBe('false');
    expect(text.classList.contains('jp-mod-unwrapped')).toBe(true);
  });

  it('is saved as a file with the name of the session', async () => {
    await show('one\ntwo\n');
    await screen.findByText('2 lines, ended');
    await act(async () => button('Download').click());
    expect(saved.map(([name, { size }]) => [name, size])).toEqual([
      ['exp-1.log', 8]
    ]);
  });
});
