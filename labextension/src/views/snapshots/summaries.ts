import { TranslationBundle } from '@jupyterlab/translation';
import { Manifest, TreePart } from '../../api/models';
import { bytesText } from '../parts/amounts';
import { filesText } from '../datasets/texts';
import { shortId } from './texts';

/** Names that are listed in a summary; the section on the part lists all. */
const FEW = 3;

/** Return in one line what a part of a snapshot contains. */
export function partSummary(
  trans: TranslationBundle,
  manifest: Manifest,
  part: string
): string {
  const { environment, kernel, metrics, tree } = manifest;
  switch (part) {
    case 'tree':
      return tree
        ? [
            filesText(trans, tree.files),
            bytesText(tree.size),
            viewText(trans, tree)
          ].join(' · ')
        : '';
    case 'notebooks':
      return manifest.notebooks
        .slice(0, FEW)
        .map(({ cells, executed, path }) =>
          trans.__('%1 (%2 of %3 cells run)', path, executed, cells)
        )
        .concat(manifest.notebooks.length > FEW ? ['…'] : [])
        .join(', ');
    case 'git':
      return manifest.git
        .map(({ branch, commit, dirty }) =>
          [shortId(commit), branch, dirty ? trans.__('with changes') : '']
            .filter(Boolean)
            .join(' ')
        )
        .join(', ');
    case 'environment': {
      const { cuda, image, packages, python } = environment;
      const count = Object.keys(packages).length;
      return [
        image,
        python && `Python ${python}`,
        trans._n('%1 package', '%1 packages', count),
        cuda && `CUDA ${cuda}`
      ]
        .filter(Boolean)
        .join(' · ');
    }
    case 'data':
      return manifest.data
        .map(({ dataset, version }) => `${dataset}@${shortId(version)}`)
        .join(', ');
    case 'volumes':
      return manifest.volumes.length
        ? manifest.volumes.map(({ volume }) => volume).join(', ')
        : mountsText(trans, manifest);
    case 'artifacts':
    case 'logs':
      return some(manifest[part].map(({ path }) => path));
    case 'metrics':
      return some(
        Object.entries(metrics).map(([name, value]) => `${name} ${value}`)
      );
    case 'mlflow':
      return manifest.mlflow_run;
    case 'kernel':
      return kernel ? some([...kernel.names]) : '';
    default:
      return '';
  }
}

/** Return whether the files of the folder are of one moment. */
function viewText(
  trans: TranslationBundle,
  { mechanism, provider }: TreePart
): string {
  return mechanism === 'instant'
    ? trans.__('frozen by %1', provider)
    : trans.__('read one by one');
}

/** Return what the session mounted, which on one machine is not stored with it. */
function mountsText(trans: TranslationBundle, { spec }: Manifest): string {
  const names = (spec.volumes ?? []).map(({ volume }) => volume);
  return names.length
    ? trans.__('mounted, not stored: %1', names.join(', '))
    : '';
}

function some(names: readonly string[]): string {
  return [...names.slice(0, FEW), ...(names.length > FEW ? ['…'] : [])].join(
    ', '
  );
}
