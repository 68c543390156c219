import { Template } from '../../api/models';

/** What identifies a template among those that a user sees. */
export function keyOf({ scope, name }: Template): string {
  return `${scope}/${name}`;
}
