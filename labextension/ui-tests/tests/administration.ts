import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

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
}
