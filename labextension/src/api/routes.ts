/* eslint-disable @typescript-eslint/naming-convention */
// Written by `python -m jupyter_gpuquota.api.schema`: change the Python model instead.

import type {
  About,
  Activity,
  Advice,
  AuditQuery,
  CacheAnswer,
  CacheList,
  CacheQuery,
  CachedVersion,
  ChangePreview,
  CollectRequest,
  CompareQuery,
  Comparison,
  ContentChunk,
  ContentQuery,
  DataChangePreview,
  DataSettings,
  DataSettingsRequest,
  Dataset,
  DatasetChange,
  DatasetList,
  DatasetRequest,
  EndRequest,
  EnvironmentQuery,
  Environments,
  ExecRequest,
  ExecResult,
  FilePreview,
  FileQuery,
  GpuList,
  Groups,
  GroupsRequest,
  History,
  HistoryQuery,
  Job,
  JobList,
  JobQuery,
  JobReport,
  JobRequest,
  JobStarted,
  KeepAliveRequest,
  LakeList,
  Lineage,
  LineageQuery,
  LogChunk,
  LogQuery,
  Message,
  Nodes,
  Nothing,
  PageAuditEntry,
  PageDataFile,
  PageReport,
  PageSession,
  PageVersion,
  PinRequest,
  Policy,
  PolicyRequest,
  Preview,
  PreviewQuery,
  ProjectAnswer,
  ProjectRemoval,
  ProjectRequest,
  Projects,
  Quota,
  ResizeRequest,
  Restoration,
  RestorationList,
  RestorePlan,
  RestoreRequest,
  ResumeRequest,
  Rules,
  RulesRequest,
  RunList,
  Session,
  SessionPolicy,
  SessionQuery,
  SessionRequest,
  SettingsText,
  SettingsTextRequest,
  Snapshot,
  SnapshotCompareQuery,
  SnapshotComparison,
  SnapshotDetails,
  SnapshotFolder,
  SnapshotList,
  SnapshotMarks,
  SnapshotPinRequest,
  SnapshotPreview,
  SnapshotQuery,
  SnapshotRequest,
  SnapshotRulesRequest,
  SnapshotSettings,
  StorageList,
  StorageQuery,
  TagRequest,
  Template,
  TemplateFields,
  TemplateList,
  TemplateRequest,
  TerminalInput,
  UtilisationList,
  VerifyRequest,
  Version,
  VersionReport,
  Volume,
  VolumeChange,
  VolumeList,
  VolumeQuery,
  VolumeRequest
} from './models';

/**
 * One route.
 *
 * `Args` are the parts of the path in braces, `Query` and `Body` what it takes; all are
 * `undefined` where there are none. `noun` names what the response is a view of, empty if
 * it has no revision.
 */
export type Route<Args, Query, Body, Response> = {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly noun: string;
  /** Never set: it carries the types. */
  readonly types?: {
    args: Args;
    query: Query;
    body: Body;
    response: Response;
  };
};

