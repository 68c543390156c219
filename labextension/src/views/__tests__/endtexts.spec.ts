import { nullTranslator } from '@jupyterlab/translation';
import { makeSession } from '../../__tests__/builders';
import { endedTogetherText } from '../idle/notices';

const trans = nullTranslator.load('jupyter_gpuquota');

describe('what is said of several sessions that were ended', () => {
  const say = (...names: string[]) =>
    endedTogetherText(
      trans,
      names.map(name => makeSession({ spec: { name } }))
    );

  it('names them', () => {
    expect(say('q2', 'own')).toBe(
      '2 sessions ended because they were idle: q2 and own'
    );
  });

  it('names as many as fit a notice', () => {
    const long = (letter: string) => letter.repeat(30);
    const text = say(...['a', 'b', 'c', 'd', 'e'].map(long));
    expect(text).toBe(
      `5 sessions ended because they were idle: ${long('a')}, ${long('b')} and 3 more`
    );
    expect(text.length).toBeLessThanOrEqual(140);
    const longest = 'x'.repeat(140);
    expect(say(longest, longest)).toBe(
      '2 sessions ended because they were idle'
    );
  });
});
