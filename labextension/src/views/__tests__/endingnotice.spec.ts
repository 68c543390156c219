import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { makeSession } from '../../__tests__/builders';
import { Ending, Reclaim, Session } from '../../api/models';
import { EndingNotice } from '../sessionpage/endingnotice';

const AT = '2026-01-01T12:00:00Z';

describe('the countdown in the page of a session', () => {
  let unsaved: number;
  let given: number;
  let notice: EndingNotice;

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse(AT) });
    [unsaved, given] = [0, 0];
    notice = new EndingNotice(nullTranslator.load('jupyter_gpuquota'), {
      get unsaved() {
        return unsaved;
      },
      giveBack: async () => {
        given += 1;
      }
    });
  });

  afterEach(() => {
    notice.dismiss();
    jest.useRealTimers();
  });

  const ending = (
    changes: Partial<Session> = {},
    said: Partial<Ending> = {}
  ): Session =>
    makeSession({
      state: 'stopping',
      goal: 'suspend',
      ...changes,
      ending: {
        by: '2026-01-01T12:01:00Z',
        signalled: null,
        saved: 'asked',
        unsaved: 0,
        last_save: null,
        ...said
      }
    });
  const reclaimed = (
    changes: Partial<Reclaim> = {},
    said: Partial<Ending> = {}
  ) =>
    ending(
      {
        goal: 'requeue',
        reclaimed: {
          at: AT,
          session: '',
          name: '',
          project: 'team-d',
          moved: false,
          ...changes
        }
      },
      said
    );
  const notices = () => Notification.manager.notifications;
  const messages = () => notices().map(({ message }) => message);
  const pass = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);

  it('says who takes GPUs back, when, and that all is saved', () => {
    notice.show(reclaimed());
    expect(messages()).toEqual([
      'team-d reclaims this GPU in 60 s – your notebooks are saved'
    ]);
    pass(6);
    expect(messages()).toEqual([
      'team-d reclaims this GPU in 55 s – your notebooks are saved'
    ]);
    unsaved = 1;
    pass(47);
    expect(messages()).toEqual([
      'team-d reclaims this GPU in 7 s – saving your notebooks…'
    ]);
    notice.dismiss();
    expect(messages()).toEqual([]);
    pass(1);
    expect(messages()).toEqual([]);
  });

  it('lets one give them back, and stays until that is done', () => {
    notice.show(reclaimed());
    const [action] = notices()[0].options.actions ?? [];
    expect(action.label).toBe('Release now');
    const click = new MouseEvent('click', { cancelable: true });
    action.callback(click);
    expect([given, click.defaultPrevented]).toEqual([1, true]);
  });

  it('says where it goes, and how much is not saved', () => {
    unsaved = 2;
    notice.show(reclaimed({ moved: true }, { saved: 'unsaved', unsaved: 2 }));
    expect(messages()).toEqual([
      'exp-1 moves to another GPU in 60 s – 2 documents are not saved'
    ]);
  });

  it('is not there for what is saved in a moment', () => {
    notice.show(ending());
    expect(messages()).toEqual([]);
    unsaved = 1;
    notice.show(ending({}, { saved: 'unsaved', unsaved: 1 }));
    expect(messages()).toEqual([
      'exp-1 ends in 60 s – 1 document is not saved'
    ]);
    expect(notices()[0].options.actions).toEqual([]);
  });
});
