import type { APIRequestContext } from '@playwright/test';
import { expect } from '@playwright/test';

/** The projects of the tests' configuration. */
const CONFIGURED = /^team-[a-d]$/;

interface IItem {
  id: string;
  name: string;
  project: string;
  scope: string;
}

/** What tests make, other than sessions: where each is, and which of it is not there from the start. */
const MADE: [string, (item: IItem) => string][] = [
  ['snapshots', ({ id }) => id],
  ['templates', ({ scope, name }) => `${scope}/${name}`],
  ['volumes', ({ project, name }) => `${project}/${name}`],
  ['datasets', ({ name }) => name],
  ['projects', ({ name }) => (CONFIGURED.test(name) ? '' : name)]
];

/** Remove what tests have made at a server without sessions, and what they have set. */
export async function restore(
  request: APIRequestContext,
  api: string
): Promise<void> {
  await Promise.all([
    ...MADE.map(([noun, place]) => remove(request, `${api}/${noun}`, place)),
    restorePolicy(request, `${api}/policy`)
  ]);
}

async function remove(
  request: APIRequestContext,
  url: string,
  place: (item: IItem) => string
): Promise<void> {
  const { items } = await (await request.get(url)).json();
  for (const found of ((items ?? []) as IItem[]).map(place).filter(Boolean)) {
    const answer = await request.delete(`${url}/${found}`);
    expect(answer.ok(), await answer.text()).toBe(true);
  }
}

async function restorePolicy(
  request: APIRequestContext,
  url: string
): Promise<void> {
  const { exemptions, levels, revision } = await (
    await request.get(url)
  ).json();
  if (levels.length || exemptions.length) {
    const data = { revision, levels: [], exemptions: [] };
    const answer = await request.put(url, { data });
    expect(answer.ok(), await answer.text()).toBe(true);
  }
}