/** The REST interface; paths are relative to `<base_url>gpuquota/api`. */
export const routes = {
  /** Show which controller answers, and what it can do. */
  aboutGet: {
    name: 'about.get',
    method: 'GET',
    path: '/about',
    noun: ''
  } as Route<undefined, undefined, undefined, About>,

  /** List who changed what, newest first. */
  auditList: {
    name: 'audit.list',
    method: 'GET',
    path: '/audit',
    noun: ''
  } as Route<undefined, AuditQuery, undefined, PageAuditEntry>,

  /** List cached versions, and the room for more. */
  cachesList: {
    name: 'caches.list',
    method: 'GET',
    path: '/caches',
    noun: 'datasets'
  } as Route<undefined, CacheQuery, undefined, CacheList>,

  /** Cache a version: fetch it unless it is there. */
  cachesCreate: {
    name: 'caches.create',
    method: 'PUT',
    path: '/datasets/{dataset}/versions/{version}/copy',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, undefined, CacheAnswer>,

  /** Clear the cached copy of a version that no session uses. */
  cachesDelete: {
    name: 'caches.delete',
    method: 'DELETE',
    path: '/datasets/{dataset}/versions/{version}/copy',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, undefined, Nothing>,

  /** Keep a cached version, whether or not it is used. */
  cachesPin: {
    name: 'caches.pin',
    method: 'PUT',
    path: '/datasets/{dataset}/versions/{version}/copy/pin',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, PinRequest, CachedVersion>,

  /** Remove the caller's pin. */
  cachesUnpin: {
    name: 'caches.unpin',
    method: 'DELETE',
    path: '/datasets/{dataset}/versions/{version}/copy/pin',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, undefined, CachedVersion>,

  /** List datasets by name. */
  datasetsList: {
    name: 'datasets.list',
    method: 'GET',
    path: '/datasets',
    noun: 'datasets'
  } as Route<undefined, undefined, undefined, DatasetList>,

  /** Create a dataset without versions. */
  datasetsCreate: {
    name: 'datasets.create',
    method: 'POST',
    path: '/datasets',
    noun: ''
  } as Route<undefined, undefined, DatasetRequest, Dataset>,

  /** Show a dataset. */
  datasetsGet: {
    name: 'datasets.get',
    method: 'GET',
    path: '/datasets/{dataset}',
    noun: 'datasets'
  } as Route<{ dataset: string }, undefined, undefined, Dataset>,

  /** Change a dataset's description, project, readers or writers. */
  datasetsChange: {
    name: 'datasets.change',
    method: 'PATCH',
    path: '/datasets/{dataset}',
    noun: ''
  } as Route<{ dataset: string }, undefined, DatasetChange, Dataset>,

  /** Remove a dataset and all its versions. */
  datasetsDelete: {
    name: 'datasets.delete',
    method: 'DELETE',
    path: '/datasets/{dataset}',
    noun: ''
  } as Route<{ dataset: string }, undefined, undefined, Nothing>,

  /** List the environments that sessions may start from. */
  environmentsList: {
    name: 'environments.list',
    method: 'GET',
    path: '/environments',
    noun: ''
  } as Route<undefined, EnvironmentQuery, undefined, Environments>,

  /** List the node groups. */
  groupsGet: {
    name: 'groups.get',
    method: 'GET',
    path: '/groups',
    noun: ''
  } as Route<undefined, undefined, undefined, Groups>,

  /** Change the node groups. */
  groupsPut: {
    name: 'groups.put',
    method: 'PUT',
    path: '/groups',
    noun: ''
  } as Route<undefined, undefined, GroupsRequest, Groups>,

  /** Show how projects used GPUs over time. */
  historyGet: {
    name: 'history.get',
    method: 'GET',
    path: '/history',
    noun: ''
  } as Route<undefined, HistoryQuery, undefined, History>,

  /** List jobs: active ones and those that have ended, newest first. */
  jobsList: {
    name: 'jobs.list',
    method: 'GET',
    path: '/jobs',
    noun: 'jobs'
  } as Route<undefined, JobQuery, undefined, JobList>,

  /** Start a job on the machine of this Jupyter Server. */
  jobsStart: {
    name: 'jobs.start',
    method: 'POST',
    path: '/jobs',
    noun: ''
  } as Route<undefined, undefined, JobRequest, JobStarted>,

  /** Show a job. */
  jobsGet: {
    name: 'jobs.get',
    method: 'GET',
    path: '/jobs/{job}',
    noun: 'jobs'
  } as Route<{ job: string }, undefined, undefined, Job>,

  /** Report how far a job of the caller has come. */
  jobsReport: {
    name: 'jobs.report',
    method: 'PUT',
    path: '/jobs/{job}',
    noun: ''
  } as Route<{ job: string }, undefined, JobReport, Job>,

  /** Cancel a job. */
  jobsCancel: {
    name: 'jobs.cancel',
    method: 'DELETE',
    path: '/jobs/{job}',
    noun: ''
  } as Route<{ job: string }, undefined, undefined, Job>,

  /** List the lakes of the admins. */
  lakesList: {
    name: 'lakes.list',
    method: 'GET',
    path: '/lakes',
    noun: 'datasets'
  } as Route<undefined, undefined, undefined, LakeList>,

  /** Show the lakes and the rules for cached versions. */
  lakesSettings: {
    name: 'lakes.settings',
    method: 'GET',
    path: '/lakes/settings',
    noun: ''
  } as Route<undefined, undefined, undefined, DataSettings>,

  /** Change the lakes and the rules for cached versions. */
  lakesPut: {
    name: 'lakes.put',
    method: 'PUT',
    path: '/lakes/settings',
    noun: ''
  } as Route<undefined, undefined, DataSettingsRequest, DataSettings>,

  /** Preview a change of the lakes and the rules for cached versions. */
  lakesPreview: {
    name: 'lakes.preview',
    method: 'POST',
    path: '/lakes/settings/preview',
    noun: ''
  } as Route<undefined, undefined, DataSettingsRequest, DataChangePreview>,

  /** Remove what no version of a lake needs. */
  lakesCollect: {
    name: 'lakes.collect',
    method: 'POST',
    path: '/lakes/{lake}/collect',
    noun: ''
  } as Route<{ lake: string }, undefined, CollectRequest, Job>,

  /** Show what has made the versions of a dataset, and what has used them. */
  lineageGet: {
    name: 'lineage.get',
    method: 'GET',
    path: '/datasets/{dataset}/lineage',
    noun: 'datasets'
  } as Route<{ dataset: string }, LineageQuery, undefined, Lineage>,

  /** List nodes, devices and slices. */
  nodesList: {
    name: 'nodes.list',
    method: 'GET',
    path: '/nodes',
    noun: 'nodes'
  } as Route<undefined, undefined, undefined, Nodes>,

  /** List what is measured of GPUs now. */
  nodesGpus: {
    name: 'nodes.gpus',
    method: 'GET',
    path: '/gpus',
    noun: 'gpus'
  } as Route<undefined, undefined, undefined, GpuList>,

  /** List how busy the GPUs of sessions were lately. */
  nodesUtilisation: {
    name: 'nodes.utilisation',
    method: 'GET',
    path: '/utilisation',
    noun: 'utilisation'
  } as Route<undefined, undefined, undefined, UtilisationList>,

  /** Show the policy for idle sessions, and the built-in rules. */
  policyGet: {
    name: 'policy.get',
    method: 'GET',
    path: '/policy',
    noun: 'policy'
  } as Route<undefined, undefined, undefined, Policy>,

  /** Change the policy for idle sessions. */
  policyPut: {
    name: 'policy.put',
    method: 'PUT',
    path: '/policy',
    noun: ''
  } as Route<undefined, undefined, PolicyRequest, Policy>,

  /** Preview how many sessions a policy would have ended over the last week. */
  policyPreview: {
    name: 'policy.preview',
    method: 'POST',
    path: '/policy/preview',
    noun: ''
  } as Route<undefined, undefined, PolicyRequest, Message>,

  /** List projects as they are set. */
  projectsList: {
    name: 'projects.list',
    method: 'GET',
    path: '/projects',
    noun: 'quota'
  } as Route<undefined, undefined, undefined, Projects>,

  /** Create or change a project. */
  projectsPut: {
    name: 'projects.put',
    method: 'PUT',
    path: '/projects/{name}',
    noun: ''
  } as Route<{ name: string }, undefined, ProjectRequest, ProjectAnswer>,

  /** Preview a change of a project. */
  projectsPreview: {
    name: 'projects.preview',
    method: 'POST',
    path: '/settings/preview',
    noun: ''
  } as Route<undefined, undefined, ProjectRequest, ChangePreview>,

  /** Delete or drain a project. */
  projectsDelete: {
    name: 'projects.delete',
    method: 'DELETE',
    path: '/projects/{name}',
    noun: ''
  } as Route<{ name: string }, ProjectRemoval, undefined, ProjectAnswer>,

  /** Show projects and their use. */
  quotaGet: {
    name: 'quota.get',
    method: 'GET',
    path: '/quota',
    noun: 'quota'
  } as Route<undefined, undefined, undefined, Quota>,

  /** Show how much storage projects use, by kind. */
  quotaStorage: {
    name: 'quota.storage',
    method: 'GET',
    path: '/storage',
    noun: ''
  } as Route<undefined, StorageQuery, undefined, StorageList>,

  /** Show the rules for all projects. */
  rulesGet: {
    name: 'rules.get',
    method: 'GET',
    path: '/rules',
    noun: ''
  } as Route<undefined, undefined, undefined, Rules>,

  /** Change the rules for all projects. */
  rulesPut: {
    name: 'rules.put',
    method: 'PUT',
    path: '/rules',
    noun: ''
  } as Route<undefined, undefined, RulesRequest, Rules>,

  /** List sessions, oldest first. */
  sessionsList: {
    name: 'sessions.list',
    method: 'GET',
    path: '/sessions',
    noun: 'sessions'
  } as Route<undefined, SessionQuery, undefined, PageSession>,

  /** Create a session. */
  sessionsCreate: {
    name: 'sessions.create',
    method: 'POST',
    path: '/sessions',
    noun: ''
  } as Route<undefined, undefined, SessionRequest, Session>,

  /** Preview a request: whether it would start, and why not. */
  sessionsPreview: {
    name: 'sessions.preview',
    method: 'POST',
    path: '/sessions/preview',
    noun: ''
  } as Route<undefined, undefined, SessionRequest, Preview>,

  /** Show a session. */
  sessionsGet: {
    name: 'sessions.get',
    method: 'GET',
    path: '/sessions/{id}',
    noun: 'sessions'
  } as Route<{ id: string }, undefined, undefined, Session>,

  /** Show the request with which a session would be launched again. */
  sessionsRequest: {
    name: 'sessions.request',
    method: 'GET',
    path: '/sessions/{id}/request',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, TemplateFields>,

  /** Recommend a share for a session, by its use so far. */
  sessionsAdvice: {
    name: 'sessions.advice',
    method: 'GET',
    path: '/sessions/{id}/advice',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Advice>,

  /** Delete an ended session and its log. */
  sessionsDelete: {
    name: 'sessions.delete',
    method: 'DELETE',
    path: '/sessions/{id}',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Nothing>,

  /** Stop a session. */
  sessionsStop: {
    name: 'sessions.stop',
    method: 'POST',
    path: '/sessions/{id}/stop',
    noun: ''
  } as Route<{ id: string }, undefined, EndRequest, Session>,

  /** Stop a session and keep its request, so that it can resume. */
  sessionsSuspend: {
    name: 'sessions.suspend',
    method: 'POST',
    path: '/sessions/{id}/suspend',
    noun: ''
  } as Route<{ id: string }, undefined, EndRequest, Session>,

  /** Resume a suspended or ended session: put it back into the queue. */
  sessionsResume: {
    name: 'sessions.resume',
    method: 'POST',
    path: '/sessions/{id}/resume',
    noun: ''
  } as Route<{ id: string }, undefined, ResumeRequest, Session>,

  /** Restart a session with another share; a running one is stopped first. */
  sessionsResize: {
    name: 'sessions.resize',
    method: 'POST',
    path: '/sessions/{id}/resize',
    noun: ''
  } as Route<{ id: string }, undefined, ResizeRequest, Session>,

  /** Read a part of a session's log. */
  sessionsLog: {
    name: 'sessions.log',
    method: 'GET',
    path: '/sessions/{id}/log',
    noun: ''
  } as Route<{ id: string }, LogQuery, undefined, LogChunk>,

  /** Run a program inside a running session's environment and share. */
  sessionsExec: {
    name: 'sessions.exec',
    method: 'POST',
    path: '/sessions/{id}/exec',
    noun: ''
  } as Route<{ id: string }, undefined, ExecRequest, ExecResult>,

  /** Type into a terminal that the caller has opened, or resize it. */
  sessionsType: {
    name: 'sessions.type',
    method: 'POST',
    path: '/sessions/{id}/terminals/{terminal}',
    noun: ''
  } as Route<{ id: string; terminal: string }, undefined, TerminalInput, Nothing>,

  /** Record that a page of a session is open, and whether it has saved its documents. */
  sessionsPutPage: {
    name: 'sessions.put_page',
    method: 'PUT',
    path: '/sessions/{id}/pages/{page}',
    noun: ''
  } as Route<{ id: string; page: string }, undefined, PageReport, Nothing>,

  /** Show the policy of a session, and which level sets each rule. */
  sessionsPolicy: {
    name: 'sessions.policy',
    method: 'GET',
    path: '/sessions/{id}/policy',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, SessionPolicy>,

  /** List the runs of a session that MLflow has recorded. */
  sessionsRuns: {
    name: 'sessions.runs',
    method: 'GET',
    path: '/sessions/{id}/runs',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, RunList>,

  /** Show the activity of a session. */
  sessionsActivity: {
    name: 'sessions.activity',
    method: 'GET',
    path: '/sessions/{id}/activity',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Activity>,

  /** Keep an idle session alive for a while. */
  sessionsKeepAlive: {
    name: 'sessions.keep_alive',
    method: 'POST',
    path: '/sessions/{id}/keep-alive',
    noun: ''
  } as Route<{ id: string }, undefined, KeepAliveRequest, Session>,

  /** Show all settings as the text of a quota file. */
  settingsGet: {
    name: 'settings.get',
    method: 'GET',
    path: '/settings',
    noun: ''
  } as Route<undefined, undefined, undefined, SettingsText>,

  /** Change all settings by the text of a quota file. */
  settingsPut: {
    name: 'settings.put',
    method: 'PUT',
    path: '/settings',
    noun: ''
  } as Route<undefined, undefined, SettingsTextRequest, SettingsText>,

  /** List snapshots, newest first. */
  snapshotsList: {
    name: 'snapshots.list',
    method: 'GET',
    path: '/snapshots',
    noun: 'snapshots'
  } as Route<undefined, SnapshotQuery, undefined, SnapshotList>,

  /** Take a snapshot of a session. */
  snapshotsCreate: {
    name: 'snapshots.create',
    method: 'POST',
    path: '/sessions/{id}/snapshots',
    noun: ''
  } as Route<{ id: string }, undefined, SnapshotRequest, Snapshot>,

  /** Show what a snapshot of a session would store now, and leave out. */
  snapshotsPreview: {
    name: 'snapshots.preview',
    method: 'POST',
    path: '/sessions/{id}/snapshots/preview',
    noun: ''
  } as Route<{ id: string }, undefined, SnapshotRequest, SnapshotPreview>,

  /** Show a snapshot with its manifest. */
  snapshotsGet: {
    name: 'snapshots.get',
    method: 'GET',
    path: '/snapshots/{snapshot}',
    noun: 'snapshots'
  } as Route<{ snapshot: string }, undefined, undefined, SnapshotDetails>,

  /** Change a snapshot's tags. */
  snapshotsMark: {
    name: 'snapshots.mark',
    method: 'PATCH',
    path: '/snapshots/{snapshot}',
    noun: ''
  } as Route<{ snapshot: string }, undefined, SnapshotMarks, Snapshot>,

  /** Remove a snapshot. */
  snapshotsDelete: {
    name: 'snapshots.delete',
    method: 'DELETE',
    path: '/snapshots/{snapshot}',
    noun: ''
  } as Route<{ snapshot: string }, undefined, undefined, Nothing>,

  /** Keep a snapshot whatever the rules say. */
  snapshotsPin: {
    name: 'snapshots.pin',
    method: 'PUT',
    path: '/snapshots/{snapshot}/pin',
    noun: ''
  } as Route<{ snapshot: string }, undefined, SnapshotPinRequest, Snapshot>,

  /** Remove the pin of a snapshot. */
  snapshotsUnpin: {
    name: 'snapshots.unpin',
    method: 'DELETE',
    path: '/snapshots/{snapshot}/pin',
    noun: ''
  } as Route<{ snapshot: string }, undefined, undefined, Snapshot>,

  /** Show what differs between two snapshots. */
  snapshotsCompare: {
    name: 'snapshots.compare',
    method: 'GET',
    path: '/snapshots/{snapshot}/compare',
    noun: 'snapshots'
  } as Route<{ snapshot: string }, SnapshotCompareQuery, undefined, SnapshotComparison>,

  /** Show what a snapshot comes from, and what has come from it. */
  snapshotsLineage: {
    name: 'snapshots.lineage',
    method: 'GET',
    path: '/snapshots/{snapshot}/lineage',
    noun: 'snapshots'
  } as Route<{ snapshot: string }, undefined, undefined, Lineage>,

  /** Hash what is stored of a snapshot again. */
  snapshotsVerify: {
    name: 'snapshots.verify',
    method: 'POST',
    path: '/snapshots/{snapshot}/verify',
    noun: ''
  } as Route<{ snapshot: string }, undefined, undefined, Job>,

  /** Write a snapshot's files to a new folder. */
  snapshotsExport: {
    name: 'snapshots.export',
    method: 'POST',
    path: '/snapshots/{snapshot}/export',
    noun: ''
  } as Route<{ snapshot: string }, undefined, SnapshotFolder, Job>,

  /** Show when snapshots of the caller are taken and removed by themselves. */
  snapshotsSettings: {
    name: 'snapshots.settings',
    method: 'GET',
    path: '/snapshot-settings',
    noun: 'snapshots'
  } as Route<undefined, undefined, undefined, SnapshotSettings>,

  /** Set when snapshots of the caller are taken and removed by themselves. */
  snapshotsPutSettings: {
    name: 'snapshots.put_settings',
    method: 'PUT',
    path: '/snapshot-settings',
    noun: ''
  } as Route<undefined, undefined, SnapshotRulesRequest, SnapshotSettings>,

  /** Show what a restore would make, and what stands against it. */
  snapshotsPlan: {
    name: 'snapshots.plan',
    method: 'POST',
    path: '/snapshots/{snapshot}/plan',
    noun: ''
  } as Route<{ snapshot: string }, undefined, RestoreRequest, RestorePlan>,

  /** Restore a snapshot into a new folder and a new session. */
  snapshotsRestore: {
    name: 'snapshots.restore',
    method: 'POST',
    path: '/snapshots/{snapshot}/restores',
    noun: ''
  } as Route<{ snapshot: string }, undefined, RestoreRequest, Restoration>,

  /** List the restores of the caller that go on or have ended lately, newest first. */
  snapshotsRestores: {
    name: 'snapshots.restores',
    method: 'GET',
    path: '/restores',
    noun: 'snapshots'
  } as Route<undefined, undefined, undefined, RestorationList>,

  /** List the templates that the caller may launch. */
  templatesList: {
    name: 'templates.list',
    method: 'GET',
    path: '/templates',
    noun: 'templates'
  } as Route<undefined, undefined, undefined, TemplateList>,

  /** Save a template, checked like a launch. */
  templatesPut: {
    name: 'templates.put',
    method: 'PUT',
    path: '/templates/{scope}/{template}',
    noun: ''
  } as Route<{ scope: string; template: string }, undefined, TemplateRequest, Template>,

  /** Delete a template. */
  templatesDelete: {
    name: 'templates.delete',
    method: 'DELETE',
    path: '/templates/{scope}/{template}',
    noun: ''
  } as Route<{ scope: string; template: string }, undefined, undefined, Nothing>,

  /** List the versions of a dataset, newest first. */
  versionsList: {
    name: 'versions.list',
    method: 'GET',
    path: '/datasets/{dataset}/versions',
    noun: 'datasets'
  } as Route<{ dataset: string }, undefined, undefined, PageVersion>,

  /** Show a version. */
  versionsGet: {
    name: 'versions.get',
    method: 'GET',
    path: '/datasets/{dataset}/versions/{version}',
    noun: 'datasets'
  } as Route<{ dataset: string; version: string }, undefined, undefined, Version>,

  /** Report a version that a process has added to a lake. */
  versionsPut: {
    name: 'versions.put',
    method: 'PUT',
    path: '/datasets/{dataset}/versions/{version}',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, VersionReport, Version>,

  /** Remove a version. */
  versionsDelete: {
    name: 'versions.delete',
    method: 'DELETE',
    path: '/datasets/{dataset}/versions/{version}',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, undefined, Nothing>,

  /** Let a tag name a version. */
  versionsTag: {
    name: 'versions.tag',
    method: 'PUT',
    path: '/datasets/{dataset}/tags/{tag}',
    noun: ''
  } as Route<{ dataset: string; tag: string }, undefined, TagRequest, Version>,

  /** Remove a tag. */
  versionsUntag: {
    name: 'versions.untag',
    method: 'DELETE',
    path: '/datasets/{dataset}/tags/{tag}',
    noun: ''
  } as Route<{ dataset: string; tag: string }, undefined, undefined, Nothing>,

  /** List a folder of a version, or search below it. */
  versionsFiles: {
    name: 'versions.files',
    method: 'GET',
    path: '/datasets/{dataset}/versions/{version}/files',
    noun: 'datasets'
  } as Route<{ dataset: string; version: string }, FileQuery, undefined, PageDataFile>,

  /** Read a part of a file of a version. */
  versionsContent: {
    name: 'versions.content',
    method: 'GET',
    path: '/datasets/{dataset}/versions/{version}/content',
    noun: ''
  } as Route<{ dataset: string; version: string }, ContentQuery, undefined, ContentChunk>,

  /** Preview a file of a version. */
  versionsPreview: {
    name: 'versions.preview',
    method: 'GET',
    path: '/datasets/{dataset}/versions/{version}/preview',
    noun: ''
  } as Route<{ dataset: string; version: string }, PreviewQuery, undefined, FilePreview>,

  /** Compare a version with a later one. */
  versionsCompare: {
    name: 'versions.compare',
    method: 'GET',
    path: '/datasets/{dataset}/versions/{version}/differences',
    noun: ''
  } as Route<{ dataset: string; version: string }, CompareQuery, undefined, Comparison>,

  /** Hash a version again, in its lake and in the cache. */
  versionsVerify: {
    name: 'versions.verify',
    method: 'POST',
    path: '/datasets/{dataset}/versions/{version}/verify',
    noun: ''
  } as Route<{ dataset: string; version: string }, undefined, VerifyRequest, Job>,

  /** List volumes by project and name. */
  volumesList: {
    name: 'volumes.list',
    method: 'GET',
    path: '/volumes',
    noun: 'volumes'
  } as Route<undefined, VolumeQuery, undefined, VolumeList>,

  /** Create a volume, or share an existing folder. */
  volumesCreate: {
    name: 'volumes.create',
    method: 'POST',
    path: '/volumes',
    noun: ''
  } as Route<undefined, undefined, VolumeRequest, Volume>,

  /** Show a volume and who mounts it. */
  volumesGet: {
    name: 'volumes.get',
    method: 'GET',
    path: '/volumes/{project}/{volume}',
    noun: 'volumes'
  } as Route<{ project: string; volume: string }, undefined, undefined, Volume>,

  /** Grow a volume, or change its level, description or whether it is read-only. */
  volumesChange: {
    name: 'volumes.change',
    method: 'PATCH',
    path: '/volumes/{project}/{volume}',
    noun: ''
  } as Route<{ project: string; volume: string }, undefined, VolumeChange, Volume>,

  /** Delete a volume with its files. */
  volumesDelete: {
    name: 'volumes.delete',
    method: 'DELETE',
    path: '/volumes/{project}/{volume}',
    noun: ''
  } as Route<{ project: string; volume: string }, undefined, undefined, Nothing>
};

/** The document that each noun is read as. */
export type Nouns = {
  about: About;
  audit: PageAuditEntry;
  caches: CacheList;
  datasets: DatasetList;
  environments: Environments;
  groups: Groups;
  history: History;
  jobs: JobList;
  lakes: LakeList;
  nodes: Nodes;
  gpus: GpuList;
  utilisation: UtilisationList;
  policy: Policy;
  projects: Projects;
  quota: Quota;
  rules: Rules;
  sessions: PageSession;
  settings: SettingsText;
  snapshots: SnapshotList;
  templates: TemplateList;
  volumes: VolumeList;
};

/** The route that reads each noun. */
export const nouns: {
  readonly [Noun in keyof Nouns]: Route<
    undefined,
    unknown,
    undefined,
    Nouns[Noun]
  >;
} = {
  about: routes.aboutGet,
  audit: routes.auditList,
  caches: routes.cachesList,
  datasets: routes.datasetsList,
  environments: routes.environmentsList,
  groups: routes.groupsGet,
  history: routes.historyGet,
  jobs: routes.jobsList,
  lakes: routes.lakesList,
  nodes: routes.nodesList,
  gpus: routes.nodesGpus,
  utilisation: routes.nodesUtilisation,
  policy: routes.policyGet,
  projects: routes.projectsList,
  quota: routes.quotaGet,
  rules: routes.rulesGet,
  sessions: routes.sessionsList,
  settings: routes.settingsGet,
  snapshots: routes.snapshotsList,
  templates: routes.templatesList,
  volumes: routes.volumesList
};
