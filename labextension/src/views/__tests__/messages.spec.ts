import { Gettext } from '@jupyterlab/translation';
import { FakeServer } from '../../__tests__/fakeserver';
import { makeSession } from '../../__tests__/builders';
import { translateAnswers } from '../../api/localise';
import { translated } from '../../api/messages';
import { call } from '../../api/request';
import { routes } from '../../api/routes';
import { messageFormats } from '../parts/messageformats';

const args = { project: 'team-a', used: 2500, quota: 4000, missing: 500 };

/** A language of which every text is known by its first word. */
class Marked extends Gettext {
  __(msgid: string, ...values: string[]): string {
    return `DE ${super.__(msgid, ...values)}`;
  }
}

describe('messages of the server in the language of the user', () => {
  const before = document.documentElement.lang;
  let server: FakeServer;

  beforeEach(() => {
    document.documentElement.lang = 'de';
    server = new FakeServer();
    translateAnswers(
      Promise.resolve((key, { project }) =>
        key === 'quota.interactive'
          ? { message: `${project} ist voll.`, hint: 'Warten.' }
          : undefined
      )
    );
  });

  afterEach(() => {
    document.documentElement.lang = before;
    translateAnswers(undefined);
  });

  const get = async (reason: object) => {
    server.on('GET /sessions/s1', {
      body: makeSession({ reason: reason as never })
    });
    const id = { id: 's1' };
    return (await call(server.settings, routes.sessionsGet, { args: id }))
      .reason;
  };
  const english = {
    code: 'OverQuota',
    message: "team-a's interactive sessions already use 2.5 of 4 GPUs. More.",
    hint: 'Starts when 0.5 GPU of that is released.',
    raw: '',
    key: 'quota.interactive',
    args,
    more: [{ key: 'later', args: {}, text: 'More.' }]
  };

  it('are made from key and arguments, what follows stays behind them', async () => {
    expect(await get(english)).toMatchObject({
      message: 'team-a ist voll. More.',
      hint: 'Warten.'
    });
  });

  it('are joined again where they have several sentences', async () => {
    const { args, key } = english;
    server.on('POST /sessions/preview', {
      body: {
        message: 'A. B.',
        sentences: [
          { key, args, text: 'A.' },
          { key: 'quota.of-tomorrow', args: {}, text: 'B.' }
        ]
      }
    });
    const body = { name: 'x' };
    const preview = call(server.settings, routes.sessionsPreview, { body });
    expect((await preview).message).toBe('team-a ist voll. B.');
  });

  it('stay as they are where their key is of a newer server', async () => {
    const reason = { ...english, key: 'quota.of-tomorrow' };
    expect(await get(reason)).toEqual(reason);
  });

  it('stay in English where the translation cannot be loaded', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
    translateAnswers(Promise.reject(new Error('no chunk')));
    expect(await get(english)).toEqual(english);
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });

  it('are translated in refusals, too', async () => {
    const { args, hint, key, message } = english;
    server.on('GET /about', {
      status: 400,
      body: {
        code: 'InvalidFields',
        message: '1 invalid field:',
        hint: '',
        fields: [{ field: 'gpu', message, hint, key, args }]
      }
    });
    await expect(
      call(server.settings, routes.aboutGet, {})
    ).rejects.toMatchObject({
      fields: [{ message: 'team-a ist voll.', hint: 'Warten.' }]
    });
  });

  it('are those of the catalog, with values in the notation of the language', () => {
    const trans = new Marked({ domain: 'jupyter_gpuquota', locale: 'de' });
    const values = { ...args, more: 1500 };
    const key = 'quota.interactive';
    const text = translated(trans, messageFormats(trans), key, values);
    expect(text?.message).toMatch(/^DE team-a.* 2,5 .*4 GPUs/);
    expect(text?.hint).toMatch(/^DE .*0,5 GPU/);
  });

  it.each([
    ['amount', 2500, '2,5'],
    ['gpus', 500, '0,5 GPU'],
    ['gpus', 2000, '2 GPUs'],
    ['memory', 1536, '1,5 GiB'],
    ['count', 12000, '12.000'],
    ['duration', 7500, '2 Std. 5 Min.'],
    ['duration', 86_460, '1 Tg.'],
    ['duration', 0, '0 Sek.'],
    ['and', 'a,b,c', 'a, b und c'],
    ['or', 'a,b', 'a oder b'],
    ['place', 'dgx1-2/3,4/simulated', 'dgx1-2, GPU 3, 4 (simulated)'],
    ['place', 'a/b//', 'a/b'],
    ['share', '300/0/30/', '0,3 GPU, 30 % compute'],
    ['share', '1500/0/0/', '1,5 GPUs (0,75 of each of 2)'],
    ['share', '2000/0/0/', '2 GPUs'],
    ['share', '0/0/0/1g.10gb', 'MIG 1g.10gb'],
    ['policy', 'project:team-a', "team-a's policy"],
    ['policy', 'session:x', "the session's own setting"],
    [
      'sessions',
      'exp-1,team-b/2,team-c/1',
      'exp-1, 2 sessions of team-b, a session of team-c'
    ],
    [
      'holders',
      'team-d/8000/2500,team-b/500/0',
      'team-d 8 (2,5 borrowed), team-b 0,5'
    ],
    ['signals', 'kernels,gpu', 'kernel or GPU activity'],
    ['signals', '', 'activity']
  ] as const)('write %s %s as %s', (kind, value, text) => {
    const trans = new Gettext({ domain: 'jupyter_gpuquota', locale: 'de' });
    expect(messageFormats(trans)[kind](value)).toBe(text);
  });
});
