import { joinWords, splitWords } from '../shellwords';

describe('a line of words', () => {
  it.each([
    ['', []],
    ['  python  train.py ', ['python', 'train.py']],
    ["bash -c 'echo $HOME; ls'", ['bash', '-c', 'echo $HOME; ls']],
    ['say "a \\"b\\" \\\\ c"', ['say', 'a "b" \\ c']],
    ['a\\ b ""', ['a b', '']],
    ['--x="y z"w', ['--x=y zw']],
    ["'open", undefined],
    ['"open', undefined],
    ['end\\', undefined]
  ])('%j', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });

  it('reads back what it writes', () => {
    const words = ['python', '-c', 'print("a b")\\n', '', "it's", '--lr=0.1'];
    expect(splitWords(joinWords(words))).toEqual(words);
  });
});
