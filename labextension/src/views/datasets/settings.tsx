import { TranslationBundle } from '@jupyterlab/translation';
import React, { useCallback, useEffect, useMemo } from 'react';
import { DataSettings, Lake } from '../../api/models';
import { routes } from '../../api/routes';
import { Resource } from '../../state/resource';
import {
  cacheSubject,
  exceptionsOf,
  ILakeBase,
  lakeSubject,
  previewRemoval,
  removeLake
} from '../../state/settings/datasubject';
import { spanOf } from '../../state/settings/formvalues';
import { RuleBoard } from '../administration/ruleboard';
import { useEditor } from '../administration/settingeditor';
import { SettingTable } from '../administration/settingtable';
import { confirm } from '../parts/confirm';
import { EditableName } from '../parts/controls';
import { ITableColumn } from '../parts/datatable';
import { Loaded } from '../parts/loaded';
import { useUi } from '../parts/ui';

interface IProps {
  settings: DataSettings;
  isFixed: boolean;
  onSaved: () => void;
}

/** Show the lakes and the rules for cached versions, and have them changed unless a file sets them. */
export function DataSections(props: { isFixed: boolean }): JSX.Element {
  const resource = useSettings();
  const onSaved = useCallback(() => resource.invalidate(), [resource]);
  return (
    <Loaded resource={resource}>
      {settings => (
        <>
          <Lakes {...props} settings={settings} onSaved={onSaved} />
          <CacheRules {...props} settings={settings} onSaved={onSaved} />
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

function Lakes({ isFixed, onSaved, settings }: IProps): JSX.Element {
  const { workspace, trans } = useUi();
  const subject = useMemo(() => lakeSubject(workspace), [workspace]);
  const editor = useEditor({
    subject,
    saved: ({ name }) => {
      onSaved();
      return trans.__('%1 was saved.', name.trim());
    },
    remove: async base => {
      const name = base.lake?.name ?? '';
      const { message, warnings } = await previewRemoval(workspace, base);
      const isMeant = await confirm(
        trans.__('Delete %1?', name),
        [message, ...warnings, trans.__('What is in the lake stays there.')],
        trans.__('Delete'),
        trans
      );
      if (!isMeant) {
        return undefined;
      }
      await removeLake(workspace, base);
      onSaved();
      return trans.__('%1 was deleted.', name);
    }
  });
  const columns = useCallback(
    (onEdit?: (lake: Lake) => void) => columnsOf(trans, onEdit),
    [trans]
  );
  const baseOf = useCallback(
    (lake?: Lake): ILakeBase => ({ settings, lake }),
    [settings]
  );
  return (
    <SettingTable
      title={trans.__('Lakes')}
      file="gpu-lakes"
      columns={columns}
      rows={settings.lakes}
      idOf={({ name }) => name}
      sort="name"
      empty={trans.__('No lakes of your own: datasets are in the default one.')}
      isFixed={isFixed}
      editor={editor}
      baseOf={baseOf}
      label={trans.__('New lake')}
      textsOf={({ lake }) => ({
        title: lake ? trans.__('Change %1', lake.name) : trans.__('New lake'),
        fields: {
          name: { label: trans.__('Name'), isFixed: true },
          url: {
            label: trans.__('URL'),
            help: 's3://, gs://, az://BUCKET/PATH, file:///PATH'
          },
          credentials: {
            label: trans.__('Credentials'),
            help: trans.__(
              'The path of a file with lines NAME=value, or the name of a Secret. Empty = the environment of the controller.'
            )
          },
          projects: {
            label: trans.__('Projects'),
            help: trans.__('Comma-separated. Empty = all.')
          },
          default: {
            label: trans.__('Default for new datasets'),
            as: 'box'
          }
        }
      })}
    />
  );
}

function columnsOf(
  trans: TranslationBundle,
  onEdit?: (lake: Lake) => void
): ITableColumn<Lake>[] {
  const plain = (
    id: string,
    label: string,
    text: (lake: Lake) => string
  ): ITableColumn<Lake> => ({ id, label, text, sortKey: text });
  return [
    {
      ...plain('name', trans.__('Lake'), ({ name }) => name),
      cell: lake => (
        <EditableName
          name={lake.name}
          title={trans.__('Change or delete %1', lake.name)}
          onEdit={onEdit && (() => onEdit(lake))}
        />
      )
    },
    plain('url', trans.__('URL'), ({ url }) => url),
    plain(
      'credentials',
      trans.__('Credentials'),
      ({ credentials }) => credentials || trans.__('environment')
    ),
    plain(
      'projects',
      trans.__('Projects'),
      ({ projects }) => projects.join(', ') || trans.__('all')
    ),
    plain('default', trans.__('Default'), lake =>
      lake.default ? trans.__('yes') : ''
    ),
    plain('problem', trans.__('Problem'), ({ problem }) => problem)
  ];
}

function CacheRules({ isFixed, onSaved, settings }: IProps): JSX.Element {
  const { workspace, trans } = useUi();
  const subject = useMemo(
    () => cacheSubject(workspace, trans),
    [workspace, trans]
  );
  const editor = useEditor({
    subject,
    saved: () => {
      onSaved();
      return trans.__('The rules were saved.');
    }
  });
  const { cache } = settings;
  const fields = {
    unused: {
      label: trans.__('Unused for'),
      help: trans.__(
        'Copies that no session uses and nobody has pinned go after this time, e.g. 1d. 0 = when the room is needed.'
      )
    },
    high_water: {
      label: trans.__('High-water mark'),
      help: trans.__(
        'A share of the capacity, e.g. 0.9. Above it the least recently used copies go earlier.'
      )
    },
    projects: {
      label: trans.__('By project'),
      help: trans.__('Exceptions, e.g. %1', 'team-a=7d, team-b=12h')
    },
    datasets: {
      label: trans.__('By dataset'),
      help: trans.__('Exceptions, e.g. %1', 'digits=30d')
    }
  };
  const lines: [string, string][] = [
    [fields.unused.label, spanOf(cache.unused) || trans.__('until needed')],
    [fields.high_water.label, String(cache.high_water)],
    [fields.projects.label, exceptionsOf(cache.projects) || trans.__('none')],
    [fields.datasets.label, exceptionsOf(cache.datasets) || trans.__('none')]
  ];
  return (
    <RuleBoard
      title={trans.__('Cached versions')}
      lines={lines}
      isFixed={isFixed}
      editor={editor}
      base={settings}
      texts={{ title: trans.__('Change rules for cached versions'), fields }}
    />
  );
}
