/** The commands of this extension; menus, palette and buttons name them by these. */
export namespace CommandIDs {
  export const launch = 'gpuquota:launch';
  export const notebook = 'gpuquota:new-notebook';
  export const edit = 'gpuquota:edit-template';
  export const showPanel = 'gpuquota:show-panel';
  export const refresh = 'gpuquota:refresh';
  export const dashboard = 'gpuquota:open-dashboard';
  export const projects = 'gpuquota:open-projects';
  export const open = 'gpuquota:open-session';
  export const logs = 'gpuquota:show-logs';
  export const details = 'gpuquota:show-details';
  export const copyUrl = 'gpuquota:copy-url';
  export const keepAlive = 'gpuquota:keep-alive';
  export const suspend = 'gpuquota:suspend-session';
  export const resume = 'gpuquota:resume-session';
  export const relaunch = 'gpuquota:relaunch-session';
  export const changeShare = 'gpuquota:change-share';
  export const mountFolder = 'gpuquota:mount-folder';
  export const launchAgain = 'gpuquota:launch-again';
  export const stop = 'gpuquota:stop-session';
  export const remove = 'gpuquota:delete-session';
  export const resumeHere = 'gpuquota:resume-this-session';
  export const browseDataset = 'gpuquota:browse-dataset';
  export const compareVersions = 'gpuquota:compare-versions';
  export const syncFolder = 'gpuquota:sync-folder';
  export const lineage = 'gpuquota:show-lineage';
  export const takeSnapshot = 'gpuquota:take-snapshot';
  export const snapshots = 'gpuquota:open-snapshots';
  export const showSnapshot = 'gpuquota:show-snapshot';
  export const compareSnapshots = 'gpuquota:compare-snapshots';
  export const snapshotLineage = 'gpuquota:show-snapshot-lineage';
  export const back = 'gpuquota:back-to-jupyterlab';
}

/** The argument of every command on one session; without it the user is asked. */
export const SESSION_ARGS = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The id of the session' },
    name: {
      type: 'string',
      description: 'The name of the session, where its id is not known'
    }
  }
} as const;

/** The arguments of commands on a version of a dataset; without them the user is asked. */
export const VERSION_ARGS = {
  type: 'object',
  properties: {
    dataset: { type: 'string', description: 'The name of the dataset' },
    version: {
      type: 'string',
      description: 'An id, a tag, or `latest`, which is the default'
    },
    other: {
      type: 'string',
      description: 'The later version to compare with'
    },
    path: { type: 'string', description: 'The folder to show' }
  }
} as const;

/** The arguments of commands on a snapshot; without them the list is shown. */
export const SNAPSHOT_ARGS = {
  type: 'object',
  properties: {
    snapshot: { type: 'string', description: 'An id, its beginning, or a tag' },
    other: { type: 'string', description: 'The later one to compare with' }
  }
} as const;

/** Arguments of a command that takes none. */
export const NO_ARGS = { type: 'object', properties: {} } as const;
