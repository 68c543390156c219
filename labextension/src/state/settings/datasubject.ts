import { TranslationBundle } from '@jupyterlab/translation';
import {
  ChangePreview,
  DataSettings,
  DataSettingsRequest,
  FieldProblem,
  Lake,
  LakeRequest
} from '../../api/models';
import { routes } from '../../api/routes';
import { IGpuWorkspace } from '../../tokens';
import { canonicalNumber, canonicalSpan, typedNumber } from '../numbers';
import { boxOf, namesOf, spanOf, YES } from './formvalues';
import { Change, Draft, ISubject } from './settingmodel';

export type LakeField = 'name' | 'url' | 'credentials' | 'projects' | 'default';
export type CacheField = 'unused' | 'high_water' | 'projects' | 'datasets';

type Caller = Pick<IGpuWorkspace, 'call'>;

const LAKE_FIELDS: readonly LakeField[] = [
  'name',
  'url',
  'credentials',
  'projects',
  'default'
];
const CACHE_FIELDS: readonly CacheField[] = [
  'unused',
  'high_water',
  'projects',
  'datasets'
];

/** A lake among all of them, which are set together; without a lake, a new one. */
export interface ILakeBase {
  readonly settings: DataSettings;
  readonly lake?: Lake;
}

/** Lakes, changed one at a time. */
export function lakeSubject(workspace: Caller): ISubject<LakeField, ILakeBase> {
  return {
    fields: LAKE_FIELDS,
    isThere: ({ lake }) => !!lake,
    draftOf: ({ lake }) => ({
      name: lake?.name ?? '',
      url: lake?.url ?? '',
      credentials: lake?.credentials ?? '',
      projects: lake?.projects.join(', ') ?? '',
      default: boxOf(lake?.default)
    }),
    read: (draft, base) => {
      const data = toRequest(base.settings);
      const place = placeOf(base);
      const lake = toLake(draft);
      const lakes = data.lakes.map(other =>
        // One of them is the default.
        lake.default ? { ...other, default: false } : other
      );
      lakes[place] = lake;
      return { change: { data: { ...data, lakes } }, problems: [] };
    },
    fieldOf: (wire, base) => {
      const [, index, field = 'name'] =
        /^lakes\[(\d+)\](?:\.(\w+))?/.exec(wire) ?? [];
      return Number(index) === placeOf(base)
        ? known(LAKE_FIELDS, field)
        : undefined;
    },
    find: async draft => {
      const settings = await workspace.call(routes.lakesSettings, {});
      const name = draft.name.trim();
      return {
        settings,
        lake: settings.lakes.find(item => item.name === name)
      };
    },
    ...sending(workspace)
  };
}

/** The rules for cached versions; the base is the settings that are changed. */
export function cacheSubject(
  workspace: Caller,
  trans: TranslationBundle
): ISubject<CacheField, DataSettings> {
  return {
    fields: CACHE_FIELDS,
    isThere: () => true,
    draftOf: ({ cache }) => ({
      unused: spanOf(cache.unused) || '0',
      high_water: typedNumber(cache.high_water),
      projects: exceptionsOf(cache.projects),
      datasets: exceptionsOf(cache.datasets)
    }),
    read: (draft, settings) => {
      const problems: FieldProblem[] = [];
      const spans = (field: 'projects' | 'datasets') =>
        readExceptions(draft[field], pair =>
          problems.push({
            field: `cache.${field}`,
            message: trans.__('“%1” is not of the form NAME=value.', pair),
            hint: ''
          })
        );
      const cache = {
        unused: canonicalSpan(draft.unused) || '0',
        high_water: Number(canonicalNumber(draft.high_water)) || 0,
        projects: spans('projects'),
        datasets: spans('datasets')
      };
      const data = { ...toRequest(settings), cache };
      return { change: { data }, problems };
    },
    fieldOf: wire => known(CACHE_FIELDS, /^cache\.(\w+)/.exec(wire)?.[1] ?? ''),
    find: () => workspace.call(routes.lakesSettings, {}),
    ...sending(workspace)
  };
}

/** Remove a lake; the versions in it stay where they are. Throws ApiError. */
export function removeLake(
  workspace: Caller,
  { lake, settings }: ILakeBase
): Promise<DataSettings> {
  return workspace.call(routes.lakesPut, { body: without(settings, lake) });
}

/** Return what a removal would do. Throws ApiError. */
export function previewRemoval(
  workspace: Caller,
  { lake, settings }: ILakeBase
): Promise<ChangePreview> {
  return previewOf(workspace, { data: without(settings, lake) });
}

function without(settings: DataSettings, lake?: Lake): DataSettingsRequest {
  const data = toRequest(settings);
  return {
    ...data,
    lakes: data.lakes.filter(({ name }) => name !== lake?.name)
  };
}

function sending(workspace: Caller) {
  return {
    preview: (change: Change) => previewOf(workspace, change),
    put: ({ data }: Change) =>
      workspace.call(routes.lakesPut, { body: data ?? {} })
  };
}

async function previewOf(
  workspace: Caller,
  { data }: Change
): Promise<ChangePreview> {
  const answer = await workspace.call(routes.lakesPreview, {
    body: data ?? {}
  });
  return {
    message: answer.message,
    sentences: answer.sentences,
    projects: [],
    sessions: [],
    past: [],
    warnings: answer.evicted
  };
}

/** Return what is set as it is sent. */
function toRequest({
  cache,
  lakes,
  revision
}: DataSettings): DataSettingsRequest & { lakes: LakeRequest[] } {
  const spans = (times: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(times).map(([name, time]) => [name, spanOf(time) || '0'])
    );
  return {
    lakes: lakes.map(
      ({ credentials, default: isDefault, name, projects, url }) => ({
        name,
        url,
        credentials,
        projects,
        default: isDefault
      })
    ),
    cache: {
      unused: spanOf(cache.unused) || '0',
      high_water: cache.high_water,
      projects: spans(cache.projects),
      datasets: spans(cache.datasets)
    },
    revision
  };
}

function toLake(draft: Draft<LakeField>): LakeRequest {
  return {
    name: draft.name.trim(),
    url: draft.url.trim(),
    credentials: draft.credentials.trim(),
    projects: namesOf(draft.projects),
    default: draft.default === YES
  };
}

/** Where a lake stands in the list that is sent: a new one at its end. */
function placeOf({ lake, settings }: ILakeBase): number {
  return lake
    ? settings.lakes.findIndex(({ name }) => name === lake.name)
    : settings.lakes.length;
}

function known<Field extends string>(
  fields: readonly Field[],
  name: string
): Field | undefined {
  return fields.find(field => field === name);
}

/** Write exceptions as they are typed: `team-a=7d, team-b=0`. */
export function exceptionsOf(times: Record<string, number>): string {
  return Object.entries(times)
    .map(([name, time]) => `${name}=${spanOf(time) || '0'}`)
    .join(', ');
}

function readExceptions(
  text: string,
  refuse: (pair: string) => void
): Record<string, string> {
  const pairs = namesOf(text).map(pair => pair.split('='));
  for (const [name, span] of pairs) {
    if (!name || !span) {
      refuse([name, span].filter(part => part !== undefined).join('='));
    }
  }
  return Object.fromEntries(
    pairs.map(([name, span = '']) => [name, canonicalSpan(span)])
  );
}
