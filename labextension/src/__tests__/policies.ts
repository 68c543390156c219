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
        keep_alives: 0
      }
    },
    {
      level: 'project:team-a',
      rules: { ...NO_RULES, action: 'stop', warn_before: 0 }
    }
  ],
  exemptions: [{ who: 'user:li', until: UNTIL, reason: 'a paper' }],
  built_in: { ...NO_RULES, idle_timeout: 0, keep_alive: 3600 },
  revision: '7'
};

/** How many sessions it would have ended. */
export const PAST = {
  text: 'It would have ended 3 idle sessions in the last 7 days.',
  key: 'past.idle.week',
  args: { n: 3 }
};
