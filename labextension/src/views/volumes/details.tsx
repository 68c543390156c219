import { Dialog, showDialog } from '@jupyterlab/apputils';
import React from 'react';
import { Volume } from '../../api/models';
import { bytesText } from '../parts/amounts';
import { Facts } from '../parts/facts';
import { timeText } from '../parts/texts';
import { IUi, LiveWidget, useUi } from '../parts/ui';
import {
  fillText,
  modeText,
  placesText,
  problemText,
  useText,
  volumeStateText
} from './texts';

/** Show all that is known of a volume. */
export async function showVolume(ui: IUi, volume: Volume): Promise<void> {
  const { trans } = ui;
  const body = new LiveWidget(ui, <VolumeDetails volume={volume} />, []);
  body.addClass('jp-GpuQuota-dialogBody');
  await showDialog({
    title: trans.__('Volume %1', volume.name),
    body,
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}

export function VolumeDetails({ volume }: { volume: Volume }): JSX.Element {
  const { trans } = useUi();
  const { modes, nodes, size, used, uses, zones } = volume;
  const kept = volume.enforced
    ? trans.__('%1, enforced by the file system', bytesText(size))
    : trans.__('%1, not enforced', bytesText(size));
  return (
    <div className="jp-GpuQuota-facts" tabIndex={0}>
      <Facts
        facts={[
          [trans.__('Project'), volume.project],
          [trans.__('Owner'), volume.owner || trans.__('admins')],
          [trans.__('Description'), volume.description],
          [trans.__('State'), volumeStateText(trans, volume)],
          [trans.__('Problem'), volume.reason && problemText(trans, volume)],
          [trans.__('Size'), size ? kept : fillText(trans, volume)],
          [trans.__('Used'), used === null ? '' : bytesText(used)],
          [
            trans.__('Access'),
            <ul key="modes">
              {modes.map(mode => (
                <li key={mode}>{modeText(trans, mode)}</li>
              ))}
              {volume.read_only ? <li>{trans.__('read-only')}</li> : null}
            </ul>
          ],
          [trans.__('Class'), volume.storage_class],
          [trans.__('Service level'), volume.level],
          [
            trans.__('Only on'),
            nodes.length || zones.length ? placesText(volume) : ''
          ],
          [trans.__('Folder'), volume.folder && <code>{volume.folder}</code>],
          [trans.__('Cloned from'), volume.source],
          [trans.__('Created'), volume.created && timeText(volume.created)],
          [
            trans.__('Mounted by'),
            uses.length ? (
              <ul>
                {uses.map((use, index) => (
                  <li key={index}>{useText(trans, use)}</li>
                ))}
              </ul>
            ) : (
              trans.__('nobody')
            )
          ]
        ]}
      />
    </div>
  );
}
