import type {
  APIRequestContext,
  BrowserContext,
  Locator,
  Page
} from '@playwright/test';
import { Api, expect, test } from './workspace';

const LINES = 40;
/** While a file of this name exists, the cell pauses in the middle. */
const PAUSE = 'pause-printing.txt';
const SOURCE = `import os, time
for number in range(${LINES}):
    print("line", number, flush=True)
    time.sleep(0.25)
    while number == ${LINES / 2} and os.path.exists("${PAUSE}"):
        time.sleep(0.1)`;
const ALL = Array.from({ length: LINES }, (_, number) => `line ${number}`);

/** Return the address of a session with a notebook in its folder. */
async function makeSession(
  request: APIRequestContext,
  api: Api,
  folder: string
): Promise<string> {
  const { id } = await api.create({ name: 'prints', command: [], folder });
  await api.reaches('prints', 'running');
  const base = `${api.base}/gpuquota/s/${id}/`;
  const content = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: 'python3', display_name: 'Python 3 (ipykernel)' }
    },
    cells: [
      {
        id: 'prints',
        cell_type: 'code',
        execution_count: null,
        metadata: {},
        outputs: [],
        source: SOURCE
      }
    ]
  };
  const notebook = `${base}api/contents/printing.ipynb`;
  await expect(async () => {
    const answer = await request.put(notebook, {
      data: { type: 'notebook', content }
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }).toPass({ timeout: 60_000 });
  return base;
}

/** The notebook in a session's own JupyterLab, without Galata, which cannot see into it. */
class Notebook {
  constructor(readonly page: Page) {}

  get output(): Locator {
    return this._cell.locator('.jp-OutputArea-output');
  }

  get prompt(): Locator {
    return this._cell.locator('.jp-InputPrompt');
  }

  async lines(): Promise<string[]> {
    const texts = await this.output.allInnerTexts();
    return texts.join('').split('\n').filter(Boolean);
  }

  async run(): Promise<void> {
    await expect(
      this.page.getByText('Python 3 (ipykernel) | Idle')
    ).toBeVisible({ timeout: 90_000 });
    await this._cell.locator('.cm-content').press('Control+Enter');
    await expect(this.prompt).toHaveText('[*]:');
    await this.has('line 3');
  }

  async has(line: string): Promise<void> {
    await expect(async () => {
      expect(await this.lines()).toContain(line);
    }).toPass({ timeout: 30_000 });
  }

  async hasAll(): Promise<void> {
    // JupyterLab loads a page again when its workspace is open elsewhere.
    await expect(async () => {
      expect(await this.lines()).toEqual(ALL);
    }).toPass({ timeout: 60_000 });
    await expect(this.prompt).toHaveText(/\[\d+\]:/);
  }

  private get _cell(): Locator {
    return this.page.locator('.jp-Notebook .jp-CodeCell').first();
  }
}

/** Open a notebook in a session's own JupyterLab, in a tab of the same browser. */
async function open(context: BrowserContext, base: string): Promise<Notebook> {
  const tab = await context.newPage();
  await tab.goto(`${base}lab/tree/printing.ipynb`);
  return new Notebook(tab);
}

test('a notebook that is reloaded or opened anew has every line once, or names the time @live', async ({
  page,
  request,
  api,
  tmpPath
}, info) => {
  const base = await makeSession(request, api, tmpPath);
  const context = page.context();
  const pause = `${base}api/contents/${PAUSE}`;
  const file = { type: 'file', format: 'text', content: '' };
  expect((await request.put(pause, { data: file })).ok()).toBe(true);
  const first = await open(context, base);
  await first.run();
  await first.page.reload();
  await first.has('line 3');
  await expect(first.prompt).toHaveText('[*]:');
  await first.page.screenshot({ path: info.outputPath('reloaded.png') });
  await request.delete(pause);
  await first.hasAll();

  await first.run();
  await first.page.close();
  const second = await open(context, base);
  await second.hasAll();
  await expect(second.page.getByText('was not kept')).toHaveCount(0);

  await second.run();
  const [kernel] = await (await request.get(`${base}api/kernels`)).json();
  await second.page.close();
  // As if nothing could hold it: somebody else takes it.
  const held = async () => {
    const url = `${base}gpuquota/missed/${kernel.id}?client=another`;
    return (await (await context.request.post(url)).json()).requests;
  };
  await expect.poll(held).toHaveLength(1);
  await expect.poll(held).toEqual([]);
  const third = await open(context, base);
  await expect(
    third.page.getByText(/Output of printing\.ipynb .* was not kept\./)
  ).toBeVisible();
  await third.page.screenshot({ path: info.outputPath('notice.png') });
  await third.page.close();
});
