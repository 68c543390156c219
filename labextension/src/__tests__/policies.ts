import { Policy } from '../api/models';
import { NO_RULES } from '../state/settings/policydraft';

/** When the exemption of the policy ends. */
export const UNTIL = '2026-03-01T18:00:00Z';

/** A policy with two levels and an exemption. */
export const POLICY: Policy = {
  levels: [
    {
      level: 'everyone',
      rules: {
        ...NO_RULES,
        idle_timeout: 7200,
        keep_alives: 0,
        quiet_hours: [
          {
            days: ['sat', 'sun'],
            begin: 22 * 60,
            end: 390,
            zone: 'Europe/Berlin',
            idle_timeout: 1200
          }
        ],
        locked: ['idle_timeout']
      }
    },
    {
      level: 'project:team-a',
      rules: { ...NO_RULES, action: 'stop', warn_before: 0 }
    }
  ],
  exemptions: [{ who: 'user:li', until: UNTIL, reason: 'a paper' }],
  built_in: { ...NO_RULES, idle_timeout: 0, keep_alive: 3600, quiet_hours: [] },
  revision: '7'
};

/** What was tried of it: the sum, and no acts. */
export const TRIAL = {
  message: 'Over the last week 3 sessions would have been suspended.',
  since: '2026-01-01T00:00:00Z',
  until: '2026-01-08T00:00:00Z',
  sessions: 9,
  seconds: 3600,
  projects: [
    {
      project: 'team-a',
      acts_before: 0,
      acts: 3,
      false_alarms_before: 0,
      false_alarms: 1,
      returned_before: 0,
      returned: 12_500
    }
  ],
  acts: [],
  count: 3
};
