import type { Args, Text } from './messages';

/** Returns a message in the user's language; undefined for a key that it does not know. */
export type Translate = (key: string, args: Args) => Text | undefined;

let translating: Promise<Translate> | undefined;

/**
 * Translate the messages of all answers from now on; undefined leaves them in English.
 *
 * Answers wait until the translation is loaded.
 */
export function translateAnswers(
  translate: Promise<Translate> | undefined
): void {
  translating = translate?.catch(error => {
    console.warn('Messages of the server stay in English:', error);
    return () => undefined;
  });
}

/** Translate, in place, the messages of an answer that have a known key. */
export async function localise(json: unknown): Promise<void> {
  if (translating) {
    walk(json, await translating);
  }
}

/** What an object of an answer may have of messages; the server's English is in all of them. */
interface IMessages {
  key?: unknown;
  args?: unknown;
  text?: unknown;
  message?: unknown;
  hint?: unknown;
  more?: unknown;
  sentences?: unknown;
}

function walk(json: unknown, translate: Translate): void {
  if (Array.isArray(json)) {
    json.forEach(item => walk(item, translate));
  } else if (typeof json === 'object' && json !== null) {
    // Inner messages first: sentences of a message are joined once they are translated.
    Object.values(json).forEach(value => walk(value, translate));
    rewrite(json, translate);
  }
}

function rewrite(value: IMessages, translate: Translate): void {
  const { args, key } = value;
  const hasKey = typeof key === 'string' && key && isArgs(args);
  const found = hasKey ? translate(key, args) : undefined;
  if (found && typeof value.text === 'string') {
    value.text = found.message;
  }
  if (typeof value.message !== 'string') {
    return;
  }
  const sentences = textsOf(value.sentences);
  if (found) {
    value.message = [found.message, ...textsOf(value.more)].join(' ');
    value.hint = value.hint && found.hint;
  } else if (sentences.length) {
    value.message = sentences.join(' ');
  }
}

function textsOf(messages: unknown): string[] {
  return Array.isArray(messages)
    ? messages.map(({ text }: { text: string }) => text)
    : [];
}

function isArgs(args: unknown): args is Args {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
