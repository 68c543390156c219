/** The API that this front end speaks; a server of another one misunderstands it. */
export const API_VERSION = 2;

// The file is outside `src`, where TypeScript's `rootDir` ends: an import cannot reach it.
export const VERSION: string = require('../../package.json').version;

/** `require` as the bundler provides it. */
declare function require(path: string): { version: string };

/**
 * Return whether two versions are the same release.
 *
 * npm writes `1.0.0-rc.1` where Python writes `1.0.0rc1`.
 */
export function sameVersion(one: string, other: string): boolean {
  return normal(one) === normal(other);
}

function normal(version: string): string {
  return version
    .replace(/-?(alpha|beta)\.?/, (_, word: string) => word[0])
    .replace(/-?rc\.?/, 'rc');
}
