import { BroadcastChannel } from 'worker_threads';
import {
  answerReveals,
  askToReveal,
  revealUrl,
  takeRevealed
} from '../sessionpage/revealing';

// jsdom has none.
Object.assign(window, { BroadcastChannel });

const LAB = 'http://hub.test/user/ana/lab';

describe('the way from a session back to JupyterLab', () => {
  it('is asked of the JupyterLab that is open, and of no other', async () => {
    const shown: string[] = [];
    const lab = answerReveals(LAB, id => shown.push(id));
    expect(await askToReveal(LAB, 's1')).toBe(true);
    expect(await askToReveal('http://hub.test/user/ben/lab', 's2')).toBe(false);
    lab.dispose();
    expect(await askToReveal(LAB, 's3')).toBe(false);
    expect(shown).toEqual(['s1']);
  });

  it('is an address that names the session once', () => {
    const url = new URL(revealUrl(LAB, 's 1'));
    expect(url.search).toBe('?reveal=s%201');
    window.history.replaceState(null, '', `/lab${url.search}&reset=1#top`);
    expect(takeRevealed(window)).toBe('s 1');
    expect(window.location.href).toMatch(/\/lab\?reset=1#top$/);
    expect(takeRevealed(window)).toBe('');
  });
});
