import { NodeUse, SliceUse } from '../../api/models';

function makeSlice(changes: Partial<SliceUse> = {}): SliceUse {
  return {
    session: 's1',
    name: 'exp-1',
    project: 'team-a',
    owner: 'ana',
    milli: 500,
    memory: 16384,
    compute: 0,
    mig: '',
    used: null,
    over: false,
    ...changes
  };
}

function makeDevice(index: number, slices: SliceUse[], lost = false) {
  const held = slices.reduce((sum, { milli }) => sum + milli, 0);
  return {
    device: {
      index,
      uuid: `GPU-${index}`,
      model: 'V100',
      memory: 32768,
      simulated: true,
      mps: false,
      mig: [],
      lost
    },
    slices,
    free: lost ? 0 : 1000 - held,
    utilisation: null,
    memory_used: null
  };
}

/** A node with two sessions on one GPU, and a lost GPU. */
export const NODE: NodeUse = {
  name: 'dgx1-1',
  simulated: true,
  devices: [
    makeDevice(0, [
      makeSlice(),
      makeSlice({ session: 's2', name: 'exp-2', owner: 'li', milli: 250 })
    ]),
    makeDevice(1, [], true)
  ]
};
