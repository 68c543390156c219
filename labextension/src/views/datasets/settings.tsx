import React, { useEffect, useMemo } from 'react';
import { CacheSettings, DataSettings, Lake } from '../../api/models';
import { routes } from '../../api/routes';
import { Resource } from '../../state/resource';
import { spanOf } from '../../state/settings/formvalues';
import { RuleList } from '../administration/rulelist';
import { DataTable, plainColumn } from '../parts/datatable';
import { Loaded } from '../parts/loaded';
import { useUi } from '../parts/ui';

/** Show the lakes and the rules for cached versions. */
export function DataSections(): JSX.Element {
  const resource = useSettings();
  return (
    <Loaded resource={resource}>
      {({ cache, lakes }) => (
        <>
          <Lakes lakes={lakes} />
          <CacheRules cache={cache} />
        </>
      )}
    </Loaded>
  );
}

/** Keep what is set up to date, also when others change it. */
function useSettings(): Resource<DataSettings> {
  const { workspace } = useUi();
  const resource = useMemo(
    () =>
      new Resource<DataSettings>({
        name: routes.lakesSettings.name,
        interval: workspace.preferences.values.pollInterval * 1000,
        read: async (_, background) => {
          const value = await workspace.call(routes.lakesSettings, {
            background
          });
          return { value, etag: '' };
        }
      }),
    [workspace]
  );
  useEffect(() => {
    const { projects } = workspace.administration;
    const onChanged = () => resource.invalidate();
    const watcher = resource.watch();
    // Whatever an admin sets has one revision.
    projects.changed.connect(onChanged);
    return () => {
      projects.changed.disconnect(onChanged);
      watcher.dispose();
      resource.dispose();
    };
  }, [resource, workspace]);
  return resource;
}

function Lakes({ lakes }: { lakes: readonly Lake[] }): JSX.Element {
  const { trans } = useUi();
  const columns = useMemo(() => {
    const column = plainColumn<Lake>;
    return [
      column('name', trans.__('Lake'), ({ name }) => name),
      column('url', trans.__('URL'), ({ url }) => url),
      column(
        'credentials',
        trans.__('Credentials'),
        ({ credentials }) => credentials || trans.__('environment')
      ),
      column(
        'projects',
        trans.__('Projects'),
        ({ projects }) => projects.join(', ') || trans.__('all')
      ),
      column('default', trans.__('Default'), lake =>
        lake.default ? trans.__('yes') : ''
      ),
      column('problem', trans.__('Problem'), ({ problem }) => problem)
    ];
  }, [trans]);
  return (
    <DataTable
      title={trans.__('Lakes')}
      file="gpu-lakes"
      columns={columns}
      rows={lakes}
      idOf={({ name }) => name}
      sort={{ column: 'name', descending: false }}
      empty={trans.__('No lakes of your own: datasets are in the default one.')}
    />
  );
}

function CacheRules({ cache }: { cache: CacheSettings }): JSX.Element {
  const { trans } = useUi();
  const exceptions = (times: Record<string, number>) =>
    Object.entries(times)
      .map(([name, time]) => `${name}=${spanOf(time) || '0'}`)
      .join(', ') || trans.__('none');
  return (
    <RuleList
      title={trans.__('Cached versions')}
      lines={[
        [
          trans.__('Unused for'),
          spanOf(cache.unused) || trans.__('until needed')
        ],
        [trans.__('High-water mark'), String(cache.high_water)],
        [trans.__('By project'), exceptions(cache.projects)],
        [trans.__('By dataset'), exceptions(cache.datasets)]
      ]}
    />
  );
}
