import { makeProject, makeSession } from '../../__tests__/builders';
import { DeviceUse } from '../../api/models';
import { barOf, milliOf, partsOf, scaleOf } from '../dashboard';

const SLICE = {
  session: 's1',
  name: 'exp-1',
  project: 'team-a',
  owner: 'ana',
  milli: 300,
  memory: 8192,
  compute: 0,
  mig: '',
  used: null,
  over: false
};

function makeDevice(lost: boolean, slices = [SLICE], free = 700): DeviceUse {
  return {
    device: {
      index: 0,
      uuid: 'GPU-0',
      model: 'V100',
      memory: 32768,
      simulated: true,
      mps: false,
      mig: [],
      lost
    },
    slices,
    free,
    utilisation: null,
    memory_used: null
  };
}

describe('the dashboard', () => {
  it('splits what a project asks for', () => {
    const project = makeProject({
      allocated: 5500,
      over: 1500,
      requested: 7500
    });
    expect(barOf(project)).toEqual({
      right: 4000,
      borrowed: 1500,
      waiting: 2000
    });
  });

  it('draws all projects against the longest bar or mark', () => {
    const projects = [
      makeProject({ requested: 1000 }),
      makeProject({ fair: 9000, quota: 0 })
    ];
    expect(scaleOf(projects)).toBe(9000);
    expect(scaleOf([])).toBe(1);
  });

  it('splits a device into slices and what is free', () => {
    const kinds = partsOf(makeDevice(false)).map(part => [
      part.kind,
      part.milli
    ]);
    expect(kinds).toEqual([
      ['slice', 300],
      ['free', 700]
    ]);
  });

  it('shows nothing free on a lost device', () => {
    const kinds = partsOf(makeDevice(true)).map(({ kind }) => kind);
    expect(kinds).toEqual(['slice', 'lost']);
  });

  it('draws several GPUs that are not told apart as one', () => {
    const one = makeDevice(false, [{ ...SLICE, milli: 2000 }], 6000);
    const pool = {
      ...one,
      device: { ...one.device, index: null, uuid: '', count: 8 }
    };
    const parts = (use: DeviceUse) =>
      partsOf(use).map(({ kind, milli }) => [kind, milli]);
    expect(parts(pool)).toEqual([
      ['slice', 2000],
      ['free', 6000]
    ]);
    expect(parts({ ...pool, free: 0 })).toEqual([
      ['slice', 2000],
      ['lost', 6000]
    ]);
  });

  it('shows nothing free on a full one', () => {
    const full = makeDevice(false, [{ ...SLICE, milli: 1000 }], 0);
    expect(partsOf(full)).toHaveLength(1);
  });

  it('counts what a session holds, else what it asks for', () => {
    expect(milliOf(makeSession())).toBe(500);
    const share = { milli: 2000, memory: 0, compute: 0, mig: '' };
    expect(milliOf(makeSession({ placement: null, spec: { share } }))).toBe(
      2000
    );
  });
});
