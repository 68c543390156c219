import { StorageClass, Volume } from '../../api/models';
import { CommandIDs } from '../../commands';
import { VolumeActions } from '../../state/volumes/actions';
import { may } from '../../state/volumes/volumes';
import { copy } from '../datasets/dialogs';
import { IEntry } from '../parts/menu';
import { IUi } from '../parts/ui';
import { showVolume } from './details';
import { changeVolume, createVolume, deleteVolume } from './forms';

/** Return what can be done to a volume. */
export function volumeEntries(
  ui: IUi,
  actions: VolumeActions,
  volume: Volume,
  classes: readonly StorageClass[]
): (IEntry | null)[] {
  const { commands, trans } = ui;
  const { folder, kind, name, project } = volume;
  const launching = {
    label: trans.__('Launch a Session with It…'),
    run: () =>
      void commands.execute(CommandIDs.launch, { project, volume: name })
  };
  const cloning = {
    label: trans.__('Clone…'),
    run: () => void createVolume(ui, actions, classes, volume)
  };
  const copying = {
    label: trans.__('Copy Path'),
    run: () => copy(trans, folder)
  };
  const changing = {
    label: trans.__('Change…'),
    run: () => void changeVolume(ui, actions, classes, volume)
  };
  const deleting = {
    label: trans.__('Delete…'),
    run: () => void deleteVolume(ui, actions, volume)
  };
  return [
    { label: trans.__('Show Details'), run: () => void showVolume(ui, volume) },
    ...(may(volume, 'mount') ? [launching] : []),
    ...(may(volume, 'mount') && kind === 'claim' ? [cloning] : []),
    ...(folder ? [copying] : []),
    ...(may(volume, 'change') ? [null, changing] : []),
    ...(may(volume, 'delete') ? [deleting] : [])
  ];
}
