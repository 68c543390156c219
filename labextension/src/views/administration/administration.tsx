import React, { useRef, useState } from 'react';
import { Projects } from '../../api/models';
import { DataSections } from '../datasets/settings';
import { AuditTable } from './audit';
import { Notice, Simulated, Warnings } from '../parts/controls';
import { Loaded } from '../parts/loaded';
import { PolicySection } from './policy';
import { ProjectSection } from './projects';
import { GroupSection, RulesSection } from './rules';
import { SettingsFile } from './settingsfile';
import { useResult, useUi } from '../parts/ui';

/** Show admins what is set: projects, rules, policy and lakes; and have it changed. */
export function AdministrationView(): JSX.Element {
  const { workspace, trans } = useUi();
  const { projects, audit } = workspace.administration;
  return (
    <div className="jp-GpuQuota-dashboard jp-GpuQuota-administration">
      <Loaded resource={workspace.quota}>
        {({ admin, simulated }) =>
          admin ? (
            <>
              <Head simulated={!!simulated} />
              <Loaded resource={projects}>
                {value => <Sections projects={value} />}
              </Loaded>
              <Loaded resource={audit}>
                {page => <AuditTable page={page} />}
              </Loaded>
            </>
          ) : (
            <p>{trans.__('Only admins can manage projects.')}</p>
          )
        }
      </Loaded>
    </div>
  );
}

/** The heading, and all settings as a file beside it. */
function Head({ simulated }: { simulated: boolean }): JSX.Element {
  const { workspace, trans } = useUi();
  const projects = useResult(workspace.administration.projects);
  const [isOpen, setOpen] = useState(false);
  const [said, say] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const change = (opens: boolean, text = '') => {
    setOpen(opens);
    say(text);
  };
  return (
    <>
      <div className="jp-GpuQuota-buttons">
        <h2>
          {trans.__('Projects and policies')}{' '}
          {simulated ? <Simulated trans={trans} /> : null}
        </h2>
        {projects.status === 'ready' ? (
          <button
            ref={button}
            type="button"
            className="jp-GpuQuota-button"
            onClick={() => change(true)}
          >
            {projects.value.file
              ? trans.__('Show as file')
              : trans.__('Edit as file')}
          </button>
        ) : null}
        <span role="status">{said}</span>
      </div>
      {isOpen ? (
        <SettingsFile
          onClose={text => {
            change(false, text);
            button.current?.focus();
          }}
        />
      ) : null}
    </>
  );
}

/** Admins set everything, or a file does; projects of a cluster's engine are never in the file. */
function Sections({ projects }: { projects: Projects }): JSX.Element {
  const { workspace, trans } = useUi();
  const { rules, groups, policy } = workspace.administration;
  const about = useResult(workspace.about);
  const can = (capability: string) =>
    about.status === 'ready' && about.value.capabilities.includes(capability);
  const isFixed = projects.file !== '';
  const isOfEngine = projects.source === 'engine';
  return (
    <>
      {isFixed ? (
        <Notice>
          {isOfEngine
            ? trans.__(
                'All but projects is managed by the file %1 (read-only here). Edit the file to make changes.',
                projects.file
              )
            : trans.__(
                'Managed by the file %1 (read-only here). Edit the file to make changes.',
                projects.file
              )}
        </Notice>
      ) : null}
      <Warnings warnings={projects.warnings} />
      <ProjectSection projects={projects} isFixed={isFixed && !isOfEngine} />
      <Loaded resource={rules}>
        {value => <RulesSection rules={value} />}
      </Loaded>
      <Loaded resource={groups}>
        {value => <GroupSection groups={value} />}
      </Loaded>
      {can('policing') ? (
        <Loaded resource={policy}>
          {value => <PolicySection policy={value} isFixed={isFixed} />}
        </Loaded>
      ) : null}
      {can('lakes') ? <DataSections /> : null}
    </>
  );
}
