import { IStateDB } from '@jupyterlab/statedb';
import { useEffect, useRef, useState } from 'react';
import { ProjectUse, Quota } from '../../api/models';
import { projectOf, usedProject } from '../../state/quota';

const CHOICE = 'jupyter-gpuquota:project';

/** Return the project that is looked at, and what chooses another one, which is remembered. */
export function useProject(
  quota: Quota,
  state: IStateDB | null,
  me: string
): [ProjectUse | undefined, (name: string) => void] {
  const [chosen, setChosen] = useState('');
  // Once I use one, it stays the same when sessions begin and end.
  const first = useRef('');
  first.current ||= usedProject(quota, me)?.name ?? '';
  useEffect(() => {
    let isGone = false;
    void state?.fetch(CHOICE).then(stored => {
      if (!isGone && typeof stored === 'string') {
        setChosen(stored);
      }
    });
    return () => {
      isGone = true;
    };
  }, [state]);
  return [
    projectOf(quota, chosen || first.current),
    name => {
      setChosen(name);
      void state?.save(CHOICE, name);
    }
  ];
}
