import React from 'react';
import { Projects } from '../api/models';
import { AuditTable } from './audit';
import { Notice, Simulated } from './common';
import { GroupSection } from './groupsection';
import { Loaded } from './loaded';
import { PolicySection } from './policysection';
import { Warnings } from './projecteffect';
import { ProjectSection } from './projectsection';
import { RulesSection } from './rulessection';
import { useResult, useUi } from './ui';

/** Show admins what is set: projects, rules and node groups; and have it changed. */
export function AdministrationView(): JSX.Element {
  const { quota, trans } = useUi();
  const { projects, audit } = quota.administration;
  return (
    <div className="jp-GpuQuota-dashboard jp-GpuQuota-administration">
      <Loaded resource={quota.quota}>
        {({ admin, simulated }) =>
          admin ? (
            <>
              <h2>
                {trans.__('GPU projects and rules')}{' '}
                {simulated ? <Simulated trans={trans} /> : null}
              </h2>
              <Loaded resource={projects}>
                {value => <Sections projects={value} />}
              </Loaded>
              <Loaded resource={audit}>
                {page => <AuditTable page={page} />}
              </Loaded>
            </>
          ) : (
            <p>{trans.__('Only admins may change projects.')}</p>
          )
        }
      </Loaded>
    </div>
  );
}

/** Who sets the projects sets the rules and node groups, too: the admins, or a file. */
function Sections({ projects }: { projects: Projects }): JSX.Element {
  const { quota, trans } = useUi();
  const { rules, groups, policy } = quota.administration;
  const about = useResult(quota.about);
  const acts =
    about.status === 'ready' && about.value.capabilities.includes('policing');
  const isFixed = projects.source === 'file';
  return (
    <>
      {isFixed ? (
        <Notice>
          {trans.__(
            'Projects, rules and node groups are set in the file %1: they are changed there and nowhere else.',
            projects.file
          )}
        </Notice>
      ) : null}
      <Warnings warnings={projects.warnings} />
      <ProjectSection projects={projects} isFixed={isFixed} />
      <Loaded resource={rules}>
        {value => <RulesSection rules={value} isFixed={isFixed} />}
      </Loaded>
      <Loaded resource={groups}>
        {value => <GroupSection groups={value} isFixed={isFixed} />}
      </Loaded>
      {acts ? (
        <Loaded resource={policy}>
          {value => <PolicySection policy={value} isFixed={isFixed} />}
        </Loaded>
      ) : null}
    </>
  );
}
