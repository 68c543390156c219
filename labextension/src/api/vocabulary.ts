/**
 * The words of a vocabulary that this version knows.
 *
 * On the wire it may have others: those of a newer server, which are shown as they stand.
 */
export type Known<Word extends string> = Word extends unknown
  ? string extends Word
    ? never
    : Word
  : never;

/** Something for each word that this version knows. */
export type Table<Word extends string, Value> = Readonly<
  Record<Known<Word>, Value>
>;

/** Return what a table has for a word; undefined for a word that this version does not know. */
export function lookUp<Word extends string, Row>(
  table: Table<Word, Row> & Readonly<Record<string, Row>>,
  word: Word
): Row | undefined {
  return new Map<string, Row>(Object.entries(table)).get(word);
}

/** Return the text for a word; a word that this version does not know is its own text. */
export function textOf<Word extends string>(
  texts: Table<Word, string>,
  word: Word
): string {
  return lookUp(texts, word) ?? word;
}
