import { titleHere } from '../sessionpage/here';

describe("the title of a session's page", () => {
  it.each([
    ['JupyterLab', 'exp-1 – JupyterLab'],
    ['a.ipynb (2) - JupyterLab', 'exp-1 – a.ipynb (2) - JupyterLab'],
    ['JupyterLab (exp-1)', 'exp-1 – JupyterLab'],
    ['a.ipynb (2) - exp-1', 'exp-1 – a.ipynb (2)'],
    ['a.ipynb - auto-R', 'exp-1 – a.ipynb - auto-R'],
    ['exp-1 – a.ipynb', 'exp-1 – a.ipynb']
  ])('begins with its name: %s', (title, wanted) => {
    expect(titleHere(title, 'exp-1')).toBe(wanted);
  });

  it('does not repeat a name that JupyterLab has cut', () => {
    const name = 'a-very-long-name';
    expect(titleHere('a.ipynb - a-very-long-…', name)).toBe(
      `${name} – a.ipynb`
    );
  });
});
