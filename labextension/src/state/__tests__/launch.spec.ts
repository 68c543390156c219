import { nullTranslator } from '@jupyterlab/translation';
import { makeSession } from '../../__tests__/builders';
import { FakeServer } from '../../__tests__/fakeserver';
import { LaunchModel } from '../launch';
import { SessionActions } from '../sessions';

const trans = nullTranslator.load('jupyter_gpuquota');
const FITS = {
  verdict: 'fits',
  message: 'Fits now.',
  reason: null,
  placement: null,
  isolation: null,
  problems: []
};

describe('the launch form', () => {
  let server: FakeServer;
  let model: LaunchModel;

  beforeEach(() => {
    jest.useFakeTimers();
    server = new FakeServer();
    server.on('POST /sessions/preview', { body: FITS });
    const actions = new SessionActions(server.settings, () => undefined);
    model = new LaunchModel(actions, trans, { name: 'exp-1' });
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  const pass = (ms = 1000) => jest.advanceTimersByTimeAsync(ms);
  const previews = () => server.count('POST /sessions/preview');

  it('asks what would happen, once after a pause in typing', async () => {
    await pass();
    expect(previews()).toBe(1);
    for (const name of ['a', 'ab', 'abc']) {
      model.set({ name });
      await pass(50);
    }
    expect(previews()).toBe(1);
    await pass();
    expect(previews()).toBe(2);
    expect(server.asked.at(-1)?.body).toMatchObject({ name: 'abc' });
    expect(model.verdict).toEqual({ status: 'ready', preview: FITS });
  });

  it('shows the answer to the last question, whichever comes first', async () => {
    await pass();
    let answerFirst: () => void = () => undefined;
    server.on('POST /sessions/preview', async ({ body }) => {
      const { name } = body as { name: string };
      if (name === 'first') {
        await new Promise<void>(resolve => {
          answerFirst = resolve;
        });
      }
      return { body: { ...FITS, message: name } };
    });
    model.set({ name: 'first' });
    await pass();
    model.set({ name: 'second' });
    await pass();
    answerFirst();
    await pass();
    expect(model.verdict).toMatchObject({ preview: { message: 'second' } });
  });

  it('puts problems to their controls, those of the server and its own', async () => {
    const problem = { field: 'env.PATH', message: 'Bad.', hint: '' };
    server.on('POST /sessions/preview', {
      body: { ...FITS, verdict: 'forbidden', problems: [problem] }
    });
    model.set({ ports: 'x' });
    await pass();
    expect(model.problemsOf('env')).toEqual([problem]);
    expect(model.problemsOf('ports')).toHaveLength(1);
    expect(model.firstBroken).toBe('env');
    expect(model.onlyProblem).toBeUndefined();
  });

  it('launches, and returns the session', async () => {
    server.on('POST /sessions', { status: 201, body: makeSession() });
    expect((await model.submit())?.id).toBe('s1');
  });

  it('does not send what cannot be read', async () => {
    model.set({ command: "'open" });
    expect(await model.submit()).toBeUndefined();
    expect(server.count('POST /sessions')).toBe(0);
  });

  it('launches once, however often the button is pressed', async () => {
    server.on('POST /sessions', { status: 201, body: makeSession() });
    await Promise.all([model.submit(), model.submit(), model.submit()]);
    expect(server.count('POST /sessions')).toBe(1);
  });

  it('says why a launch has failed, until something is changed', async () => {
    server.on('POST /sessions', {
      status: 507,
      body: {
        code: 'StorageFailed',
        message: 'Disk full.',
        hint: 'Make room.',
        fields: []
      }
    });
    expect(await model.submit()).toBeUndefined();
    expect(model.failure).toMatchObject({ message: 'Disk full.' });
    expect(model.submitting).toBe(false);
    model.set({ name: 'exp-2' });
    expect(model.failure).toBeUndefined();
  });

  it.each([
    [503, { code: 'OutcomeUnknown', message: 'No response.' }, true],
    [504, 'Gateway Time-out', true],
    [503, { code: 'Unavailable', message: 'Nothing was sent.' }, false],
    [413, 'Too large', false],
    [507, { code: 'StorageFailed', message: 'Disk full.' }, false]
  ])('knows whether a launch may have been made: %s %j', async (...row) => {
    const [status, body, isUncertain] = row;
    server.on('POST /sessions', { status, body });
    await model.submit();
    expect(model.isUncertain).toBe(isUncertain);
  });

  it('finds the session of a launch that nobody confirmed', async () => {
    const old = makeSession({ id: 'old' });
    const made = makeSession({ id: 'new' });
    const other = makeSession({ id: 'other', owner: 'li' });
    server.isDown = true;
    await model.submit([old]);
    await model.submit([old, made]); // once more: the first one is still looked for
    expect(model.launched([old, other], 'ana')).toBeUndefined();
    expect(model.launched([old, other, made], 'ana')).toBe(made);
    model.set({ name: 'exp-2' });
    expect(model.launched([made], 'ana')).toBeUndefined();
  });

  it('shows the fields of a refused launch once', async () => {
    const problem = { field: 'name', message: 'Taken.', hint: '' };
    server.on('POST /sessions', {
      status: 409,
      body: {
        code: 'NameTaken',
        message: 'Taken.',
        hint: '',
        fields: [problem]
      }
    });
    server.on('POST /sessions/preview', {
      body: { ...FITS, verdict: 'forbidden', problems: [problem] }
    });
    model.ask();
    await pass();
    await model.submit();
    expect(model.problemsOf('name')).toEqual([problem]);
  });
});
