import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { expect } from '@jupyterlab/galata';
import type { APIRequestContext } from '@playwright/test';

/** The admins' view as a test sees it. */
export class Administration {
  constructor(readonly page: IJupyterLabPageFixture) {}

  readonly whole = this.page.locator('.jp-GpuQuota-administration');
  readonly table = this.whole.getByRole('table', { name: /^Projects \d/ });
  readonly rules = this.whole.getByRole('region', { name: /^Rules/ });
  readonly groups = this.whole.getByRole('table', { name: /^Node groups \d/ });
  readonly changes = this.whole.getByRole('table', { name: 'Changes' });
  readonly form = this.whole.locator('.jp-GpuQuota-settingForm');
  /** What the change in the form would do. */
  readonly effect = this.form.getByRole('region', {
    name: 'Effect of this change'
  });

  async open(): Promise<void> {
    // Galata answers whatever ends like JupyterLab's own settings.
    await this.page.route('**/gpuquota/api/settings', route =>
      route.continue()
    );
    await this.page.evaluate(
      id => window.jupyterapp.commands.execute(id),
      'gpuquota:open-projects'
    );
    await this.changes.or(this.whole.getByText('No changes yet')).waitFor();
  }

  row(name: string) {
    return this.table.getByRole('row', { name: new RegExp(`^${name}`) });
  }

  field(label: string) {
    return this.form.getByLabel(label, { exact: true });
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(values)) {
      await this.field(label).fill(value);
    }
  }

  /** Press a button of the form. */
  async press(name: string): Promise<void> {
    await this.form.getByRole('button', { name }).click();
  }

  /** Press a button outside of the form. */
  async click(name: string): Promise<void> {
    await this.whole.getByRole('button', { name, exact: true }).click();
  }

  /** Return what is wrong with it, by WCAG 2.2 A and AA. */
  async problems(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page })
      .include('.jp-GpuQuota-administration')
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join('\n')}`
    );
  }
}

/** Set the rules, or all node groups, as somebody else would. */
export async function set(
  request: APIRequestContext,
  url: string,
  data: Record<string, unknown>
): Promise<void> {
  const { revision } = await (await request.get(url)).json();
  const answer = await request.put(url, { data: { ...data, revision } });
  expect(answer.status(), await answer.text()).toBe(200);
}
