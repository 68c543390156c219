import { fireEvent, screen, waitFor } from '@testing-library/react';
import React from 'react';
import { idOf, makeVersion } from '../../__tests__/datasets';
import { focus, Page } from '../../__tests__/page';
import { DataFile } from '../../api/models';
import { FileBrowser } from '../../state/datasets/browser';
import { VersionComparison } from '../../state/datasets/comparison';
import { BrowserView } from '../datasets/browser';
import { CompareView } from '../datasets/compare';

const VERSION = `/datasets/faces/versions/${idOf('a1')}`;
const TOTAL = 600_000;

function makeFile(changes: Partial<DataFile> = {}): DataFile {
  const name = changes.name ?? 'a.txt';
  return {
    path: name,
    raw: false,
    name,
    kind: 'file',
    size: 12,
    files: 1,
    sha256: idOf('c3'),
    executable: false,
    target: '',
    ...changes
  };
}

describe('the files of a version', () => {
  let page: Page;
  let model: FileBrowser;

  beforeEach(() => {
    page = new Page();
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(480);
    page.server.on(`GET ${VERSION}`, { body: makeVersion({ tags: ['v1'] }) });
    page.server.on(`GET ${VERSION}/files`, ({ query }) => {
      const start = Number(query.get('cursor') ?? 0);
      const folder = query.get('path') ?? '';
      const items = folder
        ? [makeFile({ name: 'in.csv', path: `${folder}/in.csv` })]
        : Array.from({ length: 200 }, (_, at) =>
            makeFile(
              start + at
                ? { name: `file-${start + at}.txt` }
                : { name: 'train', kind: 'folder', files: 9 }
            )
          );
      const total = folder ? 1 : TOTAL;
      return { body: { items, total, revision: '1', next: '' } };
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
    model.dispose();
    page.dispose();
  });

  const show = async () => {
    model = new FileBrowser(page.store, {
      dataset: 'faces',
      version: idOf('a1')
    });
    page.show(<BrowserView model={model} />);
    return screen.findByRole('row', { name: /^train/ });
  };
  const preview = (body: object) =>
    page.server.on(`GET ${VERSION}/preview`, {
      body: {
        kind: 'text',
        text: '',
        columns: [],
        rows: [],
        media_type: '',
        data: '',
        truncated: false,
        why: '',
        ...body
      }
    });

  it('draws few of many, and goes to the last by one key', async () => {
    const first = await show();
    expect(screen.getAllByRole('row').length).toBeLessThan(60);
    const grid = screen.getByRole('grid', { name: 'Files' });
    expect(grid.getAttribute('aria-rowcount')).toBe(String(TOTAL));
    focus(first);
    fireEvent.keyDown(first, { key: 'End' });
    // jsdom does not scroll by itself.
    grid.scrollTop = TOTAL * 24;
    fireEvent.scroll(grid);
    expect(await screen.findByText(`file-${TOTAL - 1}.txt`)).toBeTruthy();
    expect(page.server.count(`GET ${VERSION}/files`)).toBeLessThan(5);
  });

  it('leaves the focus where the user has gone until the last is read', async () => {
    const first = await show();
    const grid = screen.getByRole('grid', { name: 'Files' });
    focus(first);
    fireEvent.keyDown(first, { key: 'End' });
    const search = screen.getByRole('searchbox');
    focus(search);
    grid.scrollTop = TOTAL * 24;
    fireEvent.scroll(grid);
    await screen.findByText(`file-${TOTAL - 1}.txt`);
    expect(document.activeElement).toBe(search);
  });

  it('goes into a folder and back by the keyboard', async () => {
    const folder = await show();
    focus(folder);
    fireEvent.keyDown(folder, { key: 'Enter' });
    const file = await screen.findByRole('row', { name: /^in.csv/ });
    expect(
      screen.getByRole('button', { name: 'train' }).getAttribute('aria-current')
    ).toBe('location');
    focus(file);
    fireEvent.keyDown(file, { key: 'Backspace' });
    expect(await screen.findByRole('row', { name: /^train/ })).toBeTruthy();
  });

  it('searches where it is', async () => {
    await show();
    fireEvent.change(screen.getByRole('searchbox'), {
      target: { value: 'png' }
    });
    await waitFor(() =>
      expect(
        page.server.asked.some(({ query }) => query.get('match') === 'png')
      ).toBe(true)
    );
  });

  it('shows text as text, whatever it holds', async () => {
    preview({ text: '<script>alert(1)</script>', truncated: true });
    await show();
    fireEvent.click(screen.getByRole('row', { name: /^file-1.txt/ }));
    const pane = await screen.findByRole('region', { name: /file-1.txt/ });
    expect(await screen.findByText('<script>alert(1)</script>')).toBeTruthy();
    expect(pane.querySelector('script')).toBeNull();
    expect(pane.textContent).toContain('The file goes on.');
  });

  it('shows the first rows of a table', async () => {
    preview({ kind: 'table', columns: ['id', 'label'], rows: [['1', 'cat']] });
    await show();
    fireEvent.click(screen.getByRole('row', { name: /^file-1.txt/ }));
    expect(await screen.findByRole('cell', { name: 'cat' })).toBeTruthy();
  });

  it('says why a file cannot be shown, and offers to download it', async () => {
    preview({ kind: 'none', why: 'It is not cached.' });
    page.server.on(`GET ${VERSION}/content`, ({ query }) => {
      const offset = Number(query.get('offset'));
      const data = btoa(offset ? 'world!' : 'hello ');
      return { body: { data, offset, size: 12 } };
    });
    const saved: Blob[] = [];
    URL.createObjectURL = content => {
      saved.push(content as Blob);
      return '#saved';
    };
    URL.revokeObjectURL = () => undefined;
    await show();
    fireEvent.click(screen.getByRole('row', { name: /^file-1.txt/ }));
    expect(await screen.findByText('It is not cached.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Download' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0].size).toBe(12);
    expect(saved[0].type).toBe('application/octet-stream');
  });
});

describe('the comparison of two versions', () => {
  it('counts what differs, and shows what is asked for', async () => {
    const page = new Page();
    jest
      .spyOn(HTMLElement.prototype, 'clientHeight', 'get')
      .mockReturnValue(480);
    page.server.on(`GET ${VERSION}/differences`, ({ query }) => {
      const kinds = ['added', 'removed', 'changed'];
      const items = kinds
        .filter(change => (query.get('change') ?? change) === change)
        .map(change => ({
          path: `${change}.txt`,
          raw: false,
          change,
          before: 1000,
          after: 2000,
          sha256_before: '',
          sha256_after: ''
        }));
      const counts = { added: 1, removed: 1, changed: 1 };
      const total = items.length;
      return { body: { items, total, next: '', revision: '', ...counts } };
    });
    const model = new VersionComparison(page.store, {
      dataset: 'faces',
      version: idOf('a1'),
      other: idOf('b2')
    });
    page.show(<CompareView model={model} />);
    expect(
      await screen.findByRole('row', {
        name: 'Changed: changed.txt, 1,000 B → 2 KiB'
      })
    ).toBeTruthy();
    expect(screen.getByRole('button', { name: 'All 3' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Removed 1' }));
    await waitFor(() =>
      expect(screen.queryByRole('row', { name: /^Changed/ })).toBeNull()
    );
    expect(
      await screen.findByRole('row', { name: 'Removed: removed.txt, 1,000 B' })
    ).toBeTruthy();
    jest.restoreAllMocks();
    model.dispose();
    page.dispose();
  });
});
