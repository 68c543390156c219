import { FakeEvents } from '../../__tests__/fakeserver';
import { Changes } from '../events';
import { Change } from '../models';

const CHANGE = { noun: 'sessions', revision: '3', instance: 'i' };

describe('changes', () => {
  let events: FakeEvents;
  let changes: Changes;
  let heard: Change[];

  beforeEach(() => {
    events = new FakeEvents();
    changes = new Changes(events);
    heard = [];
    changes.changed.connect((_, change) => heard.push(change));
  });

  it('are picked from the bus', async () => {
    await events.change(CHANGE);
    expect(heard).toEqual([CHANGE]);
  });

  it('are not those of others, nor what merely looks like ours', async () => {
    await events.emit({
      schema_id: 'https://events.jupyter.org/contents_service/v1',
      version: '1',
      data: CHANGE
    });
    await events.emit({
      schema_id:
        'https://jupyter-gpuquota.github.io/jupyter_gpuquota/changed/v1',
      version: '1',
      data: { noun: 'sessions' }
    });
    expect(heard).toEqual([]);
  });

  it('are no longer heard after dispose', async () => {
    changes.dispose();
    await events.change(CHANGE);
    expect(heard).toEqual([]);
  });
});
