import { TranslationBundle } from '@jupyterlab/translation';
import { Device, Placement, Slice } from '../../api/models';
import { milliIn } from '../../state/dashboard';
import { gpusText, memory } from './texts';

/** Return the name of a device: its number, or else the beginning of its UUID. */
export function deviceText(device: Device | Slice): string {
  return device.index === null
    ? device.uuid.replace(/^(GPU|MIG)-/, '').slice(0, 8)
    : String(device.index);
}

/** Return what a device is called: `GPU 3`, or `8 GPUs` that are not told apart. */
export function deviceName(trans: TranslationBundle, device: Device): string {
  const text = deviceText(device);
  return text ? trans.__('GPU %1', text) : gpusText(trans, milliIn(device));
}

/** Return a device's model and memory, as far as they are known: `V100, 32 GiB`. */
export function modelText({ model, memory: mib }: Device): string {
  return mib ? `${model}, ${memory(mib)}` : model;
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
