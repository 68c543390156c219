import { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ChangePreview, ProjectEffect, SessionEffect } from '../../api/models';
import { lookUp } from '../../api/vocabulary';
import { Warnings } from '../parts/controls';
import { gpus } from '../parts/texts';
import { useUi } from '../parts/ui';

/** Show who would gain, wait or be reclaimed by a change that was tried. */
export function EffectOf({ effect }: { effect: ChangePreview }): JSX.Element {
  const { trans } = useUi();
  const { message, sessions, warnings } = effect;
  const projects = effect.projects.filter(isChanged);
  return (
    <section
      className="jp-GpuQuota-effect"
      tabIndex={0} // it scrolls
      aria-label={trans.__('Effect of this change')}
    >
      <p>
        <strong>{message}</strong>
      </p>
      <Warnings warnings={warnings} />
      {projects.length ? <Projects projects={projects} /> : null}
      {sessions.length ? (
        <ul>
          {sessions.map(session => (
            <li key={session.session}>
              <b>{effectText(session, trans)}</b> {session.message}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function isChanged(project: ProjectEffect): boolean {
  return (
    project.quota !== project.quota_before ||
    project.fair !== project.fair_before ||
    project.allocated !== project.allocated_before
  );
}

function Projects(props: { projects: readonly ProjectEffect[] }): JSX.Element {
  const { trans } = useUi();
  const change = (before: number, after: number) =>
    before === after
      ? gpus(after)
      : trans.__('%2 → %1', gpus(after), gpus(before));
  return (
    <div className="jp-GpuQuota-boardTable">
      <table className="jp-GpuQuota-table">
        <caption>{trans.__('Affected projects')}</caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Project')}</th>
            <th scope="col">{trans.__('Quota')}</th>
            <th scope="col">{trans.__('Fair share')}</th>
            <th scope="col">{trans.__('In use')}</th>
          </tr>
        </thead>
        <tbody>
          {props.projects.map(project => (
            <tr key={project.name}>
              <th scope="row">{project.name}</th>
              <td>{change(project.quota_before, project.quota)}</td>
              <td>{change(project.fair_before, project.fair)}</td>
              <td>{change(project.allocated_before, project.allocated)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function effectText(
  { effect }: SessionEffect,
  trans: TranslationBundle
): string {
  const texts = {
    starts: trans.__('Will start:'),
    waits: trans.__('Will be queued:'),
    reclaimed: trans.__('Will be reclaimed:'),
    keeps: trans.__('Will keep running:'),
    ends: trans.__('Will be stopped:')
  };
  return lookUp(texts, effect) ?? `${effect}:`;
}
