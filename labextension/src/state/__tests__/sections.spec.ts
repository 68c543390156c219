import { Widget } from '@lumino/widgets';
import { Sections } from '../store';

const section = (id: string, rank: number) => ({
  id,
  rank,
  size: 1,
  create: () => new Widget()
});

describe('sections', () => {
  it('are in the order of their ranks, and can go again', () => {
    const sections = new Sections();
    const changed = jest.fn();
    sections.changed.connect(changed);
    sections.add(section('volumes', 400));
    const team = sections.add(section('team', 100));
    expect(sections.items.map(({ id }) => id)).toEqual(['team', 'volumes']);
    team.dispose();
    expect(sections.items.map(({ id }) => id)).toEqual(['volumes']);
    expect(changed).toHaveBeenCalledTimes(3);
  });

  it('are each there once', () => {
    const sections = new Sections();
    sections.add(section('team', 100));
    expect(() => sections.add(section('team', 200))).toThrow('team');
  });
});
