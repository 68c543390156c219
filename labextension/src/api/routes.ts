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
  SettingsChange
} from './models';

/**
 * Describe one route.
 *
 * `Args` are the parts of the path in braces, `undefined` where there are none; so are `Query`
 * and `Body` where the route takes none. `noun` names what the answer is a view of, empty if
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
  /** Introduce the backend. */
  aboutGet: {
    name: 'about.get',
    method: 'GET',
    path: '/about',
    noun: ''
  } as Route<undefined, undefined, undefined, About>,

  /** List sessions, oldest first. */
  sessionsList: {
    name: 'sessions.list',
    method: 'GET',
    path: '/sessions',
    noun: 'sessions'
  } as Route<undefined, SessionQuery, undefined, PageSession>,

  /** Ask for a session. */
  sessionsCreate: {
    name: 'sessions.create',
    method: 'POST',
    path: '/sessions',
    noun: ''
  } as Route<undefined, undefined, SessionRequest, Session>,

  /** Say what would happen to a request. */
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

  /** Say which share a session would do with, by what it has used. */
  sessionsAdvice: {
    name: 'sessions.advice',
    method: 'GET',
    path: '/sessions/{id}/advice',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Advice>,

  /** Forget a session that has ended, with its log. */
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

  /** Put a suspended or ended session back into the queue. */
  sessionsResume: {
    name: 'sessions.resume',
    method: 'POST',
    path: '/sessions/{id}/resume',
    noun: ''
  } as Route<{ id: string }, undefined, ResumeRequest, Session>,

  /** Start a session again with another share; one that runs is stopped first. */
  sessionsResize: {
    name: 'sessions.resize',
    method: 'POST',
    path: '/sessions/{id}/resize',
    noun: ''
  } as Route<{ id: string }, undefined, ResizeRequest, Session>,

  /** Read its log. */
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

  /** Say what the policy comes to for a session, and which level decided each rule. */
  sessionsPolicy: {
    name: 'sessions.policy',
    method: 'GET',
    path: '/sessions/{id}/policy',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, SessionPolicy>,

  /** Say what is known of a session's activity. */
  sessionsActivity: {
    name: 'sessions.activity',
    method: 'GET',
    path: '/sessions/{id}/activity',
    noun: ''
  } as Route<{ id: string }, undefined, undefined, Activity>,

  /** Keep a session alive for a while, though nobody uses it. */
  sessionsKeepAlive: {
    name: 'sessions.keep_alive',
    method: 'POST',
    path: '/sessions/{id}/keep-alive',
    noun: ''
  } as Route<{ id: string }, undefined, KeepAliveRequest, Session>,

  /** Show projects and their use. */
  quotaGet: {
    name: 'quota.get',
    method: 'GET',
    path: '/quota',
    noun: 'quota'
  } as Route<undefined, undefined, undefined, Quota>,

  /** Show how projects used GPUs over time. */
  historyGet: {
    name: 'history.get',
    method: 'GET',
    path: '/history',
    noun: ''
  } as Route<undefined, HistoryQuery, undefined, History>,

  /** Show nodes, devices and slices. */
  nodesList: {
    name: 'nodes.list',
    method: 'GET',
    path: '/nodes',
    noun: 'nodes'
  } as Route<undefined, undefined, undefined, Nodes>,

  /** List the Python prefixes that sessions may start from. */
  environmentsList: {
    name: 'environments.list',
    method: 'GET',
    path: '/environments',
    noun: ''
  } as Route<undefined, undefined, undefined, Environments>,

  /** Show the projects as they are set. */
  projectsList: {
    name: 'projects.list',
    method: 'GET',
    path: '/projects',
    noun: 'quota'
  } as Route<undefined, undefined, undefined, Projects>,

  /** Make a project, or change one. */
  projectsPut: {
    name: 'projects.put',
    method: 'PUT',
    path: '/projects/{name}',
    noun: ''
  } as Route<{ name: string }, undefined, ProjectRequest, ProjectAnswer>,

  /** Delete a project, or let it drain. */
  projectsDelete: {
    name: 'projects.delete',
    method: 'DELETE',
    path: '/projects/{name}',
    noun: ''
  } as Route<{ name: string }, ProjectRemoval, undefined, ProjectAnswer>,

  /** Show what holds for all projects. */
  rulesGet: {
    name: 'rules.get',
    method: 'GET',
    path: '/rules',
    noun: ''
  } as Route<undefined, undefined, undefined, Rules>,

  /** Change what holds for all projects. */
  rulesPut: {
    name: 'rules.put',
    method: 'PUT',
    path: '/rules',
    noun: ''
  } as Route<undefined, undefined, RulesRequest, Rules>,

  /** Show the node groups. */
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

  /** Show what is set of idle sessions, and the built-in rules. */
  policyGet: {
    name: 'policy.get',
    method: 'GET',
    path: '/policy',
    noun: 'policy'
  } as Route<undefined, undefined, undefined, Policy>,

  /** Change what is set of idle sessions. */
  policyPut: {
    name: 'policy.put',
    method: 'PUT',
    path: '/policy',
    noun: ''
  } as Route<undefined, undefined, PolicyRequest, Policy>,

  /** Say what a policy would have done over the last week. */
  policyTry: {
    name: 'policy.try',
    method: 'POST',
    path: '/policy/try',
    noun: ''
  } as Route<undefined, undefined, PolicyRequest, PolicyTrial>,

  /** Say what a change of projects, rules or node groups would do. */
  settingsPreview: {
    name: 'settings.preview',
    method: 'POST',
    path: '/settings/preview',
    noun: ''
  } as Route<undefined, undefined, SettingsChange, ChangePreview>,

  /** Show who changed what, newest first. */
  auditList: {
    name: 'audit.list',
    method: 'GET',
    path: '/audit',
    noun: ''
  } as Route<undefined, AuditQuery, undefined, PageAuditEntry>
};
