import { makeAbout } from '../../__tests__/builders';
import { Page } from '../../__tests__/page';
import { seesFiles } from '../launch';

describe('the folder that a launch begins with', () => {
  let page: Page;

  beforeEach(() => {
    page = new Page();
  });

  afterEach(() => page.dispose());

  it('is the file browser’s where sessions see its files', async () => {
    expect(await seesFiles(page.store)).toBe(true);
  });

  it('is not the file browser’s where sessions run elsewhere', async () => {
    page.server.on('GET /about', { body: makeAbout({ local_files: false }) });
    expect(await seesFiles(page.store)).toBe(false);
  });
});
