import { Aborted } from '../../api/errors';
import { DataFile } from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';

/** The largest file that is downloaded through the browser's memory, in bytes. */
export const LARGEST = 500_000_000;

/** Images that a browser only paints; SVG may hold scripts, and is shown as text. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Return the address of an image that a preview holds; empty for what is not safe to paint. */
export function imageUrl(preview: {
  media_type: string;
  data: string;
}): string {
  const { data, media_type: type } = preview;
  return IMAGES.includes(type) && /^[A-Za-z0-9+/=]*$/.test(data)
    ? `data:${type};base64,${data}`
    : '';
}

/** Read a whole file; `onPart` hears how much is there, from 0 to 1. */
export async function readFile(
  workspace: Pick<IGpuWorkspace, 'call'>,
  args: { dataset: string; version: string },
  { path, raw }: Pick<DataFile, 'path' | 'raw'>,
  onPart: (part: number) => void,
  signal: AbortSignal
): Promise<Blob> {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (;;) {
    const chunk = await workspace.call(routes.versionsContent, {
      args,
      query: { path, raw, offset },
      signal
    });
    if (signal.aborted) {
      throw new Aborted();
    }
    const bytes = Uint8Array.from(atob(chunk.data), c => c.charCodeAt(0));
    parts.push(bytes);
    offset += bytes.length;
    onPart(chunk.size ? offset / chunk.size : 1);
    if (!bytes.length || offset >= chunk.size) {
      // Whatever it holds, the browser must not open it as a page.
      return new Blob(parts, { type: 'application/octet-stream' });
    }
  }
}
