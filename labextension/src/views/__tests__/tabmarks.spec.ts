import { makeSession } from '../../__tests__/builders';
import { State } from '../../api/models';
import { TabMarks } from '../sessionpage/tabmarks';

/** JupyterLab's two icons, and how it swaps them while a kernel is busy. */
const ICONS =
  '<title>JupyterLab</title>' +
  '<link rel="icon" type="image/x-icon" href="http://x/idle.ico" class="idle favicon">' +
  '<link rel="" type="image/x-icon" href="http://x/busy.ico" class="busy favicon">';

describe("the browser's tab of a session's page", () => {
  let marks: TabMarks;

  beforeEach(() => {
    document.head.innerHTML = ICONS;
    marks = new TabMarks();
  });

  afterEach(() => {
    marks.dispose();
    document.head.innerHTML = '';
  });

  const show = (state: State, isClosed = false) =>
    marks.show({ session: makeSession({ state }), isClosed });
  const link = (kind: string) =>
    document.querySelector<HTMLLinkElement>(`link.${kind}.favicon`)!;
  const drawn = (kind: string) => decodeURIComponent(link(kind).href);

  it('keeps the name in every title that JupyterLab writes', async () => {
    document.title = 'a.ipynb - JupyterLab';
    show('running');
    expect(document.title).toBe('exp-1 – a.ipynb - JupyterLab');
    document.title = 'b.ipynb (2) - exp-1';
    await Promise.resolve();
    expect(document.title).toBe('exp-1 – b.ipynb (2)');
    marks.dispose();
    document.title = 'JupyterLab';
    await Promise.resolve();
    expect(document.title).toBe('JupyterLab');
  });

  it('shows the state in the colour of its icon, and a dot while kernels are busy', () => {
    show('running');
    const running = drawn('idle');
    expect(running).toMatch(/^data:image\/svg\+xml,<svg /);
    expect(running).not.toContain('<circle');
    expect(drawn('busy')).toContain('<circle');
    show('failed');
    expect(drawn('idle')).not.toBe(running);
    show('suspended');
    const ended = drawn('idle');
    show('running', true);
    expect(drawn('idle')).toBe(ended);
  });

  it('leaves to JupyterLab which of its icons is shown', () => {
    show('running');
    expect([link('idle').rel, link('busy').rel]).toEqual(['icon', '']);
    link('idle').rel = '';
    link('busy').rel = 'icon';
    show('stopping');
    expect([link('idle').rel, link('busy').rel]).toEqual(['', 'icon']);
    expect(drawn('busy')).toContain('<circle');
  });

  it('changes the one icon of Notebook 7, too', () => {
    document.head.innerHTML =
      '<link rel="shortcut icon" href="http://x/favicon.ico" class="favicon">';
    show('running');
    expect(document.querySelector('link')!.href).toMatch(/^data:/);
  });
});
