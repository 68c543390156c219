import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';

/** WCAG 2.2 A and AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What is good practice, too. */
export const BEST = [...WCAG, 'best-practice'];

const [LIGHT, ...OTHERS] = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
];

/** Return each theme with the title of a test in it; `@all` marks those that only `make test-all` runs. */
export const inThemes = (title: string): [string, string][] => [
  [LIGHT, `${title}: ${LIGHT}`],
  ...OTHERS.map((theme): [string, string] => [theme, `${title}: ${theme} @all`])
];

/** Have a page that is as if just loaded look like this. */
export async function setTheme(
  page: IJupyterLabPageFixture,
  theme: string
): Promise<void> {
  if (theme !== LIGHT) {
    await page.theme.setTheme(theme);
  }
}

/** Expect that these parts of a page can be used by everyone, in the theme that is set. */
export async function expectAccessible(
  page: Page | IJupyterLabPageFixture,
  parts: string[] = [],
  { tags = WCAG, without = '' } = {}
): Promise<void> {
  const axe = new AxeBuilder({ page }).withTags(tags);
  parts.forEach(part => axe.include(part));
  if (without) {
    axe.exclude(without);
  }
  const { violations } = await axe.analyze();
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join('\n')}`
  );
  expect(found).toEqual([]);
}
