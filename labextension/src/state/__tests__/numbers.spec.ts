import { nullTranslator } from '@jupyterlab/translation';
import { EMPTY, toDraft, toRequest } from '../draft';
import { canonicalNumber, canonicalSpan, typedNumber } from '../numbers';
import { NEW_PROJECT, toProjectRequest } from '../settings/projectdraft';

const trans = nullTranslator.load('jupyter_gpuquota');

describe('numbers as they are typed', () => {
  const before = document.documentElement.lang;
  const speak = (language: string) => {
    document.documentElement.lang = language;
  };
  afterEach(() => speak(before));

  it.each([
    ['en', '0.5', '0.5'],
    ['en', '0,5', '0,5'],
    ['de', '0,5', '0.5'],
    ['de', '0.5', '0.5'],
    ['de', ' 8,5Gi ', '8.5Gi'],
    ['de', ',5', '0.5'],
    ['de', '2', '2'],
    ['de', '1,2,3', '1,2,3'],
    ['fr-CH', '0,5', '0.5']
  ])('are read in %s: %s', (language, typed, sent) => {
    speak(language);
    expect(canonicalNumber(typed)).toBe(sent);
  });

  it.each([
    ['de', '1,5h', '1.5h'],
    ['de', '1.5h', '1.5h'],
    ['de', '0,25 d, 3 h', '0.25 d, 3 h'],
    ['de', ' 1h30m ', '1h30m'],
    ['de', '0', '0'],
    ['de', '', ''],
    ['de', 'bald', 'bald'],
    ['en', '1.5 hours', '1.5 hours'],
    ['en', '1,5h', '1,5h']
  ])('are read in durations in %s: %s', (language, typed, sent) => {
    speak(language);
    expect(canonicalSpan(typed)).toBe(sent);
  });

  it('are written as they are read', () => {
    speak('de');
    expect(typedNumber(2.5)).toBe('2,5');
    expect(canonicalNumber(typedNumber(0.125))).toBe('0.125');
    speak('en');
    expect(typedNumber(2.5)).toBe('2.5');
  });

  it('go from a German launch form to the server', () => {
    speak('de');
    const read = (values: Partial<typeof EMPTY>) =>
      toRequest({ ...EMPTY, preset: 'custom', ...values }, trans).request;
    expect(read({ form: 'gpu', gpu: '0,3' }).gpu).toBe('0.3');
    expect(read({ form: 'memory', memory: '7,5Gi' }).gpu_memory).toBe('7.5Gi');
    expect(read({ idle_timeout: '1,5h' }).idle_timeout).toBe('1.5h');
    const nearest = { milli: 300, memory: 0, compute: 0, mig: '' };
    expect(toDraft(nearest).gpu).toBe('0,3');
  });

  it('go from a German project form to the server', () => {
    speak('de');
    const draft = {
      ...NEW_PROJECT,
      quota: '2,5',
      limit: '3,25'
    };
    expect(toProjectRequest(draft)).toMatchObject({
      quota: '2.5',
      limit: '3.25'
    });
  });
});
