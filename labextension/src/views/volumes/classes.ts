import { StorageClass } from '../../api/models';
import { clusterOf } from '../../state/quota';
import { askClasses } from '../../state/volumes/actions';
import { useAnswer, useUi } from '../parts/ui';

/** Return the classes for new volumes of a project; `first` are those of the first cluster. */
export function useClasses(
  project: string,
  first: readonly StorageClass[]
): readonly StorageClass[] {
  const { workspace } = useUi();
  const cluster = clusterOf(project);
  const others = useAnswer(cluster, () => askClasses(workspace, project));
  if (!cluster) {
    return first;
  }
  return others.status === 'ready' ? others.value : [];
}
