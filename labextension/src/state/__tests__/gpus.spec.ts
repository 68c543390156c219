import { GpuProgram, GpuUse } from '../../api/models';
import { makeGpu } from '../../__tests__/builders';
import { gpusInView, gpuUsers, sumUp } from '../gpus/readings';

const program = (changes: Partial<GpuProgram>): GpuProgram => ({
  session: '',
  name: 'python',
  owner: 'ana',
  pid: 11,
  memory: 1024,
  ...changes
});

const users = (...programs: GpuProgram[]) => gpuUsers(makeGpu({ programs }));

describe('the users of a GPU', () => {
  it('are sessions, and accounts outside sessions', () => {
    const found = users(
      program({ session: 's1', name: 'train' }),
      program({ session: 's1', pid: 12, memory: 512 }),
      program({ owner: 'bob', name: '' }),
      program({ owner: 'bob', name: '', memory: null })
    );
    expect(found).toEqual([
      {
        session: 's1',
        owner: 'ana',
        names: ['train', 'python'],
        count: 2,
        memory: 1536
      },
      { session: '', owner: 'bob', names: [], count: 2, memory: null }
    ]);
  });

  it('keep what an account does outside apart from its sessions', () => {
    const both = [program({ session: 's1' }), program({})];
    expect(users(...both).map(({ session }) => session)).toEqual(['s1', '']);
  });
});

describe('several GPUs', () => {
  it('are summed up as far as they are measured', () => {
    const gpus: GpuUse[] = [
      makeGpu({ utilisation: 90, memory_used: 1024, temperature: 70 }),
      makeGpu({ utilisation: 31, memory_used: null, temperature: 45 })
    ];
    expect(sumUp(gpus)).toEqual({
      utilisation: 61,
      used: 1024,
      memory: 81_920,
      temperature: 70
    });
    expect(sumUp([])).toEqual({
      utilisation: null,
      used: null,
      memory: 0,
      temperature: null
    });
  });

  it('are all in view where nothing is shared out, else the own ones', () => {
    const [own, other] = [makeGpu({ mine: true }), makeGpu({ name: '1' })];
    const list = { items: [own, other], total: 2, revision: '1' };
    expect(gpusInView(list, true)).toEqual([own, other]);
    expect(gpusInView(list, false)).toEqual([own]);
  });
});
