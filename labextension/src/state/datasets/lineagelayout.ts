import { Lineage, Link, Origin, OriginKind } from '../../api/models';

/** A node of a lineage with its place. */
export interface IPlaced {
  readonly node: Origin;
  readonly column: number;
  readonly row: number;
}

/** A drawing of a lineage, in columns and rows. */
export interface ILayout {
  readonly places: readonly IPlaced[];
  readonly links: readonly Link[];
  readonly columns: number;
  readonly rows: number;
}

/**
 * Place the nodes of a lineage; those of one kind stand in the middle, newest first.
 *
 * Left of a version stands what has produced it, right of it what has used it. Each node is drawn
 * once, beside the newest version that it belongs to.
 */
export function layOut(
  { links, nodes }: Lineage,
  middle: OriginKind = 'version'
): ILayout {
  const known = new Map(nodes.map(node => [node.id, node]));
  const drawn = links.filter(
    ({ source, target }) => known.has(source) && known.has(target)
  );
  const places = new Map<string, IPlaced>();
  const versions = nodes
    .filter(({ kind }) => kind === middle)
    .sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  const isVersion = new Set(versions.map(({ id }) => id));
  let row = 0;
  for (const version of versions) {
    const ends = [
      beside(version.id, -1, drawn, isVersion),
      beside(version.id, 1, drawn, isVersion)
    ].map((side, index) => {
      const next = new Map<number, number>();
      for (const [id, depth] of side) {
        const node = known.get(id);
        if (node && !places.has(id)) {
          const column = index ? depth : -depth;
          const at = next.get(column) ?? row;
          places.set(id, { node, column, row: at });
          next.set(column, at + 1);
        }
      }
      return Math.max(row + 1, ...next.values());
    });
    places.set(version.id, { node: version, column: 0, row });
    row = Math.max(...ends);
  }
  for (const node of nodes) {
    if (!places.has(node.id)) {
      places.set(node.id, { node, column: 0, row });
      row += 1;
    }
  }
  return normalise([...places.values()], drawn, row);
}

/** Return what a version was made by (`-1`) or used by (`1`), each with how far away it is. */
function beside(
  id: string,
  way: -1 | 1,
  links: readonly Link[],
  isVersion: ReadonlySet<string>
): Map<string, number> {
  const found = new Map<string, number>();
  let border = [id];
  for (let depth = 1; border.length; depth += 1) {
    border = links
      .filter(({ relation }) => relation !== 'follows')
      .flatMap(({ source, target }) => {
        const [from, to] = way > 0 ? [source, target] : [target, source];
        return border.includes(from) ? [to] : [];
      })
      .filter(next => !isVersion.has(next) && !found.has(next));
    border = [...new Set(border)];
    border.forEach(next => found.set(next, depth));
  }
  return found;
}

function normalise(
  places: readonly IPlaced[],
  links: readonly Link[],
  rows: number
): ILayout {
  const columns = places.map(({ column }) => column);
  const first = Math.min(0, ...columns);
  return {
    places: places.map(place => ({ ...place, column: place.column - first })),
    links,
    columns: Math.max(0, ...columns) - first + 1,
    rows
  };
}
