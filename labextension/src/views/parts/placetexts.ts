import { TranslationBundle } from '@jupyterlab/translation';
import { Device, Placement, Slice } from '../../api/models';

/** Return the name of a device: its number, or else the beginning of its UUID. */
export function deviceText(device: Device | Slice): string {
  return device.index === null
    ? device.uuid.replace(/^(GPU|MIG)-/, '').slice(0, 8)
    : String(device.index);
}

/** Return where a session runs: `dgx1-2, GPU 3`. */
export function placeText(
  trans: TranslationBundle,
  placement: Placement
): string {
  const { node, slices } = placement;
  const devices = slices.map(deviceText).filter(Boolean).join(', ');
  return devices ? trans.__('%1, GPU %2', node, devices) : node;
}
