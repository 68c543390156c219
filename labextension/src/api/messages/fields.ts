// Written by `python -m jupyter_gpuquota.api.schema`: change `model/messages` instead.

import type { Texts } from './types';

export const fields: Texts = {
  'duration.default': (trans) => [
    trans.__('Not a duration.'),
    trans.__('Use 90s, 30m, 2h or 1d, or leave it empty for the default.')
  ],
  'duration.long': (trans) => [
    trans.__('Longer than a year.')
  ],
  'duration.never': (trans) => [
    trans.__('Not a duration.'),
    trans.__('Use 90s, 30m, 2h or 1d; 0 = never.')
  ],
  'duration.none': (trans) => [
    trans.__('Not a duration.'),
    trans.__('Use 90s, 30m, 2h or 1d; 0 = none.')
  ],
  'duration.zero': (trans) => [
    trans.__('Must be between 1 second and 1 year.'),
    trans.__('Leave it empty for the default.')
  ],
  'field.choice': (trans, f, a) => [
    trans.__('%1 is not possible.', a.value),
    trans.__('Choose %1.', f.or(a.choices))
  ],
  'field.nul': (trans) => [
    trans.__('Must not contain a NUL character.')
  ],
  'field.printable': (trans) => [
    trans.__('Use printable characters only.')
  ],
  'field.range': (trans, f, a) => [
    trans.__('Must be between %1 and %2, not %3.', f.count(a.least), f.count(a.most), f.count(a.value))
  ],
  'field.required': (trans) => [
    trans.__('Required.')
  ],
  'field.twice': (trans) => [
    trans.__('Given more than once.')
  ],
  'field.unknown': (trans, _f, a) => [
    trans.__('Unknown field.'),
    trans.__('Did you mean %1?', a.near)
  ],
  'field.unknown.all': (trans, f, a) => [
    trans.__('Unknown field.'),
    trans.__('Fields: %1.', f.and(a.fields))
  ],
  'field.unknown.none': (trans) => [
    trans.__('Unknown field.'),
    trans.__('This request has no fields.')
  ],
  'name.characters': (trans, _f, a) => [
    trans.__('Use lowercase letters, digits and hyphens (not first or last), e.g. %1.', a.example)
  ],
  'name.empty': (trans) => [
    trans.__('The name is empty.')
  ],
  'name.long': (trans, f, a) => [
    trans.__('Use at most %1 characters, not %2.', f.count(a.most), f.count(a.count))
  ],
  'name.missing': (trans, _f, a) => [
    trans.__('Enter a name.'),
    trans.__('For example %1.', a.example)
  ],
  'name.taken': (trans) => [
    trans.__('This name is already used by another session.'),
    trans.__('Open that one, or choose another name.')
  ],
  'name.taken.ended': (trans) => [
    trans.__('This name is already used by an ended session.'),
    trans.__('Resume or delete that one, or choose another name.')
  ],
  'name.twice': (trans, _f, a) => [
    trans.__('%1 is listed twice.', a.name),
    trans.__('Keep one of them.')
  ],
  'time.invalid': (trans) => [
    trans.__('Not a valid time.'),
    trans.__('Use 2026-03-01T18:00Z or 2026-03-01T18:00+01:00.')
  ],
  'time.order': (trans, f, a) => [
    trans.__('The end must be after the beginning, and at most %1 days after it.', f.count(a.days))
  ],
  'time.years': (trans, _f, a) => [
    trans.__('Must be between the years %1 and %2.', a.first, a.last)
  ],
  'time.zone': (trans) => [
    trans.__('The time zone is missing.'),
    trans.__('Use 2026-03-01T18:00Z or 2026-03-01T18:00+01:00.')
  ]
};
