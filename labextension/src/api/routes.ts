/* eslint-disable @typescript-eslint/naming-convention */
// Written by `python -m jupyter_gpuquota.api.schema`: change the Python model instead.

import type {
  About,
  Activity,
  Advice,
  AuditQuery,
  ChangePreview,
  Environments,
  ExecRequest,
  ExecResult,
  Groups,
  GroupsRequest,
  History,
  HistoryQuery,
  KeepAliveRequest,
  LogChunk,
  LogQuery,
  Nodes,
  Nothing,
  PageAuditEntry,
  PageReport,
  PageSession,
  Policy,
  PolicyRequest,
  PolicyTrial,
  Preview,
  ProjectAnswer,
  ProjectRemoval,
  ProjectRequest,
  Projects,
  Quota,
  ResizeRequest,
  ResumeRequest,
  Rules,
  RulesRequest,
  Session,
  SessionPolicy,
  SessionQuery,
  SessionRequest,
  SettingsChange,
  TerminalInput
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

  /** List the environments that sessions may start from. */
  environmentsList: {
    name: 'environments.list',
    method: 'GET',
    path: '/environments',
    noun: ''
  } as Route<undefined, undefined, undefined, Environments>,

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

  /** List nodes, devices and slices. */
  nodesList: {
    name: 'nodes.list',
    method: 'GET',
    path: '/nodes',
    noun: 'nodes'
  } as Route<undefined, undefined, undefined, Nodes>,

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

  /** Preview what a policy would have done over the last week. */
  policyTry: {
    name: 'policy.try',
    method: 'POST',
    path: '/policy/try',
    noun: ''
  } as Route<undefined, undefined, PolicyRequest, PolicyTrial>,

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
  } as Route<{ id: string }, undefined, undefined, Session>,

  /** Stop a session and keep its request, so that it can resume. */
  sessionsSuspend: {
    name: 'sessions.suspend',
    method: 'POST',
    path: '/sessions/{id}/suspend',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Session>,

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

  /** Preview a change of projects, rules or node groups. */
  settingsPreview: {
    name: 'settings.preview',
    method: 'POST',
    path: '/settings/preview',
    noun: ''
  } as Route<undefined, undefined, SettingsChange, ChangePreview>
};

/** The document that each noun is read as. */
export type Nouns = {
  about: About;
  audit: PageAuditEntry;
  environments: Environments;
  groups: Groups;
  history: History;
  nodes: Nodes;
  policy: Policy;
  projects: Projects;
  quota: Quota;
  rules: Rules;
  sessions: PageSession;
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
  environments: routes.environmentsList,
  groups: routes.groupsGet,
  history: routes.historyGet,
  nodes: routes.nodesList,
  policy: routes.policyGet,
  projects: routes.projectsList,
  quota: routes.quotaGet,
  rules: routes.rulesGet,
  sessions: routes.sessionsList
};
