import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { GitPart, Manifest, VolumePart } from '../../api/models';
import { bytesText } from '../parts/amounts';
import { useUi } from '../parts/ui';
import { consistencyText, mechanismText, partTexts, shortId } from './texts';

/** What the parts of a snapshot contain, each behind its heading. */
export function Contents({ manifest }: { manifest: Manifest }): JSX.Element {
  const { trans } = useUi();
  const texts = partTexts(trans);
  const { environment, kernel } = manifest;
  const file = ({ path, size }: { path: string; size: number }) =>
    `${path} (${bytesText(size)})`;
  return (
    <>
      <Part
        title={texts.notebooks}
        items={manifest.notebooks.map(({ cells, executed, path }) =>
          trans.__('%1: %2 of %3 cells run', path, executed, cells)
        )}
      />
      <Part
        title={texts.git}
        items={manifest.git.flatMap(part => gitLines(trans, part))}
      />
      <Part
        title={trans.__('Packages')}
        items={Object.entries(environment.packages)
          .map(([name, version]) => `${name} ${version}`)
          .sort((a, b) => a.localeCompare(b))}
      />
      <Part
        title={texts.volumes}
        items={manifest.volumes.map(part => volumeText(trans, part))}
      />
      <Part title={texts.artifacts} items={manifest.artifacts.map(file)} />
      <Part title={texts.logs} items={manifest.logs.map(file)} />
      <Part
        title={texts.metrics}
        items={Object.entries(manifest.metrics).map(
          ([name, value]) => `${name}: ${value}`
        )}
      />
      <Part
        title={texts.kernel}
        items={[
          ...(kernel?.names ?? []),
          ...(kernel?.skipped ?? []).map(({ name, reason }) =>
            trans.__('%1 is not stored: %2', name, reason)
          )
        ]}
      />
    </>
  );
}

/** A list behind its heading; nothing where it is empty. */
function Part(props: {
  title: string;
  items: readonly string[];
}): JSX.Element | null {
  return props.items.length ? (
    <details className="jp-GpuQuota-disclosure">
      <summary>
        {props.title}{' '}
        <span className="jp-GpuQuota-quiet">{props.items.length}</span>
      </summary>
      <ul className="jp-GpuQuota-contents" tabIndex={0}>
        {props.items.map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
    </details>
  ) : null;
}

function gitLines(trans: TranslationBundle, part: GitPart): string[] {
  const { all_untracked: count, branch, commit, folder, remote } = part;
  const head = [folder, shortId(commit), branch, remote]
    .filter(Boolean)
    .join(' · ');
  return [
    part.dirty ? trans.__('%1 (with changes)', head) : head,
    ...part.untracked.map(path => trans.__('untracked: %1', path)),
    ...(count > part.untracked.length
      ? [trans.__('%1 untracked in all', count)]
      : [])
  ];
}

function volumeText(trans: TranslationBundle, part: VolumePart): string {
  const { consistency, mechanism, path, provider, size, volume } = part;
  const how = mechanismText(trans, mechanism);
  return [
    path ? trans.__('%1 at %2', volume, path) : volume,
    provider ? `${provider}, ${how}` : trans.__('recorded, not stored'),
    size ? bytesText(size) : '',
    provider ? consistencyText(trans, consistency) : ''
  ]
    .filter(Boolean)
    .join(' · ');
}
