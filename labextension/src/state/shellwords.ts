/**
 * Split a line into words as a shell does with quotes and backslashes, and nothing else of it.
 *
 * Returns undefined where a quote is not closed.
 */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  const token =
    /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(['"\\])/gsy;
  let word: string | undefined;
  for (const [all, single, double, escaped, plain, broken] of line.matchAll(
    token
  )) {
    if (broken !== undefined) {
      return undefined;
    }
    const part =
      single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (part !== undefined) {
      word = (word ?? '') + part;
    } else if (all && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** Write words as one line that `splitWords` reads back. */
export function joinWords(words: readonly string[]): string {
  return words
    .map(word =>
      /^[\w@%+=:,./-]+$/.test(word)
        ? word
        : `"${word.replace(/(["\\])/g, '\\$1')}"`
    )
    .join(' ');
}
