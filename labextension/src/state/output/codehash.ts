const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Return a short mark of code, the same for the same code: an FNV-1a hash and the length. It is kept
 * in the browser where the code itself, which may hold a secret, is not. Space around code is passed
 * over, for some kernels repeat code without it.
 */
export function codeHash(code: string): string {
  const text = code.trim();
  let hash = BASIS;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return `${(hash >>> 0).toString(16)}-${text.length}`;
}
